/// The affinity of a column: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
///
/// For packages that decide as SQLite does which values a column keeps.
public enum _ColumnAffinity: Sendable {
    case integer, text, blob, real, numeric

    /// - Parameters:
    ///   - type: the declared type of the column.
    ///   - isStrict: whether the table is `STRICT`.
    public init(_ type: String, isStrict: Bool) {
        let type = type.uppercased()
        self =
            if isStrict, type == "ANY" {
                .blob
            } else if type.contains("INT") {
                .integer
            } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
                .text
            } else if type.contains("BLOB") || type.isEmpty {
                .blob
            } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
                .real
            } else {
                .numeric
            }
    }
}

extension Database {
    /// Returns whether a table is `STRICT`. SQLite before 3.37 does not know such tables.
    public func _isStrict(_ name: String, in schema: String) throws -> Bool {
        let statement = try makeStatement(sql: "PRAGMA \(schema.quotedDatabaseIdentifier).table_list(\(name.quotedDatabaseIdentifier))")
        defer { statement.reset() }
        return try statement.step() && statement.columnCount > 5 && statement.int64(at: 5) == 1
    }
}
