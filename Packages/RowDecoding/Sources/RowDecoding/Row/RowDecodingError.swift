import ValueConversion

/// A column that is missing, or a value that has no conversion to the type that was asked for.
///
/// ```swift
/// do {
///     let score = try row.decode(Int.self, forKey: "score")
/// } catch let error as RowDecodingError {
///     print(error)
///     // could not decode Int from column "score": its value is 'a lot' - row: [name:'Arthur' score:'a lot']
/// }
/// ```
public struct RowDecodingError: Error, Sendable {
    /// The name of the column, or its index for an index that is out of range.
    public let column: String?

    /// The index of the column, if it exists.
    public let columnIndex: Int?

    /// The value that could not be decoded, nil for a missing column.
    public let value: DatabaseValue?

    /// The name of the type that was asked for.
    public let typeName: String

    /// The row, in words.
    public let rowDescription: String

    /// The SQL of the query, nil for a row that was copied.
    public let sql: String?

    /// The arguments of the query, nil for a row that was copied.
    public let arguments: StatementArguments?

    private let publicStatementArguments: Bool

    private let reason: String

    /// Makes the error of a value that has no conversion.
    public init(_ value: DatabaseValue, column: String?, index: Int?, type: Any.Type, row: Row) {
        let isNull = value.isNull
        self.init(
            value: value, column: column, index: index, type: type, row: row,
            reason: isNull ? "its value is NULL" : "its value is \(Self.excerpt(of: value))")
    }

    /// Makes the error of a missing column.
    public init(missingColumn column: String, type: Any.Type, row: Row) {
        self.init(value: nil, column: column, index: nil, type: type, row: row, reason: "there is no such column")
    }

    private init(value: DatabaseValue?, column: String?, index: Int?, type: Any.Type, row: Row, reason: String) {
        self.value = value
        self.column = column
        columnIndex = index
        typeName = "\(type)"
        rowDescription = Self.excerpt(of: row.description)
        let origin = row.origin
        sql = origin?.sql
        arguments = origin?.arguments
        publicStatementArguments = origin?.isPublic ?? false
        self.reason = reason
    }

    /// Long texts and blobs would hide the rest of the message.
    private static func excerpt(of value: DatabaseValue) -> String {
        excerpt(of: value.description)
    }

    private static func excerpt(of text: String) -> String {
        let limit = 1000
        return text.utf8.count > limit ? text.prefix(limit) + "…" : text
    }
}

extension RowDecodingError: CustomStringConvertible {
    /// The error in one line: the type, the column, the value, the row, the SQL, and the arguments when they are public.
    public var description: String {
        var text = "could not decode \(typeName)"
        if let column {
            text += " from column \(columnIndex.map { "\($0) " } ?? "")\"\(column)\""
        }
        text += ": \(reason) - row: \(rowDescription)"
        if let sql { text += " - SQL: `\(sql)`" }
        if publicStatementArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
        return text
    }
}
