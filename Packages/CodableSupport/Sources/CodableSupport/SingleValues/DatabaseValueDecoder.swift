import Foundation
import Persistence

/// Decodes a value from one database value, and detects a type that needs JSON.
struct DatabaseValueDecoder: Decoder {
    private let dbValue: DatabaseValue

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value by its `Decodable` conformance, and ignores any other conversion of its type.
    static func decode<T: Decodable & DatabaseValueConvertible>(_ type: T.Type, from dbValue: DatabaseValue) throws -> T {
        let decoder = DatabaseValueDecoder(dbValue: dbValue)
        do {
            return try T(from: decoder)
        } catch is JSONRequired {
            guard let data = dbValue.data else { throw decoder.mismatch(type) }
            return try JSONCoders.decoder(for: type).decode(type, from: data)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> { throw JSONRequired() }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw JSONRequired() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, DecodingError.Context(codingPath: [], debugDescription: "The value is \(dbValue.storageClassName)"))
    }
}

extension DatabaseValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { dbValue.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let valueType = type as? any DatabaseValueConvertible.Type else { return try T(from: self) }
        return try decode(valueType, as: type)
    }

    private func decode<Value: DatabaseValueConvertible, T>(_ type: Value.Type, as wanted: T.Type) throws -> T {
        guard let value = Value.fromDatabaseValue(dbValue) else { throw mismatch(type) }
        // The types are the same: an optional of an optional stays as it is.
        return value as! T
    }
}
