import Foundation

/// A table that a load creates for the columns of a CSV file, or for the members of JSON objects.
///
/// ```swift
/// // CREATE TABLE "event" ("id" INTEGER PRIMARY KEY, "name" TEXT, "score" REAL)
/// try db.load(
///     .csv(.file(url)), into: "event",
///     options: LoadOptions(newTable: LoadedTable(primaryKey: ["id"])))
/// ```
///
/// The types of CSV are found in the file so that no digit is lost: a column is `INTEGER` or `REAL` only if the number in each field is
/// written in the one way in which it can be written again. `007`, `1e3`, `12.50` and integers of more than 64 bits make a column `TEXT`,
/// and so does a field in quotes. Integers and numbers with a fraction together are `NUMERIC` (`ANY` in a `STRICT` table), and blobs of
/// dumps, such as `X'00FF'`, make a column `BLOB`.
///
/// JSON has types: integers are `INTEGER`, and numbers with a fraction or an exponent are `REAL`, the nearest to their digits; strings,
/// arrays and objects are `TEXT`, also a string such as `"12"`; `true` and `false` are `BOOLEAN`. Both kinds of numbers are `NUMERIC`, and
/// integers of more than 64 bits are `TEXT`. The columns are the names of the members of all objects, in the order in which they first
/// occur. Names that differ only in case are one column.
///
/// A column without values is `TEXT`. All records of a file, a string or data are looked at. Other sources can be read only once: the columns
/// of JSON and the types are found in the first records that are inserted together, and later records that don't fit are errors.
public struct LoadedTable: Sendable {
    /// The columns of the primary key.
    public var primaryKey: [String]

    /// The types of columns, by their names, regardless of case: each is one type of SQLite, such as `DECIMAL(10, 2)`, without
    /// constraints. Others are found.
    public var types: [String: Database.ColumnType]

    /// Whether the table is `STRICT`.
    public var isStrict: Bool

    /// Creates the description of a table.
    ///
    /// - Parameters:
    ///   - primaryKey: the columns of the primary key. A single one of type `INTEGER` is the row id.
    ///   - types: the types of columns, by their names, regardless of case. Others are found. A load throws for what is not one type.
    ///   - strict: whether the table is `STRICT`, which needs SQLite 3.37.
    public init(primaryKey: [String] = [], types: [String: Database.ColumnType] = [:], strict: Bool = false) {
        self.primaryKey = primaryKey
        self.types = types
        isStrict = strict
    }

    /// SQL that creates the table.
    ///
    /// - Parameters:
    ///   - columns: the names of the columns, in the order of the fields.
    ///   - found: their types.
    ///   - conversions: how fields become values.
    /// - Throws: ``LoadError`` for a name that is not a column's, and for a type that is not one.
    func sql(
        name: String, columns: [String], found: [String: Database.ColumnType], conversions: [SchemaName: LoadedColumn]
    ) throws -> String {
        let known = Set(columns.map(SchemaName.init))
        for column in primaryKey + types.keys.sorted() where !known.contains(SchemaName(column)) {
            throw LoadError(line: 1, column: column, message: "the file has no such column")
        }
        for (column, type) in types.sorted(by: { $0.key < $1.key }) where try !isType(type) {
            throw LoadError(
                line: 1, column: column,
                message: "\(type.rawValue.debugDescription) is not a type\(isStrict ? " of STRICT tables" : "")",
                advice: isStrict ? "Use INTEGER, REAL, TEXT, BLOB or ANY." : "Use one type, such as TEXT or DECIMAL(10, 2).")
        }
        let types = types.byColumn
        let definitions = columns.map { column in
            let key = SchemaName(column)
            // A column with mixed types has no affinity.
            let converted = conversions[key].flatMap { $0.isAutomatic ? nil : strictType($0.type ?? .any) }
            let type = types[key] ?? converted ?? found[column] ?? .text
            let isKey = primaryKey.count == 1 && SchemaName(primaryKey[0]) == key
            let constraint = isKey ? (type == .integer ? " PRIMARY KEY" : " NOT NULL PRIMARY KEY") : ""
            // A column of the type ANY has another affinity in a table that is not STRICT.
            let typeName = type == .any && !isStrict || type.rawValue.isEmpty ? "" : " \(type.rawValue)"
            let isKeyColumn = primaryKey.count > 1 && primaryKey.contains { SchemaName($0) == key }
            return "\(column.quotedDatabaseIdentifier)\(typeName)\(constraint)\(isKeyColumn ? " NOT NULL" : "")"
        }
        let key =
            primaryKey.count > 1 ? ["PRIMARY KEY (\(primaryKey.map(\.quotedDatabaseIdentifier).joined(separator: ", ")))"] : []
        let list = (definitions + key).joined(separator: ", ")
        return "CREATE TABLE \(name.quotedDatabaseIdentifier) (\(list))\(isStrict ? " STRICT" : "")"
    }

    /// Whether SQLite reads all of a type as one: it reads it in a database of its own, where other SQL could do no harm.
    private func isType(_ type: Database.ColumnType) throws -> Bool {
        try DatabaseQueue().write { db in
            do {
                let sql = "CREATE TABLE \"t\" (\"a\" \(type.rawValue)\n)\(isStrict ? " STRICT" : "")"
                try db.makeStatement(sql: sql).execute()
                return try db.columns(in: "t").map(\.type) == [type.rawValue]
            } catch let error as DatabaseError where [.SQLITE_ERROR, .SQLITE_MISUSE].contains(error.resultCode) {
                return false
            }
        }
    }

    /// The type in a `STRICT` table, which has few.
    private func strictType(_ type: Database.ColumnType) -> Database.ColumnType {
        guard isStrict else { return type }
        switch type {
        case .uuid: return .blob
        case .datetime: return .text
        case .boolean: return .integer
        case .numeric: return .any
        default: return type
        }
    }
}

/// The names of the columns of a new table: the header's, with names for columns that have none, and numbers after names that occur twice.
func uniqueColumnNames(_ header: [String?]) -> [String?] {
    var used = Set(header.compactMap { $0 }.filter { !$0.isEmpty }.map(SchemaName.init))
    var seen: Set<SchemaName> = []
    return header.enumerated().map { index, name in
        guard let name else { return nil }
        if !name.isEmpty, seen.insert(SchemaName(name)).inserted { return name }
        let base = name.isEmpty ? "column" : "\(name)_"
        var number = name.isEmpty ? index + 1 : 2
        while !used.insert(SchemaName("\(base)\(number)")).inserted { number += 1 }
        return "\(base)\(number)"
    }
}
