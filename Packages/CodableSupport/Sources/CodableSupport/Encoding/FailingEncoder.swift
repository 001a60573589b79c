/// Throws for each value. `Encoder` can't throw when it creates a container, so its containers, which are of this type too, throw instead.
struct FailingEncoder: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
    /// Throws ``JSONRequired``, so that the caller encodes the column again as JSON.
    static let requiringJSON = FailingEncoder(reason: nil)

    /// What the errors say; nil to throw ``JSONRequired``.
    let reason: String?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { 0 }

    private func error(_ value: Any) -> any Error {
        guard let reason else { return JSONRequired() }
        return EncodingError.invalid(value, EncodingError.Context(codingPath: [], debugDescription: reason))
    }

    func encodeNil() throws { throw error(Any?.none as Any) }

    func encode<T: Encodable>(_ value: T) throws { throw error(value) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(FailingKeyedContainer(encoder: self))
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy keyType: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        container(keyedBy: keyType)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func superEncoder() -> any Encoder { self }
}

/// Throws for each value of a key.
private struct FailingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: FailingEncoder

    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.encodeNil() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.encode(value) }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}
