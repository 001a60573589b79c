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
        return KeyedEncodingContainer(JSONRequiredKeyedContainer<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        requireJSON()
        return JSONRequiredContainer()
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

/// Throws at the first value, so that the caller encodes the column again as JSON.
struct JSONRequiredContainer: UnkeyedEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw JSONRequired() }

    func encode<T: Encodable>(_ value: T) throws { throw JSONRequired() }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(JSONRequiredKeyedContainer<NestedKey>())
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { JSONRequiredEncoder() }
}

struct JSONRequiredKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { throw JSONRequired() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { throw JSONRequired() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(JSONRequiredKeyedContainer<NestedKey>())
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { JSONRequiredContainer() }

    func superEncoder() -> any Encoder { JSONRequiredEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { JSONRequiredEncoder() }
}

private struct JSONRequiredEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(JSONRequiredKeyedContainer<Key>())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { JSONRequiredContainer() }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        FailingEncodingContainer(reason: "JSON is required.")
    }
}
