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
/// With CodableSupport, types that are `Encodable` need no such method. A file that imports this layer alone does not see
/// that one.
public protocol EncodableRecord: ColumnValueEncoding {
    /// Sets the columns that the record writes.
    ///
    /// - Throws: any error, which the persistence method throws in turn.
    func encode(to container: inout PersistenceContainer) throws

    /// What is given to the encoders of records that are `Encodable`. Empty by default.
    static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

    /// Makes the encoder of a column that holds JSON, for records that are `Encodable`.
    static func databaseJSONEncoder(for column: String) -> JSONEncoder

    /// How binary data is written to a column, for records that are `Encodable`, and in requests. As a BLOB by default.
    static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy

    /// How dates are written to a column, for records that are `Encodable`, and in requests. As `Date` writes itself by default.
    ///
    /// Requests of the record's table compare the column with dates in this form, and assign them so:
    ///
    /// ```swift
    /// struct Event: Codable, FetchableRecord, PersistableRecord {
    ///     var id: Int64
    ///     var startsAt: Date
    ///
    ///     static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    /// }
    ///
    /// // SELECT * FROM "event" WHERE "startsAt" < 1767225600
    /// let past = try Event.filter(Column("startsAt") < date).fetchAll(db)
    /// ```
    ///
    /// A record with an `encode(to:)` of its own decides itself what it writes: a strategy that it declares is for requests, and should say
    /// the same. ``ColumnValueEncoding`` tells where values have their own form whatever the strategy.
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy

    /// How UUIDs are written to a column, for records that are `Encodable`, and in requests. As a BLOB of 16 bytes by default.
    static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy

    /// How the names of columns follow from those of coding keys, for records that are `Encodable`. They are the same by
    /// default.
    static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { get }
}

extension EncodableRecord {
    /// Nothing.
    public static var databaseEncodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

    /// An encoder that writes dates as milliseconds since 1970, binary data as Base64, and keys in order.
    public static func databaseJSONEncoder(for column: String) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dataEncodingStrategy = .base64
        encoder.dateEncodingStrategy = .millisecondsSince1970
        encoder.nonConformingFloatEncodingStrategy = .throw
        encoder.outputFormatting = .sortedKeys
        encoder.userInfo = databaseEncodingUserInfo
        return encoder
    }

    /// As a BLOB.
    public static func databaseDataEncodingStrategy(for column: String) -> DatabaseDataEncodingStrategy { .deferredToData }

    /// As `Date` writes itself.
    public static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }

    /// As a BLOB of 16 bytes.
    public static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .deferredToUUID }

    /// Returns what a column stores for a value: by the strategies for dates, UUIDs and data.
    ///
    /// - Returns: nil when the strategy defers to the value, and for values of other types.
    /// - Throws: an error when the strategy can't encode the value.
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

    /// The same names.
    public static var databaseColumnEncodingStrategy: DatabaseColumnEncodingStrategy { .useDefaultKeys }

    /// The columns and values that the record writes.
    ///
    /// - Throws: the record's error, or that of a value that can't be stored.
    public var databaseDictionary: [String: DatabaseValue] {
        get throws {
            var container = PersistenceContainer()
            try encode(to: &container)
            try container.contents.checkFailures()
            return Dictionary(container.map { ($0, $1) }, uniquingKeysWith: { $1 })
        }
    }
}
