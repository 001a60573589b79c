import RowDecoding

extension DatabaseReader {
    /// Prints the rows of one or several statements. See ``Database/dumpSQL(_:format:to:)-(_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try queue.dumpSQL("SELECT * FROM player")
    /// ```
    public func dumpSQL(
        _ sql: SQL, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in try db.dumpSQL(sql, format: format, to: stream) }
    }

    /// Prints the rows of one or several statements to a string or another stream.
    public func dumpSQL(_ sql: SQL, format: some DumpFormat = .debug(), to stream: inout some TextOutputStream) throws {
        try unsafeReentrantRead { db in try db.dumpSQL(sql, format: format, to: &stream) }
    }

    /// Prints the rows of a request. See ``Database/dumpRequest(_:format:to:)-(_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try queue.dumpRequest(Player.order(\.name), format: .box())
    /// ```
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in try db.dumpRequest(request, format: format, to: stream) }
    }

    /// Prints the rows of a request to a string or another stream.
    public func dumpRequest(
        _ request: some FetchRequest, format: some DumpFormat = .debug(), to stream: inout some TextOutputStream
    ) throws {
        try unsafeReentrantRead { db in try db.dumpRequest(request, format: format, to: &stream) }
    }

    /// Prints the rows of tables and views. See
    /// ``Database/dumpTables(_:format:tableHeader:stableOrder:to:)-(_,_,_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try queue.dumpTables(["player", "team"])
    /// ```
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: (any TextOutputStream)? = nil
    ) throws {
        try unsafeReentrantRead { db in
            try db.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: stream)
        }
    }

    /// Prints the rows of tables and views to a string or another stream.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, to stream: inout some TextOutputStream
    ) throws {
        try unsafeReentrantRead { db in
            try db.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: &stream)
        }
    }

    /// Prints the schema, and the rows of all tables. See ``Database/dumpContent(format:to:)-(_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try queue.dumpContent()
    /// ```
    public func dumpContent(format: some DumpFormat = .debug(), to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { db in try db.dumpContent(format: format, to: stream) }
    }

    /// Prints the schema and the rows of all tables to a string or another stream.
    public func dumpContent(format: some DumpFormat = .debug(), to stream: inout some TextOutputStream) throws {
        try unsafeReentrantRead { db in try db.dumpContent(format: format, to: &stream) }
    }

    /// Prints the SQL that has created the tables, indexes, triggers and views. See ``Database/dumpSchema(to:)-(TextOutputStream?)``.
    ///
    /// ```swift
    /// try queue.dumpSchema()
    /// ```
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        try unsafeReentrantRead { db in try db.dumpSchema(to: stream) }
    }

    /// Prints the SQL of the schema to a string or another stream.
    public func dumpSchema(to stream: inout some TextOutputStream) throws {
        try unsafeReentrantRead { db in try db.dumpSchema(to: &stream) }
    }
}
