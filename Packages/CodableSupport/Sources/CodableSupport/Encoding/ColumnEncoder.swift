import Foundation
import Persistence

/// Encodes one column as a single value, and detects a type that needs JSON.
struct ColumnEncoder: Encoder {
    /// The outcome of the encoding.
    final class Result {
        var isEncoded = false
        var isJSONRequired = false
    }

    private let uncheckedState: StateHandle<RecordEncodingState.State>
    private let generation: Int
    private let column: String
    private let key: any CodingKey
    let result = Result()

    /// - Parameter state: the state of the record that is being encoded.
    init(state: StateHandle<RecordEncodingState.State>, column: String, key: any CodingKey) {
        uncheckedState = state
        generation = state.pointee.generation
        self.column = column
        self.key = key
    }

    /// The state. Stops the program if the encoder's record has ended.
    private var state: StateHandle<RecordEncodingState.State> { uncheckedState.checked(generation) }

    var codingPath: [any CodingKey] { [key] }

    var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        requireJSON()
        return FailingEncoder.requiringJSON.container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        requireJSON()
        return FailingEncoder.requiringJSON
    }

    private func requireJSON() {
        _ = state
        result.isJSONRequired = true
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ColumnEncoder: SingleValueEncodingContainer {
    func encodeNil() throws {
        state.set(DatabaseValue?.none, forColumn: column)
        result.isEncoded = true
    }

    func encode<T: Encodable>(_ value: T) throws {
        try state.encode(value, column: column, key: key)
        result.isEncoded = true
    }

    func encode(_ value: Bool) throws { set(value) }

    func encode(_ value: String) throws { set(value) }

    func encode(_ value: Double) throws { set(value) }

    func encode(_ value: Float) throws { set(value) }

    func encode(_ value: Int) throws { set(value) }

    func encode(_ value: Int8) throws { set(value) }

    func encode(_ value: Int16) throws { set(value) }

    func encode(_ value: Int32) throws { set(value) }

    func encode(_ value: Int64) throws { set(value) }

    func encode(_ value: UInt) throws { set(value) }

    func encode(_ value: UInt8) throws { set(value) }

    func encode(_ value: UInt16) throws { set(value) }

    func encode(_ value: UInt32) throws { set(value) }

    func encode(_ value: UInt64) throws { set(value) }

    private func set(_ value: some StatementBinding) {
        state.set(value, forColumn: column)
        result.isEncoded = true
    }
}
