import Persistence

// Decodes a part of a record: a type that is not a record, from the columns of the record's row. If the row lacks a JSON column, its type must
// not become an empty value. A type is therefore a part only if the row has a key that it asks for. The cases of enums and the keys of
// dictionaries don't count, which these types find among all keys of the row.

extension DecodingStrategies {
    /// Decodes a part from the row of its record.
    ///
    /// - Parameter isKnown: whether the type has been a part of another record of the fetch.
    /// - Returns: nil if the type is not a part.
    func decodePart<Part: Decodable>(_ type: Part.Type, of row: Row, isKnown: Bool) throws -> Part? {
        let state = PartStates.state(for: type, strategies: self, row: row).begin(row)
        let generation = state.pointee.generation
        defer {
            state.end(generation)
            extendLifetime(row)
        }
        let keys = RequestedKeys()
        do {
            let part = try Part(from: PartDecoder(base: RecordDecoder(state: state, generation: generation), keys: keys))
            // Enums may implement their decoding themselves.
            return keys.areOfPart && (isKnown || Mirror(reflecting: part).displayStyle != .enum) ? part : nil
        } catch  where !keys.areOfPart || error is JSONRequired {
            return nil
        }
    }
}

/// The keys that a type has asked for.
private final class RequestedKeys {
    /// Whether the row has one of the keys.
    var hasFound = false
    /// Whether the type has asked for the keys of the row.
    var areFromRow = false

    var areOfPart: Bool { hasFound && !areFromRow }
}

private struct PartDecoder: Decoder {
    let base: RecordDecoder
    let keys: RequestedKeys

    var codingPath: [any CodingKey] { base.codingPath }

    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(PartContainer(base: try base.container(keyedBy: type), decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONRequired() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw JSONRequired() }
}

private struct PartContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    let decoder: PartDecoder

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        decoder.keys.areFromRow = true
        return base.allKeys
    }

    /// The container of the row, for a key that the type asks for.
    private func base(_ key: Key) -> KeyedDecodingContainer<Key> {
        if !decoder.keys.hasFound { decoder.keys.hasFound = base.contains(key) }
        return base
    }

    func contains(_ key: Key) -> Bool { base(key).contains(key) }

    func decodeNil(forKey key: Key) throws -> Bool { try base(key).decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try base(key).decode(type, forKey: key) }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try base(key).decodeIfPresent(type, forKey: key) }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try base(key).superDecoder(forKey: key) }
}
