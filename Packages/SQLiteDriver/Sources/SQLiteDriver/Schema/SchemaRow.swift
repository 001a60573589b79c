import CSQLiteShims

/// A row of a schema table.
///
/// Source: <https://www.sqlite.org/schematab.html>
package struct SchemaRow {
    package let rowID: Int64
    /// `table`, `index`, `view` or `trigger`.
    package let type: String
    package let object: DatabaseObjectID
    /// The name of the object's table.
    package let table: String
    package let rootPage: Int64?
    package let sql: String?
    /// The tables that the foreign keys of a table refer to.
    package fileprivate(set) var parents: [String] = []
}

extension Database {
    /// Reads the rows of a schema table that come after a row.
    package func schemaRows(of schemaID: DatabaseSchemaID, after rowID: Int64 = 0) throws -> [SchemaRow] {
        let query = InternalQuery(
            "SELECT rowid, type, name, tbl_name, rootpage, sql FROM \(schemaID.schemaTableName) WHERE rowid > ?", [rowID], cached: true)
        var rows = try query.values(in: self) { row in
            SchemaRow(
                rowID: row.int64(at: 0) ?? 0, type: row.string(at: 1) ?? "",
                object: DatabaseObjectID(name: row.string(at: 2) ?? "", schemaID: schemaID), table: row.string(at: 3) ?? "",
                rootPage: row.int64(at: 4), sql: row.string(at: 5))
        }
        // No foreign key is declared without this keyword, and SQLite keeps the declarations up to date. It would compile the query for each
        // table after each change of the schema. Programs can replace the operator LIKE, but not its function.
        for index in rows.indices where rows[index].type == "table" && sqlite3_strlike("%references%", rows[index].sql ?? "", 0) == 0 {
            let query = InternalQuery(
                "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?, ?)", [rows[index].object.name, schemaID.name], cached: true)
            rows[index].parents = try query.values(in: self) { $0.string(at: 0) ?? "" }
        }
        return rows
    }
}
