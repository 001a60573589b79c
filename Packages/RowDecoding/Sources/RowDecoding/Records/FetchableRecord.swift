import Foundation
import ValueConversion

/// A type that can be decoded from a database row.
///
/// ```swift
/// struct Player: FetchableRecord {
///     var id: Int64
///     var name: String
///     var score: Int
///
///     init(row: Row) throws {
///         id = try row.decode(forKey: "id")
///         name = try row.decode(forKey: "name")
///         score = try row.decode(forKey: "score")
///     }
/// }
///
/// let players = try Player.fetchAll(db, sql: "SELECT * FROM player")
/// ```
///
/// `decode` throws when the column is missing, or when its value can't be converted to the property's type; the fetch then throws the same
/// error. The subscripts, such as `row["id"]`, stop the program instead: use them only for columns that certainly exist.
///
/// With CodableSupport, `Decodable` types need no initializer. Import CodableSupport to see the initializer that it provides.
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// - Parameter row: a row that is valid until the initializer returns. To keep it, copy it: `row.copy()`.
    /// - Throws: any error. The fetch throws the same error.
    init(row: Row) throws

    /// The type of the values in ``databaseDecodingUserInfo``, inferred from that property.
    associatedtype DatabaseDecodingUserInfoValue = any Sendable

    /// The `userInfo` dictionary of the decoders of `Decodable` records. Empty by default.
    ///
    /// ```swift
    /// struct Player: Decodable, FetchableRecord {
    ///     var name: String
    ///     static let databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] =
    ///         [CodingUserInfoKey(rawValue: "locale")!: "fr"]
    /// }
    /// ```
    ///
    /// The values may have any type, such as `Any` or `String`. The values of a `static let` must be `Sendable`.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: DatabaseDecodingUserInfoValue] { get }

    /// Creates the decoder for a column that holds JSON, for `Decodable` records.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// Returns how `Decodable` records decode data from a column. By default, as it is stored.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// Returns how `Decodable` records decode dates from a column. By default, as `Date` decodes itself.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// How `Decodable` records convert column names to coding keys. By default, the names are the same.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord where DatabaseDecodingUserInfoValue == any Sendable {
    /// An empty dictionary.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }
}

extension FetchableRecord {
    /// Creates a decoder that reads dates as milliseconds since 1970, and data as Base64.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = DatabaseValue.databaseJSONDecoder()
        // `Any` and `any Sendable` are one type at run time, so that this cast does not fail. The decoder stays in its task.
        decoder.userInfo = databaseDecodingUserInfo as Any as? [CodingUserInfoKey: any Sendable] ?? [:]
        return decoder
    }

    /// Returns the default strategy: data is decoded as it is stored.
    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy { .deferredToData }

    /// Returns the default strategy: dates are decoded as `Date` decodes itself.
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .deferredToDate }

    /// The default strategy: coding keys have the names of the columns.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }
}
