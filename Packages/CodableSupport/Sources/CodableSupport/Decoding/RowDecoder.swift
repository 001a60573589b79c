import Foundation
import Persistence

/// Decodes a row.
@usableFromInline
struct RowDecoder: Decoder {
    @usableFromInline typealias State = RowDecodingState.State

    @usableFromInline let state: UnsafeMutablePointer<State>

    @inlinable
    init(state: UnsafeMutablePointer<State>) {
        self.state = state
    }

    @usableFromInline var codingPath: [any CodingKey] { [] }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if let kept = state.pointee.keyedContainers.object(keys: type) {
            return kept._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).get() }
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let columns = KeyColumns(type)
        let container = KeyedDecodingContainer(RowKeyedDecodingContainer<Key>(state: state, columns: columns?.pointer))
        state.pointee.keyedContainers.add(container, keys: type, memory: columns)
        return container
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw DecodingError.typeMismatch(
            [Any].self,
            DecodingError.Context(
                codingPath: [], debugDescription: "A row can't be decoded as an array: \(state.pointee.row.takeUnretainedValue())"))
    }

    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        RowSingleValueDecodingContainer(decoder: self)
    }
}

/// Decodes a type that wraps another one, both from the same row.
private struct RowSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: RowDecoder

    var codingPath: [any CodingKey] { [] }

    private var row: Row { decoder.state.currentRow }

    /// Whether the row is that of an outer join that is not there.
    func decodeNil() -> Bool { !row.containsNonNullValue }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if type is any DatabaseValueConvertible.Type {
            let row = row
            guard let column = row.columnNames.first else {
                throw RowDecodingError(missingColumn: "", type: type, row: row)
            }
            // A type that wraps one value has the first column, by its strategy.
            return try decoder.state.decode(type, column: column, key: FirstColumn(stringValue: column))
        }
        // A record that wraps another one has its columns, by that one's strategies.
        let strategies = decoder.state.pointee.strategies
        if type != strategies.record, let recordType = strategies.recordType(type) {
            return try recordType.decode(type, from: row)
        }
        return try T(from: decoder)
    }
}

/// The key of a value that has none.
private struct FirstColumn: CodingKey {
    let stringValue: String

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
}
