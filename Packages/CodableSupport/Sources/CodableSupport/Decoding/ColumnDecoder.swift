import Foundation
import Persistence

/// Thrown when a type requests a keyed or unkeyed container: a column has keys or elements only as JSON.
struct JSONRequired: Error {}

/// Decodes one column as a single value.
struct ColumnDecoder: Decoder {
    private let uncheckedState: StateHandle<RowDecodingState.State>
    private let generation: Int
    let column: String
    let key: any CodingKey
    /// Whether this decoder decodes JSON itself, because its caller can't start again with a JSON decoder.
    var decodesJSON = false
    /// Retains the state if nothing else does.
    var owner: NestedRowDecoder?

    /// - Parameter state: the state of the record that is being decoded.
    init(state: StateHandle<RowDecodingState.State>, column: String, key: any CodingKey, decodesJSON: Bool = false) {
        uncheckedState = state
        generation = state.pointee.generation
        self.column = column
        self.key = key
        self.decodesJSON = decodesJSON
    }

    /// The state. Stops the program if the decoder's record has ended.
    private var state: StateHandle<RowDecodingState.State> { uncheckedState.checked(generation) }

    var codingPath: [any CodingKey] { state.codingPath + [key] }

    var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try jsonDecoder([String: Any].self).container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try jsonDecoder([Any].self).unkeyedContainer()
    }

    private func jsonDecoder(_ type: Any.Type) throws -> any Decoder {
        let state = state
        guard decodesJSON else { throw JSONRequired() }
        return try state.decoderOfJSON(type, column: column, key: key)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension ColumnDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        let state = state
        let row = state.currentRow
        return row.index(ofColumn: column).map { row.hasNull(atIndex: $0) } ?? !state.hasNestedValue(key.stringValue)
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try state.decode(type, column: column, key: key)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: String.Type) throws -> String { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Double.Type) throws -> Double { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Float.Type) throws -> Float { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Int.Type) throws -> Int { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Int8.Type) throws -> Int8 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Int16.Type) throws -> Int16 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Int32.Type) throws -> Int32 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: Int64.Type) throws -> Int64 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: UInt.Type) throws -> UInt { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: UInt8.Type) throws -> UInt8 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: UInt16.Type) throws -> UInt16 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: UInt32.Type) throws -> UInt32 { try state.currentRow.decode(type, forKey: column) }

    func decode(_ type: UInt64.Type) throws -> UInt64 { try state.currentRow.decode(type, forKey: column) }

}
