import RowDecoding

// MARK: - Queries

extension Database {
    /// Prints the rows of one or several statements.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpSQL("SELECT * FROM player")
    ///
    /// // ┌─────────┬───────┐
    /// // │  name   │ score │
    /// // ...
    /// try db.dumpSQL("SELECT name, score FROM player WHERE id = \(id)", format: .box())
    /// ```
    ///
    /// - Parameters:
    ///   - sql: the statements, separated by semicolons. Statements that return no rows run, too.
    ///   - format: the format of the rows.
    ///   - stream: the output; nil for the standard output.
    /// - Throws: ``DatabaseError``; the error of the format; the error of a ``FailableOutput``. Output that was printed before the error
    ///   stays.
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        let statements = try allStatements(literal: sql)
        try dumpStatements(statements.next, format: format, to: stream)
    }

    /// Prints the rows of the statements that a closure returns, until it returns nil.
    ///
    /// It is for programs that act between compiling and running the statements.
    package func dumpStatements(
        _ next: () throws -> Statement?, format: some DumpFormat, to stream: (any TextOutputStream)?
    ) throws {
        try dump(to: stream) { output in
            while let statement = try next() { try dump(statement, format: format, to: &output) }
        }
    }

    /// Prints the rows of one or several statements to a string or another stream. See ``dumpSQL(_:format:to:)-(_,_,TextOutputStream?)``.
    public func dumpSQL(_ sql: SQL, format: some DumpFormat = .debug(), to stream: inout some TextOutputStream) throws {
        try copyingBack(&stream) { try dumpSQL(sql, format: format, to: $0) }
    }

    /// Prints the rows of a request.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// try db.dumpRequest(Player.filter { $0.score > 400 })
    ///
    /// // 1|Reds
    /// //
    /// // players
    /// // 1|Arthur|500
    /// try db.dumpRequest(Team.including(all: Team.players))
    /// ```
    ///
    /// The rows of associations that the request prefetches follow under the keys of the associations. A format that writes SQL, such as
    /// ``InsertDumpFormat``, omits them, because it does not know their tables. The row adapters of the request are not applied to its own
    /// rows.
    ///
    /// - Parameters:
    ///   - request: a request.
    ///   - format: the format of the rows.
    ///   - stream: the output; nil for the standard output.
    /// - Throws: ``DatabaseError``; the error of the format; the error of a ``FailableOutput``.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream) { output in
            let prepared = try request.makePreparedRequest(self, forSingleResult: false)
            guard let prefetch = prepared.supplementaryFetch, !format.writesSQL else {
                _ = try dump(prepared.statement, format: format, to: &output)
                return
            }
            try inOneState {
                try dump(prepared.statement, format: format, to: &output)
                let rows = try Row.fetchAll(prepared.statement, adapter: prepared.adapter)
                try prefetch(self, rows)
                try dumpPrefetchedRows(of: rows, format: format, to: &output)
            }
        }
    }

    /// Prints the rows of a request to a string or another stream. See ``dumpRequest(_:format:to:)-(_,_,TextOutputStream?)``.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: inout some TextOutputStream
    ) throws {
        try copyingBack(&stream) { try dumpRequest(request, format: format, to: $0) }
    }

    // MARK: - Tables

    /// Prints the rows of tables and views.
    ///
    /// ```swift
    /// // player
    /// // 1|Arthur|500
    /// //
    /// // team
    /// // 1|Reds
    /// try db.dumpTables(["player", "team"])
    /// ```
    ///
    /// The SQL is `SELECT * FROM "player"`.
    ///
    /// - Parameters:
    ///   - tables: names of tables and views, regardless of case.
    ///   - format: the format of the rows.
    ///   - tableHeader: whether the rows of a table are printed below its name.
    ///   - stableOrder: whether rows are sorted by the primary key, or, for views, by all columns. If false, SQLite chooses the order.
    ///   - stream: the output; nil for the standard output.
    /// - Throws: ``DatabaseError``; the error of the format; the error of a ``FailableOutput``.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        try dump(to: stream) { output in
            let hasHeaders = !format.writesSQL && (tables.count > 1 || tableHeader == .always)
            try inOneState {
                for table in try format.writesSQL ? inOrderOfForeignKeys(tables) : tables {
                    if !format.writesSQL { output.margin() }
                    if hasHeaders { output.write(table.withVisibleControls + "\n") }
                    try dump(table: table, format: format, stableOrder: stableOrder, to: &output)
                }
            }
        }
    }

    /// Prints the rows of tables and views to a string or another stream.
    /// See ``dumpTables(_:format:tableHeader:stableOrder:to:)-(_,_,_,_,TextOutputStream?)``.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: inout some TextOutputStream
    ) throws {
        try copyingBack(&stream) {
            try dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: $0)
        }
    }

    /// Dumps the rows of a table or view, and returns their number.
    ///
    /// - Parameters:
    ///   - keepsRowIDs: whether SQL inserts the rows with their hidden row ids.
    ///   - hiddenColumns: hidden columns that SQL inserts, too.
    ///   - condition: SQL that is true for the rows to dump; nil for all of them.
    @discardableResult
    func dump(
        table: String, format: some DumpFormat, stableOrder: Bool, keepsRowIDs: Bool = false, hiddenColumns: [String] = [],
        condition: String? = nil, to output: inout DumpStream
    ) throws -> Int {
        var columns = "*"
        if format.writesSQL {
            var names = (try self.columns(in: table).filter { !$0.isGenerated }.map(\.name) + hiddenColumns).map(\.quotedDatabaseIdentifier)
            if keepsRowIDs {
                let key = try primaryKey(table)
                // If the row ID has no name, nothing in the database can refer to it.
                if key.rowIDColumn == nil, let name = key.rowIDName?.quotedDatabaseIdentifier { names.insert("\(name) AS \(name)", at: 0) }
            }
            columns = names.joined(separator: ", ")
        }
        var sql = "SELECT \(columns) FROM \(table.quotedDatabaseIdentifier)"
        if let condition { sql += " WHERE \(condition)" }
        if stableOrder { sql += try " ORDER BY " + order(of: table) }
        return try dump(makeStatement(sql: sql), table: table, format: format, to: &output)
    }

    private func order(of table: String) throws -> String {
        if try tableExists(table) {
            return try primaryKey(table).columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        }
        return try columns(in: table).indices.map { "\($0 + 1)" }.joined(separator: ", ")
    }

    /// The tables, each after the tables that its foreign keys refer to. Tables in a circle are ordered by name.
    func inOrderOfForeignKeys(_ tables: [String]) throws -> [String] {
        let names = Set(tables.map(SchemaName.init))
        var visited: Set<SchemaName> = []
        var ordered: [String] = []
        func visit(_ table: SchemaName) throws {
            // The name is spelled as in the list.
            guard let index = names.firstIndex(of: table), visited.insert(table).inserted else { return }
            let table = names[index].text
            for foreignKey in try foreignKeys(on: table) { try visit(SchemaName(foreignKey.destinationTable)) }
            ordered.append(table)
        }
        for table in tables { try visit(SchemaName(table)) }
        return ordered
    }

    // MARK: - The database

    /// Prints the SQL that has created the tables, indexes, triggers and views.
    ///
    /// ```swift
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    /// // CREATE INDEX player_on_name ON player(name);
    /// try db.dumpSchema()
    /// ```
    ///
    /// Tables are sorted by name. Each is followed by its indexes and triggers; views come last. Internal tables of SQLite, of Strata and
    /// of virtual tables are omitted.
    ///
    /// - Parameter stream: the output; nil for the standard output.
    /// - Throws: ``DatabaseError``; the error of a ``FailableOutput``.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try dump(to: stream) { output in
            for object in try schemaObjects() { output.write(object.statement) }
        }
    }

    /// Prints the SQL of the schema to a string or another stream. See ``dumpSchema(to:)-(TextOutputStream?)``.
    public func dumpSchema(to stream: inout some TextOutputStream) throws {
        try copyingBack(&stream) { try dumpSchema(to: $0) }
    }

    /// Prints the schema, and the rows of all tables.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    /// //
    /// // player
    /// // 1|Arthur
    /// try db.dumpContent()
    /// ```
    ///
    /// Tables are sorted by name, their rows by primary key. Internal tables are omitted, as in ``dumpSchema(to:)-(TextOutputStream?)``. In
    /// a format that writes SQL, such as ``InsertDumpFormat``, the output is a script that recreates the database, with the contents of
    /// virtual tables and of Strata's own tables, the sequences of `AUTOINCREMENT`, the statistics of `ANALYZE`, `user_version` and
    /// `application_id`. All rows keep their row ids, by which full-text and R*Tree indexes refer to them. Only a table whose columns hide
    /// all three names of the row ID gets new row IDs; nothing in the database can refer to them.
    ///
    /// The script creates the whole database or nothing: it rolls back if a statement has failed, even in SQLite's shell, which continues
    /// after errors. It fails in a database that has objects with the same names. ``load(sql:)`` restores it.
    ///
    /// The content of full-text and R*Tree tables is restored by rows of these tables, and indexes of external content by the command
    /// `rebuild`. Where that is not possible, as for contentless full-text tables, the script writes to shadow tables. Only ``load(sql:)``
    /// can run such a script on a connection in defensive mode, the default on Apple platforms; a comment at its beginning says so.
    ///
    /// The output is one state of the database.
    ///
    /// - Parameters:
    ///   - format: the format of the rows.
    ///   - stream: the output; nil for the standard output.
    /// - Throws: ``DatabaseError``; the error of the format; the error of a ``FailableOutput``.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
        try dump(to: stream) { output in
            try inOneState {
                if format.writesSQL { return try dumpScript(format: format, to: &output) }
                let objects = try schemaObjects()
                output.write("sqlite_master\n")
                for object in objects { output.write(object.statement) }
                for object in objects where object.type == "table" {
                    output.margin()
                    output.write(object.name.withVisibleControls + "\n")
                    try dump(table: object.name, format: format, stableOrder: true, to: &output)
                }
            }
        }
    }

    /// Prints the schema and the rows of all tables to a string or another stream.
    /// See ``dumpContent(format:to:)-(_,TextOutputStream?)``.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: inout some TextOutputStream) throws {
        try copyingBack(&stream) { try dumpContent(format: format, to: $0) }
    }

    /// Runs the closure in a transaction, so that all of its queries see one state of the database.
    func inOneState(_ body: () throws -> Void) throws {
        if isInsideTransaction { return try body() }
        try inTransaction(.deferred) {
            try body()
            return .commit
        }
    }

    // MARK: - Output

    /// Dumps the rows of a statement, and returns their number.
    @discardableResult
    func dump(
        _ statement: Statement, table: String? = nil, format: some DumpFormat, to output: inout DumpStream
    ) throws -> Int {
        defer { statement.reset() }
        var count = 0
        var format = format
        try format.prepare(self, statement: statement, table: table, to: &output)
        while try statement.step() {
            try format.writeRow(self, statement: statement, to: &output)
            try output.check()
            count += 1
        }
        try format.finalize(self, statement: statement, to: &output)
        return count
    }

    /// Calls the closure with an output that writes to the stream, and flushes it, even if the closure throws.
    private func dump(to stream: (any TextOutputStream)?, _ body: (inout DumpStream) throws -> Void) throws {
        var output = DumpStream(stream ?? PrintingOutput())
        let result = Result { try body(&output) }
        output.flush()
        // An error of writing comes first: it may have caused the other error.
        try output.check()
        try result.get()
    }

    /// Calls the closure with a stream that writes to a copy, and assigns the copy.
    private func copyingBack<Stream: TextOutputStream>(_ stream: inout Stream, _ body: (Box<Stream>) throws -> Void) rethrows {
        let box = Box(stream)
        defer { stream = box.stream }
        try body(box)
    }
}

private final class Box<Stream: TextOutputStream>: FailableOutput {
    var stream: Stream

    init(_ stream: Stream) {
        self.stream = stream
    }

    var error: (any Error)? { (stream as? any FailableOutput)?.error }

    func write(_ string: String) {
        stream.write(string)
    }
}
