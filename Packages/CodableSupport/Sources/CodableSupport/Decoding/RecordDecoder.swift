import Foundation
import Persistence

/// Decodes a row.
@usableFromInline
struct RecordDecoder: Decoder {
    @usableFromInline typealias State = RowDecodingState.State

    @usableFromInline let uncheckedState: UnsafeMutablePointer<State>

    /// The generation of the decoder's record.
    @usableFromInline let generation: Int

    @inlinable
    init(state: UnsafeMutablePointer<State>, generation: Int) {
        uncheckedState = state
        self.generation = generation
    }

    /// The state. Stops the program if the decoder's record has ended.
    @inline(__always)
    var state: UnsafeMutablePointer<State> {
        if uncheckedState.pointee.generation != generation { stopForStaleDecoder() }
        return uncheckedState
    }

    @usableFromInline var codingPath: [any CodingKey] { [] }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        if let kept = state.pointee.keyedContainers.object(keys: type) {
            return kept._withUnsafeGuaranteedRef {
                if !$0.serves(generation) { replaceContainer(keyedBy: type, in: $0) }
                return unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).get()
            }
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        let columns = KeyColumns(type)
        let cell = UnsafeMutablePointer.cell(generation)
        let isKept = state.pointee.keyedContainers.add(
            makeContainer(Key.self, cell, columns), generation: cell, keys: type, memory: columns)
        if isKept, let kept = state.pointee.keyedContainers.object(keys: type) {
            return kept._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeptContainer<KeyedDecodingContainer<Key>>.self).get() }
        }
        cell.deallocate()
        let owner = GenerationCell(generation)
        return KeyedDecodingContainer(
            RowKeyedDecodingContainer<Key, GenerationCell>(
                uncheckedState: state, generation: owner.pointer, columns: nil, owner: owner))
    }

    private func makeContainer<Key: CodingKey>(
        _ type: Key.Type, _ cell: UnsafeMutablePointer<Int>, _ columns: KeyColumns?
    ) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(
            RowKeyedDecodingContainer<Key, Void>(uncheckedState: state, generation: cell, columns: columns?.pointer, owner: ()))
    }

    /// Replaces a container that the program has kept from another record.
    @inline(never)
    private func replaceContainer<Key: CodingKey>(keyedBy type: Key.Type, in kept: KeptKeyedContainer) {
        let cell = UnsafeMutablePointer.cell(generation)
        let columns = kept.memory.map { unsafeDowncast($0, to: KeyColumns.self) }
        state.pointee.keyedContainers.replace(kept, by: makeContainer(type, cell, columns), generation: cell)
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

/// Decodes a type that wraps another type, both from the same row.
private struct RowSingleValueDecodingContainer: SingleValueDecodingContainer {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { [] }

    private var row: Row { decoder.state.currentRow }

    /// Returns whether the row is the missing row of an outer join.
    func decodeNil() -> Bool { !row.containsNonNullValue }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let state = decoder.state
        if type is any DatabaseValueConvertible.Type {
            let row = row
            guard let column = row.columnNames.first else {
                throw RowDecodingError(missingColumn: "", type: type, row: row)
            }
            // A type that wraps one value decodes the first column with its strategy.
            return try state.decode(type, column: column, key: FirstColumn(stringValue: column))
        }
        // A record that wraps another record decodes the columns with the strategies of the wrapped record.
        let strategies = state.pointee.strategies
        if type != strategies.record, let recordType = strategies.recordType(type) {
            return try recordType.decode(type, from: row)
        }
        return try T(from: decoder)
    }
}

/// The coding key of a value without a key.
private struct FirstColumn: CodingKey {
    let stringValue: String

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    var intValue: Int? { nil }

    init?(intValue: Int) { nil }
}
