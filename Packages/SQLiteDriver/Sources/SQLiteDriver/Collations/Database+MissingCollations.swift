extension Database {
    /// Returns the error of a statement that SQLite has just failed to compile. If the statement lacks a collation, the error names it.
    ///
    /// A table WITHOUT ROWID is stored in the index of its primary key. Without a collation of this index, SQLite can't read the table, and
    /// only reports "no query solution", which has other causes, too. Since 3.53, the index has the collations of all columns.
    func namingMissingCollation(_ error: DatabaseError) -> DatabaseError {
        guard error.message == "no query solution" else { return error }
        let effects = authorizer.effects
        let tables: [(name: String, schema: String?)] =
            Set(effects.writes.keys).union((effects.region.tables ?? [:]).keys).map { ($0.table.text, $0.schema.text) }
            + effects.unqualifiedTables.map { ($0.text, nil) }
        for table in tables.sorted(by: { $0.name < $1.name }) {
            guard let message = try? messageAboutCollations(of: table.name, in: table.schema) else { continue }
            return DatabaseError(
                code: .SQLITE_ERROR_MISSING_COLLSEQ, message: message, sql: error.sql,
                advice: "SQLite needs this collation to read the table \(table.name): add it in Configuration.prepareDatabase.")
        }
        return error
    }

    /// Returns SQLite's message about a collation that the index of a table WITHOUT ROWID needs and the connection lacks; nil if there is none.
    private func messageAboutCollations(of table: String, in schema: String?) throws -> String? {
        let query = InternalQuery(
            """
            SELECT DISTINCT x.coll FROM pragma_index_list(?1, ?2) AS i, pragma_index_xinfo(i.name, ?2) AS x
            WHERE i.origin = 'pk' AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(i.name, ?2) WHERE cid = -1)
            """, [table, schema])
        for collation in try query.values(in: self, { $0.string(at: 0) }) {
            // `PRAGMA collation_list` also lists collations that SQLite has only looked for.
            let sql = "SELECT '' ORDER BY 1 COLLATE \(collation.quotedDatabaseIdentifier)"
            do {
                _ = try withoutRecordingChanges { try makeStatement(sql: sql) }
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_ERROR_MISSING_COLLSEQ {
                return error.message
            }
        }
        return nil
    }
}
