import Foundation

// The decoder of a column's JSON, for a type that asks its decoder for a nested container. The containers of `JSONDecoder` don't know the
// column: this decoder and its containers put the column's key in front of coding paths, including those of errors.

/// Decodes the JSON of a column.
struct ColumnJSONDecoder: Decoder {
    /// The decoder of `JSONDecoder`.
    let base: any Decoder

    /// The key of the column.
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] + base.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try key.locatingErrors { KeyedDecodingContainer(KeyedContainer(base: try base.container(keyedBy: type), key: key)) }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try key.locatingErrors { UnkeyedContainer(base: try base.unkeyedContainer(), key: key) }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try key.locatingErrors { SingleValueContainer(base: try base.singleValueContainer(), key: key) }
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] + base.codingPath }

    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try self.key.locatingErrors { try base.decodeNil(forKey: key) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try self.key.locatingErrors { try base.decode(type, forKey: key) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try self.key.locatingErrors { try base.decodeIfPresent(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try self.key.locatingErrors {
            KeyedDecodingContainer(KeyedContainer<NestedKey>(base: try base.nestedContainer(keyedBy: type, forKey: key), key: self.key))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.key.locatingErrors { UnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), key: self.key) }
    }

    func superDecoder() throws -> any Decoder {
        try key.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(), key: key) }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try self.key.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(forKey: key), key: self.key) }
    }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] + base.codingPath }

    var count: Int? { base.count }

    var isAtEnd: Bool { base.isAtEnd }

    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try key.locatingErrors { try base.decodeNil() } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try key.locatingErrors { try base.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try key.locatingErrors {
            KeyedDecodingContainer(KeyedContainer<NestedKey>(base: try base.nestedContainer(keyedBy: type), key: key))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try key.locatingErrors { UnkeyedContainer(base: try base.nestedUnkeyedContainer(), key: key) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try key.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(), key: key) }
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let key: any CodingKey

    var codingPath: [any CodingKey] { [key] + base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try key.locatingErrors { try base.decode(type) } }
}

extension CodingKey {
    /// Runs a closure, and puts this key in front of the coding path of its error.
    fileprivate func locatingErrors<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DecodingError {
            throw error.inside(self)
        }
    }
}
