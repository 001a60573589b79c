import Foundation
import ValueConversion

/// An error thrown when a column is missing, or when its value can't be converted to the requested type.
///
/// ```swift
/// do {
///     let score = try row.decode(Int.self, forKey: "score")
/// } catch let error as RowDecodingError {
///     print(error)
///     // could not decode Int from column 1 "score": its value is TEXT
///     // - columns: [name score] - SQL: `SELECT …`
/// }
/// ```
///
/// The description shows values only if ``Configuration/publicStatementArguments`` is set, as they may be private:
///
///     could not decode Int from column 1 "score": its value is "a lot"
///     - row: [name:"Arthur" score:"a lot"] - SQL: `SELECT …`
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

    /// A description of the row, with its values.
    public let rowDescription: String

    /// The part of ``description`` that describes the row.
    package let rowText: String

    /// The SQL of the query; nil for a row created from values.
    public let sql: String?

    /// The arguments of the query; nil for a row created from values.
    ///
    /// For copied rows, they are present only when ``Configuration/publicStatementArguments`` is set.
    public let arguments: StatementArguments?

    private let publicStatementArguments: Bool

    /// The reason why no value was found, or why a conversion failed, if it is known.
    private let reason: String?

    /// Creates the error for a value that can't be converted.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - column: the name of its column.
    ///   - index: the index of its column; looked up by name when nil.
    ///   - type: the requested type.
    ///   - row: the row.
    ///   - hasReason: whether the error that this one is for has the reason.
    package init(_ value: DatabaseValue, column: String?, index: Int?, type: Any.Type, row: Row, hasReason: Bool = false) {
        self.init(
            value: value, column: column, index: index ?? column.flatMap { row.index(ofColumn: $0) }, type: type, row: row,
            reason: hasReason ? nil : ConversionFailure.reason(type, value, showsValues: row.showsValues))
    }

    /// Creates the error for a missing column.
    ///
    /// - Parameters:
    ///   - column: the name that no column has.
    ///   - type: the requested type.
    ///   - row: the row.
    package init(missingColumn column: String, type: Any.Type, row: Row) {
        self.init(missing: column, "there is no such column", noAssociations: "", type: type, row: row)
    }

    init(indexOutOfRange index: Int, type: Any.Type, row: Row) {
        self.init(
            value: nil, column: nil, index: index, type: type, row: row, reason: "the row has \(row.count.counted("column"))")
    }

    @usableFromInline
    init(missingScope scope: String, type: Any.Type, row: Row) {
        self.init(missing: scope, "there is no such scope", noAssociations: "; the row has no scopes", type: type, row: row)
    }

    @usableFromInline
    init(missingPrefetchedRows key: String, type: Any.Type, row: Row) {
        self.init(
            missing: key, "no rows were prefetched for this key", noAssociations: "; the row has no prefetched rows", type: type, row: row)
    }

    /// Creates the error for a name that the row lacks. It lists the names of all kinds, because they are easily confused: the key of an
    /// association is not the name of the property that declares it.
    private init(missing name: String, _ reason: String, noAssociations: String, type: Any.Type, row: Row) {
        self.init(
            value: nil, column: name, index: nil, type: type, row: row,
            reason: reason + (row.associationNames ?? noAssociations) + row.hint(for: name))
    }

    private init(value: DatabaseValue?, column: String?, index: Int?, type: Any.Type, row: Row, reason: String?) {
        self.value = value
        self.column = column
        columnIndex = index
        scopes = row.path
        typeName = "\(type)"
        rowDescription = row.excerpt
        rowText = row.errorDescription
        let origin = row.origin
        sql = origin?.sql
        arguments = origin?.arguments
        publicStatementArguments = origin?.publicArguments ?? false
        self.reason = reason
    }

    private var failure: String {
        guard let value else { return reason ?? "" }
        return "its value is \(publicStatementArguments ? value.excerpt : value.storageClassName)" + (reason.map { ": \($0)" } ?? "")
    }
}

/// Receives the reason why `fromDatabaseValue` returns nil. It can't throw, and only an error needs the reason: the conversion runs again
/// for it.
package final class ConversionFailure: Sendable {
    @TaskLocal package static var current: ConversionFailure?

    /// Whether the reason may contain the value.
    package let showsValues: Bool

    private let guardedReason = Guarded<String?>(nil)

    package var reason: String? {
        get { guardedReason.withLock { $0 } }
        set { guardedReason.withLock { $0 = newValue } }
    }

    private init(showsValues: Bool) { self.showsValues = showsValues }

    /// Returns why a value can't be converted to a type; nil if the type does not say.
    fileprivate static func reason(_ type: Any.Type, _ value: DatabaseValue, showsValues: Bool) -> String? {
        guard let type = type as? any DatabaseValueConvertible.Type, !value.isNull else { return nil }
        let failure = ConversionFailure(showsValues: showsValues)
        _ = $current.withValue(failure) { type.fromDatabaseValue(value) }
        return failure.reason
    }
}

// Descriptions in errors are shortened, because long strings and many columns would hide the rest of the message.

private let excerptLength = 500

extension DatabaseValue {
    fileprivate var excerpt: String {
        guard case .string(let text) = storage, text.utf8.count > excerptLength else { return description }
        return String(text.prefix(excerptLength)).databaseValue.description + "…"
    }
}

extension Row {
    /// The columns with their values, shortened.
    fileprivate var excerpt: String {
        list { "\(columnNames[$0]):\(databaseValue(atBase: baseIndex(at: $0)).excerpt)" }
    }

    /// The row in an error or in the message of a trap: its columns, with their values if ``Configuration/publicStatementArguments`` is
    /// set. The values of a row that was not fetched are private.
    package var errorDescription: String {
        showsValues ? "row: \(excerpt)" : "columns: \(list { columnNames[$0] })"
    }

    /// The names of the scopes and of the prefetched rows, for the error of a missing name: `; the row has the scope author and the
    /// prefetched rows books`. Nil if there are none.
    package var associationNames: String? {
        let (scopes, keys) = (scopesTree.names.sorted(), prefetchedRows.keys.sorted())
        var lists: [String] = []
        if !scopes.isEmpty { lists.append("the scope\(scopes.count == 1 ? "" : "s") \(scopes.joined(separator: ", "))") }
        if !keys.isEmpty { lists.append("the prefetched rows \(keys.joined(separator: ", "))") }
        return lists.isEmpty ? nil : "; the row has \(lists.joined(separator: " and "))"
    }

    /// The name that a missing name is most similar to, for its error: `; the most similar name is "books"`.
    package func hint(for name: String) -> String {
        let names = Array(columnNames) + scopesTree.names.sorted() + prefetchedRows.keys.sorted()
        return nearestName(to: name, among: names).map { "; the most similar name is \"\($0)\"" } ?? ""
    }

    /// Whether errors may show the values of the row.
    package var showsValues: Bool { origin?.publicArguments ?? false }

    private func list(_ item: (Int) -> String) -> String {
        var text = "["
        for index in columnNames.indices {
            if text.utf8.count > 2 * excerptLength { return text + " …]" }
            if index > 0 { text += " " }
            text += item(index)
        }
        return text + "]"
    }
}

extension RowDecodingError: CustomStringConvertible {
    /// The error in one line: the type, the column, the scopes, the storage class of its value, the names of the columns and the SQL. The
    /// values of the row and the arguments take their place, or follow, if ``Configuration/publicStatementArguments`` is set.
    public var description: String {
        var text = "could not decode \(typeName)"
        switch (columnIndex, column) {
        case (let index?, let column?): text += " from column \(index) \"\(column)\""
        case (let index?, nil): text += " from column \(index)"
        case (nil, let column?): text += " from \"\(column)\""
        case (nil, nil): break
        }
        if !scopes.isEmpty { text += " of \"\(scopes.joined(separator: "."))\"" }
        text += ": \(failure) - \(rowText)"
        if let sql { text += " - SQL: `\(sql)`" }
        if publicStatementArguments, let arguments, !arguments.isEmpty { text += " with arguments \(arguments)" }
        return text
    }
}
