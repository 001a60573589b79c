import Foundation
import Persistence

/// Encodes a value as one database value, and detects a type that needs JSON.
final class DatabaseValueEncoder: Encoder {
    private var dbValue: DatabaseValue?
    private var isJSONRequired = false

    var codingPath: [any CodingKey] { [] }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a value by its `Encodable` conformance, and ignores any other conversion of its type.
    static func encode<T: Encodable & DatabaseValueConvertible>(_ value: T) throws -> DatabaseValue {
        let encoder = DatabaseValueEncoder()
        do {
            try value.encode(to: encoder)
        } catch is JSONRequired {
            encoder.isJSONRequired = true
        }
        guard encoder.isJSONRequired else { return encoder.dbValue ?? .null }
        return try JSONCoders.encoder(for: T.self).text(of: value).databaseValue
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isJSONRequired = true
        return FailingEncoder.requiringJSON.container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        isJSONRequired = true
        return FailingEncoder.requiringJSON
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension DatabaseValueEncoder: SingleValueEncodingContainer {
    func encodeNil() throws { dbValue = .null }

    func encode<T: Encodable>(_ value: T) throws {
        if let value = value as? any DatabaseValueConvertible {
            dbValue = try value.bindingValue()
        } else {
            try value.encode(to: self)
        }
    }
}
