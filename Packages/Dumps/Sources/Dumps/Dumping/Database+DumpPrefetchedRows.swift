import RowDecoding

extension Database {
    /// Dumps the rows that were prefetched for other rows, and the rows prefetched for these rows, each association under its key.
    func dumpPrefetchedRows(of rows: [Row], format: some DumpFormat, to output: inout DumpStream) throws {
        let keys = rows.reduce(into: Set<String>()) { $0.formUnion($1.prefetchedRows.keys) }
        for key in keys.sorted() {
            let prefetched = rows.flatMap { $0.prefetchedRows[key] ?? [] }
            output.margin()
            output.write(key.withVisibleControls + "\n")
            try dump(prefetched, format: format, to: &output)
            try dumpPrefetchedRows(of: prefetched, format: format, to: &output)
        }
    }

    /// Dumps rows that have left their statement.
    ///
    /// Formats read rows from statements: a statement that returns its own arguments provides each row.
    private func dump(_ rows: [Row], format: some DumpFormat, to output: inout DumpStream) throws {
        guard let first = rows.first else { return }
        let columns = first.map { "? AS \($0.0.quotedDatabaseIdentifier)" }
        let statement = try makeStatement(sql: "SELECT \(columns.joined(separator: ", "))")
        var format = format
        try format.prepare(self, statement: statement, table: nil, to: &output)
        for row in rows {
            try statement.setArguments(StatementArguments(row.databaseValues))
            defer { statement.reset() }
            guard try statement.step() else { continue }
            try format.writeRow(self, statement: statement, to: &output)
            try output.check()
        }
        try format.finalize(self, statement: statement, to: &output)
    }
}
