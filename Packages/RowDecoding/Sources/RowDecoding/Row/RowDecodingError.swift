import Foundation
import ValueConversion

/// An error thrown when a column is missing, or when its value can't be converted to the requested type.
///
/// ```swift
/// do {
///     let score = try row.decode(Int.self, forKey: "score")
/// } catch let error as RowDecodingError {
///     print(error)
///     // could not decode Int from column 1 "score": its value is 'a lot'
///     // - row: [name:'Arthur' score:'a lot'] - SQL: `SELECT …`
/// }
/// ```
public struct RowDecodingError: Error, Sendable {
    /// The name of the requested column, scope or association; nil when an index is out of range.
    public let column: String?

    /// The index of the column, as requested or as found by name; nil when no column has the name.
    public let columnIndex: Int?

    /// The names of the scopes, and the keys of the prefetched associations, that lead from a row of the query to the row that was decoded.
    /// Empty for a row of the query itself.
    public let scopes: [String]

    /// The value that could not be decoded; nil for a missing column.
    public let value: DatabaseValue?

    /// The name of the requested type.
    public let typeName: String

    /// A description of the row.
    public let rowDescription: String

    /// The SQL of the query; nil for a row created from values.
    public let sql: String?

    /// The arguments of the query; nil for a row created from values.
    ///
    /// For copied rows, they are present only when ``Configuration/publicStatementArguments`` is set.
    public let arguments: StatementArguments?

    private let publicStatementArguments: Bool

    private let reason: String

    /// Creates the error for a value that can't be converted.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - column: the name of its column.
    ///   - index: the index of its column; looked up by name when nil.
    ///   - type: the requested type.
    ///   - row: the row.
    package init(_ value: DatabaseValue, column: String?, index: Int?, type: Any.Type, row: Row) {
        let reason = value.isNull ? "its value is NULL" : "its value is \(Self.excerpt(of: value))"
        self.init(
            value: value, column: column, index: index ?? column.flatMap { row.index(ofColumn: $0) }, type: type, row: row,
            reason: reason)
    }

    /// Creates the error for a missing column.
    ///
    /// - Parameters:
    ///   - column: the name that no column has.
    ///   - type: the requested type.
    ///   - row: the row.
    package init(missingColumn column: String, type: Any.Type, row: Row) {
        self.init(value: nil, column: column, index: nil, type: type, row: row, reason: "there is no such column")
    }

    init(indexOutOfRange index: Int, type: Any.Type, row: Row) {
        let count = row.count
        self.init(
            value: nil, column: nil, index: index, type: type, row: row,
            reason: "the row has \(count) column\(count == 1 ? "" : "s")")
    }

    @usableFromInline
    init(missingScope scope: String, type: Any.Type, row: Row) {
        self.init(
            value: nil, column: scope, index: nil, type: type, row: row,
            reason: "there is no such scope; \(Self.list(row.scopesTree.names, "scopes"))")
    }

    @usableFromInline
    init(missingPrefetchedRows key: String, type: Any.Type, row: Row) {
        self.init(
            value: nil, column: key, index: nil, type: type, row: row,
            reason: "no rows were prefetched for this key; \(Self.list(row.prefetchedRows.keys, "prefetched rows"))")
    }

    private init(value: DatabaseValue?, column: String?, index: Int?, type: Any.Type, row: Row, reason: String) {
        self.value = value
        self.column = column
        columnIndex = index
        scopes = row.path
        typeName = "\(type)"
        rowDescription = Self.excerpt(of: row)
        let origin = row.origin
        sql = origin?.sql
        arguments = origin?.arguments
        publicStatementArguments = origin?.publicArguments ?? false
        self.reason = reason
    }

    private static func list(_ names: Set<String>, _ kind: String) -> String {
        names.isEmpty ? "the row has no \(kind)" : "the row has: \(names.sorted().joined(separator: ", "))"
    }

    // Descriptions are shortened, because long texts, large blobs and many columns would hide the rest of the message.

    private static let excerptLength = 500

    private static func excerpt(of value: DatabaseValue) -> String {
        switch value.storage {
        case .string(let text) where text.utf8.count > excerptLength:
            return String(text.prefix(excerptLength)).databaseValue.description + "…"
        case .blob(let data) where data.count > excerptLength / 2:
            return Data(data.prefix(excerptLength / 2)).databaseValue.description + "…"
        default:
            return value.description
        }
    }

    private static func excerpt(of row: Row) -> String {
        var text = "["
        for (index, name) in row.columnNames.enumerated() {
            if text.utf8.count > 2 * excerptLength { return text + " …]" }
            if index > 0 { text += " " }
            text += "\(name):\(excerpt(of: row.databaseValue(atBase: row.baseIndex(at: index))))"
        }
        return text + "]"
    }
}

extension RowDecodingError: CustomStringConvertible {
    /// The error in one line: the type, the column, the scopes, the value, the row, the SQL, and the arguments when they are public.
    public var description: String {
        var text = "could not decode \(typeName)"
        switch (columnIndex, column) {
        case (let index?, let column?): text += " from column \(index) \"\(column)\""
        case (let index?, nil): text += " from column \(index)"
        case (nil, let column?): text += " from \"\(column)\""
        case (nil, nil): break
        }
        if !scopes.isEmpty { text += " of \"\(scopes.joined(separator: "."))\"" }
        text += ": \(reason) - row: \(rowDescription)"
        if let sql { text += " - SQL: `\(sql)`" }
        if publicStatementArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
        return text
    }
}
