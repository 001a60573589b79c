import Foundation

// The decoder of a column's JSON, for a type that asks its decoder for a nested container. The containers of `JSONDecoder` don't know the
// column: this decoder and its containers put the column's path in front of coding paths, including the paths of errors.

/// Decodes the JSON of a column.
struct ColumnJSONDecoder: Decoder {
    /// The decoder of `JSONDecoder`.
    let base: any Decoder

    /// The path of the column.
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try path.locatingErrors { KeyedDecodingContainer(KeyedContainer(base: try base.container(keyedBy: type), path: path)) }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try path.locatingErrors { UnkeyedContainer(base: try base.unkeyedContainer(), path: path) }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try path.locatingErrors { SingleValueContainer(base: try base.singleValueContainer(), path: path) }
    }
}

private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }

    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool {
        try path.locatingErrors { try base.decodeNil(forKey: key) }
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try path.locatingErrors { try base.decode(type, forKey: key) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try path.locatingErrors { try base.decodeIfPresent(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try path.locatingErrors {
            KeyedDecodingContainer(KeyedContainer<NestedKey>(base: try base.nestedContainer(keyedBy: type, forKey: key), path: path))
        }
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try path.locatingErrors { UnkeyedContainer(base: try base.nestedUnkeyedContainer(forKey: key), path: path) }
    }

    func superDecoder() throws -> any Decoder {
        try path.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(), path: path) }
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try path.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(forKey: key), path: path) }
    }
}

private struct UnkeyedContainer: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }

    var count: Int? { base.count }

    var isAtEnd: Bool { base.isAtEnd }

    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try path.locatingErrors { try base.decodeNil() } }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try path.locatingErrors { try base.decode(type) } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try path.locatingErrors {
            KeyedDecodingContainer(KeyedContainer<NestedKey>(base: try base.nestedContainer(keyedBy: type), path: path))
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try path.locatingErrors { UnkeyedContainer(base: try base.nestedUnkeyedContainer(), path: path) }
    }

    mutating func superDecoder() throws -> any Decoder {
        try path.locatingErrors { ColumnJSONDecoder(base: try base.superDecoder(), path: path) }
    }
}

private struct SingleValueContainer: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    let path: [any CodingKey]

    var codingPath: [any CodingKey] { path + base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try path.locatingErrors { try base.decode(type) } }
}

extension [any CodingKey] {
    /// Runs a closure, and puts this path in front of the coding path of its error.
    fileprivate func locatingErrors<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as DecodingError {
            throw error.inside(self)
        }
    }
}
