/// The affinity of a column, which decides how SQLite converts values before it stores them.
///
/// Source: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
package enum ColumnAffinity: Sendable {
    /// Integers stay integers, and strings that look like integers become integers.
    case integer
    /// Numbers become strings.
    case text
    /// Values stay as they are.
    case blob
    /// Numbers, and strings that look like numbers, become reals.
    case real
    /// Strings that look like numbers become numbers.
    case numeric

    /// Returns the affinity of a column.
    ///
    /// - Parameters:
    ///   - type: the declared type of the column; empty if there is none.
    ///   - isStrict: whether the table is `STRICT`.
    package init(_ type: String, isStrict: Bool) {
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
    /// Returns whether a table is `STRICT`. SQLite before 3.37 has no such tables.
    ///
    /// The SQL is `PRAGMA table_list`.
    ///
    /// Source: <https://www.sqlite.org/stricttables.html>
    ///
    /// - Parameters:
    ///   - name: the name of a table.
    ///   - schema: "main", "temp", or the name of an attached database.
    /// - Throws: ``DatabaseError``.
    package func isStrictTable(_ name: String, in schema: String) throws -> Bool {
        let query = InternalQuery("PRAGMA \(schema.quotedDatabaseIdentifier).table_list(\(name.quotedDatabaseIdentifier))")
        return try query.first(in: self) { $0.compiledColumnCount > 5 && $0.int64(at: 5) == 1 } ?? false
    }
}
