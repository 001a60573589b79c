import Foundation
import ValueConversion

/// A type that can be made from a database row.
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
/// `decode` throws for a column that is missing, or that has no value of the property's type, and so does the fetch. The subscripts,
/// `row["id"]`, stop the program instead: they are for columns of which the program is sure.
///
/// With CodableSupport, types that are `Decodable` need no initializer. A file that imports this layer alone does not see
/// that one.
public protocol FetchableRecord {
    /// Makes a record from a row.
    ///
    /// - Parameter row: valid until the initializer returns; `row.copy()` can be kept.
    /// - Throws: any error, which the fetch throws in turn.
    init(row: Row) throws

    /// What is given to the decoders of records that are `Decodable`. Empty by default.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { get }

    /// Makes the decoder of a column that holds JSON, for records that are `Decodable`.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// How binary data is read from a column, for records that are `Decodable`. As it is stored by default.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// How dates are read from a column, for records that are `Decodable`. As `Date` reads itself by default.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// How the names of coding keys follow from the names of columns, for records that are `Decodable`. They are the same by
    /// default.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// Nothing.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: any Sendable] { [:] }

    /// A decoder that reads dates as milliseconds since 1970, and binary data as Base64.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dataDecodingStrategy = .base64
        decoder.dateDecodingStrategy = .millisecondsSince1970
        decoder.nonConformingFloatDecodingStrategy = .throw
        decoder.userInfo = databaseDecodingUserInfo
        return decoder
    }

    /// As the data is stored.
    public static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy { .deferredToData }

    /// As `Date` reads itself.
    public static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .deferredToDate }

    /// The same names.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { .useDefaultKeys }
}
