import Foundation
import Persistence

// The standard library calls one method for each property. The methods of the basic types set the column directly. A nil property sets
// NULL, while the protocol's default implementation would omit the column.

/// The column of a key, which is found with the first records.
struct EncodedColumn: KeyEntry {
    var place = ColumnPlace()

    /// `Date` or `UUID`, if its values are written without a strategy; nil until this is first checked.
    var plainType: ObjectIdentifier?
}

/// The columns of a record, by coding keys.
///
/// `Owner` retains the cell of the generation if nothing else does. It is `Void` if the container must not hold references.
struct RecordKeyedEncodingContainer<Key: CodingKey, Owner>: KeyedEncodingContainerProtocol {
    let uncheckedState: StateHandle<RecordEncodingState.State>

    /// The generation of the container's record.
    let cell: GenerationCell

    /// The columns found so far; nil if the columns of the keys are always looked up by name.
    let columns: KeyEntries<EncodedColumn>?

    let owner: Owner

    /// The state. Stops the program if the container's record has ended. Each method gets it once, first.
    @inline(__always)
    private var state: StateHandle<RecordEncodingState.State> { uncheckedState.checked(cell.generation) }

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func column(_ key: Key) -> String {
        uncheckedState.pointee.usesDefaultKeys ? key.stringValue : uncheckedState.pointee.convertedColumn(for: key)
    }

    @inline(__always)
    private func set<Value: StatementBinding>(_ value: Value?, _ key: Key) {
        let state = state
        if let known = columns?[key] {
            state.set(value, at: &known.pointee.place) { column(key) }
        } else {
            state.set(value, forColumn: column(key))
        }
    }

    func encodeNil(forKey key: Key) throws { set(DatabaseValue?.none, key) }

    /// Returns an encoder for the superclass, which writes to the same record.
    func superEncoder() -> any Encoder { RecordEncoder(state: state, generation: cell.generation) }

    /// Returns an encoder that encodes a column piece by piece.
    func superEncoder(forKey key: Key) -> any Encoder { state.pointee.pieceEncoder(column: column(key), key: key) }

    // MARK: - Other types

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let state = state
        // Handles the most frequent types with the fewest calls.
        if T.self == Date.self, isPlain(T.self, key) { return set(_identityCast(value, to: Date.self), key) }
        if T.self == UUID.self, isPlain(T.self, key) { return set(_identityCast(value, to: UUID.self), key) }
        try state.encode(value, column: column(key), key: key)
    }

    /// Whether values of a type, `Date` or `UUID`, are written without a strategy.
    @inline(__always)
    private func isPlain(_ type: Any.Type, _ key: Key) -> Bool {
        columns?[key]?.pointee.plainType == ObjectIdentifier(type) || strategyIsPlain(type, key)
    }

    @inline(never)
    private func strategyIsPlain(_ type: Any.Type, _ key: Key) -> Bool {
        let (record, column) = (state.pointee.strategies.record, column(key))
        if type == Date.self {
            guard case .deferredToDate = record.databaseDateEncodingStrategy(for: column) else { return false }
        } else {
            guard case .deferredToUUID = record.databaseUUIDEncodingStrategy(for: column) else { return false }
        }
        columns?[key]?.pointee.plainType = ObjectIdentifier(type)
        return true
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else {
            try encodeNil(forKey: key)
        }
    }

    // MARK: - Basic types

    func encode(_ value: Bool, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: String, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Double, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Float, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Int, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Int8, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Int16, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Int32, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: Int64, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: UInt, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: UInt8, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: UInt16, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: UInt32, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { set(value, key) }

    func encode(_ value: UInt64, forKey key: Key) throws { set(value, key) }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { set(value, key) }

}
