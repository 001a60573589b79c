import Foundation
import Persistence

// The standard library calls one method for each property. The methods of the basic types set the column directly. A nil property sets
// NULL, while the protocol's default implementation would omit the column.

/// The columns of a record, by coding keys.
///
/// `Owner` retains the cell of the generation if nothing else does. It is `Void` if the container must not hold references.
struct RecordKeyedEncodingContainer<Key: CodingKey, Owner>: KeyedEncodingContainerProtocol {
    let uncheckedState: StateHandle<RecordEncodingState.State>

    /// The generation of the container's record.
    let cell: GenerationCell

    let owner: Owner

    /// The state. Stops the program if the container's record has ended. Each method gets it once, first.
    @inline(__always)
    private var state: StateHandle<RecordEncodingState.State> { uncheckedState.checked(cell.generation) }

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func column(_ key: Key) -> String {
        uncheckedState.pointee.usesDefaultKeys ? key.stringValue : uncheckedState.pointee.convertedColumn(for: key)
    }

    func encodeNil(forKey key: Key) throws {
        state.set(DatabaseValue?.none, forColumn: column(key))
    }

    /// Returns an encoder for the superclass, which writes to the same record.
    func superEncoder() -> any Encoder { RecordEncoder(state: state, generation: cell.generation) }

    /// Returns an encoder that encodes a column piece by piece.
    func superEncoder(forKey key: Key) -> any Encoder { state.pointee.pieceEncoder(column: column(key), key: key) }

    // MARK: - Other types

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        let state = state
        // Handles the most frequent types with the fewest calls.
        let column = column(key)
        if T.self == Date.self, case .deferredToDate = state.pointee.strategies.record.databaseDateEncodingStrategy(for: column) {
            return state.set((value as! Date), forColumn: column)
        }
        if T.self == UUID.self, case .deferredToUUID = state.pointee.strategies.record.databaseUUIDEncodingStrategy(for: column) {
            return state.set((value as! UUID), forColumn: column)
        }
        try state.encode(value, column: column, key: key)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        if let value {
            try encode(value, forKey: key)
        } else {
            try encodeNil(forKey: key)
        }
    }

    // MARK: - Basic types

    func encode(_ value: Bool, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: String, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: String?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Double, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Float, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Int, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Int8, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Int16, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Int32, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: Int64, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: UInt, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: UInt8, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: UInt16, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: UInt32, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encode(_ value: UInt64, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { state.set(value, forColumn: column(key)) }

}
