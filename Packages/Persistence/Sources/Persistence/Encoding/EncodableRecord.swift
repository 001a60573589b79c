import Foundation
import QueryInterface

/// A type that encodes itself as the columns of a row.
///
/// ```swift
/// struct Player: EncodableRecord {
///     var id: Int64?
///     var name: String
///
///     func encode(to container: inout PersistenceContainer) {
///         container["id"] = id
///         container["name"] = name
///     }
/// }
/// ```
///
/// CodableSupport implements this method for `Encodable` types. Files that import only this layer do not see that implementation.
public protocol EncodableRecord: ColumnValueEncoding {
    /// Sets the columns that the record writes.
    ///
    /// - Throws: any error. The persistence method rethrows it.
    func encode(to container: inout PersistenceContainer) throws

    /// The type of the values in ``databaseEncodingUserInfo``, inferred from that property.
    associatedtype DatabaseEncodingUserInfoValue = any Sendable

    /// The `userInfo` dictionary of the encoders of `Encodable` records. Empty by default.
    ///
    /// The values may have any type, such as `Any` or `String`. The values of a `static let` must be `Sendable`.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: DatabaseEncodingUserInfoValue] { get }

    /// Makes the encoder of a column that holds JSON, for records that are `Encodable`.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// Returns how `Encodable` records and requests write binary data to a column: as a BLOB by default.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// Returns how `Encodable` records and requests write dates to a column: as "YYYY-MM-DD HH:MM:SS.SSS" by default.
    ///
    /// Requests for the record's table use this format when they compare the column with a date, or assign a date to it:
    ///
    /// ```swift
    /// struct Event: Codable, FetchableRecord, PersistableRecord {
    ///     var id: Int64
    ///     var startsAt: Date
    ///
    ///     static func databaseDateEncodingStrategy(
    ///         for column: String
    ///     ) -> DatabaseDateEncodingStrategy {
    ///         .secondsSince1970
    ///     }
    /// }
    ///
    /// // SELECT * FROM "event" WHERE "startsAt" < 1767225600
    /// let past = try Event.filter(Column("startsAt") < date).fetchAll(db)
    /// ```
    ///
    /// A record that implements `encode(to:)` writes its own format. Its strategy then applies only to requests, and should match that
    /// format. ``ColumnValueEncoding`` lists where values ignore the strategy.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// Returns how `Encodable` records and requests write UUIDs to a column: as a BLOB of 16 bytes by default.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// How `Encodable` records convert coding keys to column names. By default, a column has the name of its coding key.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord where DatabaseEncodingUserInfoValue == any Sendable {
    /// An empty dictionary.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension EncodableRecord {
    /// An encoder that writes dates as milliseconds since 1970, binary data as Base64, and keys in order.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        // `Any` and `any Sendable` are one type at run time, so that this cast does not fail. The encoder stays in its task.
        encoder.userInfo = databaseEncodingUserInfo as Any as? [CodingUserInfoKey: any Sendable] ?? [:]
        return encoder
    }

    /// As a BLOB.
    public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .deferredToData }

    /// As `Date` writes itself.
    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }

    /// As a BLOB of 16 bytes.
    public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

    /// Returns the database value of a date, a UUID or binary data, as encoded by the column's strategy.
    ///
    /// - Returns: nil when the strategy defers to the value, and for values of other types.
    /// - Throws: an error if the strategy can't encode the value.
    public static func databaseValue(
        of value: any DatabaseValueConvertible & Sendable, inColumn column: String
    ) throws -> DatabaseValue? {
        switch value {
        case let date as Date: try databaseDateEncodingStrategy(for: column).databaseValue(ifNotDeferred: date)
        case let uuid as UUID: databaseUUIDEncodingStrategy(for: column).databaseValue(ifNotDeferred: uuid)
        case let data as Data: try databaseDataEncodingStrategy(for: column).databaseValue(ifNotDeferred: data)
        default: nil
        }
    }

    /// Uses the names of the coding keys.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }

    /// The columns and values that the record writes.
    ///
    /// - Throws: the record's error, or the error of a value that can't be stored.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws { try Dictionary(PersistenceContainer(encoding: self).map { ($0, $1) }, uniquingKeysWith: { $1 }) }
    }
}
