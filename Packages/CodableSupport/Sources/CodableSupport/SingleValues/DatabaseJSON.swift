import Foundation
import Persistence

/// A value that a column stores as JSON, for records that read and write their columns themselves.
///
/// ```swift
/// struct Article: FetchableRecord, PersistableRecord {
///     var title: String
///     var tags: [String]
///
///     init(row: Row) throws {
///         title = try row.decode(forColumn: "title")
///         tags = try row.decode(DatabaseJSON<[String]>.self, forColumn: "tags").value
///     }
///
///     func encode(to container: inout PersistenceContainer) {
///         container["title"] = title
///         // Stores '["swift","sql"]'
///         container["tags"] = DatabaseJSON(tags)
///     }
/// }
/// ```
///
/// A value is always stored as JSON, even if Codable records store it as a single value: the string `a` is stored as `"a"`. One encoder and
/// one decoder serve all values of a type. A JSON column should have TEXT affinity, or none.
public struct DatabaseJSON<Value: Codable>: DatabaseValueConvertible {
    /// The value.
    public var value: Value

    /// Creates a value to store as JSON.
    public init(_ value: Value) {
        self.value = value
    }

    /// The JSON, as a string.
    ///
    /// - Precondition: the value can be encoded. ``bindingValue()``, which writes values to the database, throws if it can't.
    public var databaseValue: DatabaseValue { bindingValueOrStop() }

    /// Returns the JSON, as a string.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    /// - Complexity: the complexity of encoding the value.
    public func bindingValue() throws -> DatabaseValue {
        try JSONCoders.encoder(for: Self.self).text(of: value).databaseValue
    }

    /// Decodes a value from JSON: a TEXT, or a BLOB of UTF-8.
    ///
    /// - Returns: nil if decoding fails. Throwing fetch methods then throw an error.
    /// - Complexity: the complexity of decoding the value.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        dbValue.data.flatMap { data in
            ConversionFailure.noting { Self(try JSONCoders.decoder(for: Self.self).decode(Value.self, from: data)) }
        }
    }
}

extension DatabaseJSON: Sendable where Value: Sendable {}
extension DatabaseJSON: Equatable where Value: Equatable {}
extension DatabaseJSON: Hashable where Value: Hashable {}
