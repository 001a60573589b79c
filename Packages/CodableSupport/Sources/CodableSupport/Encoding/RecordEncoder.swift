import Foundation
import Persistence

/// Encodes a record.
@usableFromInline
struct RecordEncoder: Encoder {
    @usableFromInline let state: UnsafeMutablePointer<RecordEncodingState.State>

    @inlinable
    init(state: UnsafeMutablePointer<RecordEncodingState.State>) {
        self.state = state
    }

    @usableFromInline var codingPath: [any CodingKey] { [] }

    @usableFromInline var userInfo: [CodingUserInfoKey: Any] { state.pointee.strategies.userInfo }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if let kept = state.pointee.keyedContainers.object(keys: type) {
            return kept._withUnsafeGuaranteedRef { unsafeDowncast($0, to: KeptContainer<KeyedEncodingContainer<Key>>.self).get() }
        }
        return makeContainer(keyedBy: type)
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let container = KeyedEncodingContainer(RecordKeyedEncodingContainer<Key>(state: state))
        state.pointee.keyedContainers.add(container, keys: type)
        return container
    }

    @usableFromInline
    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        FailingEncodingContainer(reason: "A record can't be encoded as an array.")
    }

    @usableFromInline
    func singleValueContainer() -> any SingleValueEncodingContainer {
        RecordSingleValueEncodingContainer(encoder: self)
    }
}

/// Encodes a type that wraps another one, both as the columns of the same record.
private struct RecordSingleValueEncodingContainer: SingleValueEncodingContainer {
    let encoder: RecordEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil() throws {
        throw EncodingError.invalidValue(
            Any?.none as Any, EncodingError.Context(codingPath: [], debugDescription: "A record can't be encoded as NULL."))
    }

    func encode<T: Encodable>(_ value: T) throws {
        guard !(value is any DatabaseValueConvertible) else {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: [], debugDescription: "A record can't be encoded as one value."))
        }
        // A record has its own strategies.
        if let record = value as? any EncodableRecord, T.self != encoder.state.pointee.strategies.record,
            let container = encoder.state.pointee.container
        {
            try record.encode(to: &container.pointee)
        } else {
            try value.encode(to: encoder)
        }
    }
}

/// Refuses all values: `Encoder` lets containers be asked for, where only encoding can throw.
struct FailingEncodingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let reason: String

    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    private func error(_ value: Any) -> EncodingError {
        EncodingError.invalidValue(value, EncodingError.Context(codingPath: [], debugDescription: reason))
    }

    func encodeNil() throws { throw error(Any?.none as Any) }

    func encode<T: Encodable>(_ value: T) throws { throw error(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        KeyedEncodingContainer(FailingKeyedEncodingContainer<NestedKey>(container: self))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { FailingEncoder(container: self) }
}

/// Refuses all values, by key.
struct FailingKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let container: FailingEncodingContainer

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try container.encodeNil() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try container.encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        container.nestedContainer(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { container }

    func superEncoder() -> any Encoder { container.superEncoder() }

    func superEncoder(forKey key: Key) -> any Encoder { container.superEncoder() }
}

/// Refuses all values.
struct FailingEncoder: Encoder {
    let container: FailingEncodingContainer

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FailingKeyedEncodingContainer<Key>(container: container))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { container }

    func singleValueContainer() -> any SingleValueEncodingContainer { container }
}
