import RowDecoding

extension Database {
    /// Writes the rows of tables and views to a file. See ``dumpTables(_:format:tableHeader:stableOrder:to:)-(_,_,_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try db.dumpTables(["player"], format: .csv(), toFile: path)
    /// ```
    ///
    /// The output is written to a hidden file in the same folder, with the permissions of the file that it replaces or, if there is none, of
    /// the database's file. Once all of it is on the disk, the hidden file gets the name. After an error, for example on a full disk, the
    /// previous file is unchanged, and no other file remains; a process that is killed can leave the hidden file. Pipes and devices are
    /// written to directly.
    ///
    /// - Parameters:
    ///   - tables: names of tables and views, regardless of case.
    ///   - format: the format of the rows.
    ///   - tableHeader: whether the rows of a table are printed below its name.
    ///   - stableOrder: whether rows are sorted by the primary key, or, for views, by all columns.
    ///   - path: the path of a file, which must not belong to a database.
    /// - Throws: ``DatabaseError``; the error of the format; the error of the file system.
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, toFile path: String
    ) throws {
        try DumpedFile(path).write(like: self) { output in
            try dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, to: output)
        }
    }

    /// Writes the rows of one or several statements to a file. See ``dumpSQL(_:format:to:)-(_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try db.dumpSQL("SELECT id, name FROM player", format: .csv(), toFile: path)
    /// ```
    ///
    /// The file is written as by ``dumpTables(_:format:tableHeader:stableOrder:toFile:)``.
    ///
    /// - Parameters:
    ///   - sql: the statements, separated by semicolons.
    ///   - format: the format of the rows.
    ///   - path: the path of a file.
    /// - Throws: ``DatabaseError``; the error of the format; the error of the file system.
    public func dumpSQL(_ sql: SQL, format: some DumpFormat = .debug(), toFile path: String) throws {
        try DumpedFile(path).write(like: self) { output in try dumpSQL(sql, format: format, to: output) }
    }

    /// Writes the rows of a request to a file. See ``dumpRequest(_:format:to:)-(_,_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try db.dumpRequest(Player.order(\.name), format: .csv(), toFile: path)
    /// ```
    ///
    /// The file is written as by ``dumpTables(_:format:tableHeader:stableOrder:toFile:)``.
    ///
    /// - Parameters:
    ///   - request: a request.
    ///   - format: the format of the rows.
    ///   - path: the path of a file.
    /// - Throws: ``DatabaseError``; the error of the format; the error of the file system.
    public func dumpRequest(_ request: some FetchRequest, format: some DumpFormat = .debug(), toFile path: String) throws {
        try DumpedFile(path).write(like: self) { output in try dumpRequest(request, format: format, to: output) }
    }

    /// Writes the schema and the rows of all tables to a file. See ``dumpContent(format:to:)-(_,TextOutputStream?)``.
    ///
    /// ```swift
    /// try db.dumpContent(format: .insert(), toFile: path)
    /// ```
    ///
    /// The file is written as by ``dumpTables(_:format:tableHeader:stableOrder:toFile:)``.
    ///
    /// - Parameters:
    ///   - format: the format of the rows.
    ///   - path: the path of a file.
    /// - Throws: ``DatabaseError``; the error of the format; the error of the file system.
    public func dumpContent(format: some DumpFormat = .debug(), toFile path: String) throws {
        try DumpedFile(path).write(like: self) { output in try dumpContent(format: format, to: output) }
    }

    /// Writes the SQL of the schema to a file. See ``dumpSchema(to:)-(TextOutputStream?)``.
    ///
    /// ```swift
    /// try db.dumpSchema(toFile: path)
    /// ```
    ///
    /// The file is written as by ``dumpTables(_:format:tableHeader:stableOrder:toFile:)``.
    ///
    /// - Parameter path: the path of a file.
    /// - Throws: ``DatabaseError``; the error of the format; the error of the file system.
    public func dumpSchema(toFile path: String) throws {
        try DumpedFile(path).write(like: self) { output in try dumpSchema(to: output) }
    }
}

extension DatabaseReader {
    /// Writes the rows of tables and views to a file. See ``Database/dumpTables(_:format:tableHeader:stableOrder:toFile:)``.
    ///
    /// ```swift
    /// try queue.dumpTables(["player"], format: .csv(), toFile: path)
    /// ```
    public func dumpTables(
        _ tables: [String], format: some DumpFormat = .debug(), tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false, toFile path: String
    ) throws {
        try unsafeReentrantRead { db in
            try db.dumpTables(tables, format: format, tableHeader: tableHeader, stableOrder: stableOrder, toFile: path)
        }
    }

    /// Writes the rows of one or several statements to a file. See ``Database/dumpSQL(_:format:toFile:)``.
    ///
    /// ```swift
    /// try queue.dumpSQL("SELECT id, name FROM player", format: .csv(), toFile: path)
    /// ```
    public func dumpSQL(_ sql: SQL, format: some DumpFormat = .debug(), toFile path: String) throws {
        try unsafeReentrantRead { db in try db.dumpSQL(sql, format: format, toFile: path) }
    }

    /// Writes the rows of a request to a file. See ``Database/dumpRequest(_:format:toFile:)``.
    ///
    /// ```swift
    /// try queue.dumpRequest(Player.order(\.name), format: .csv(), toFile: path)
    /// ```
    public func dumpRequest(_ request: some FetchRequest, format: some DumpFormat = .debug(), toFile path: String) throws {
        try unsafeReentrantRead { db in try db.dumpRequest(request, format: format, toFile: path) }
    }

    /// Writes the schema and the rows of all tables to a file. See ``Database/dumpContent(format:toFile:)``.
    ///
    /// ```swift
    /// try queue.dumpContent(format: .insert(), toFile: path)
    /// ```
    public func dumpContent(format: some DumpFormat = .debug(), toFile path: String) throws {
        try unsafeReentrantRead { db in try db.dumpContent(format: format, toFile: path) }
    }

    /// Writes the SQL of the schema to a file. See ``Database/dumpSchema(toFile:)``.
    ///
    /// ```swift
    /// try queue.dumpSchema(toFile: path)
    /// ```
    public func dumpSchema(toFile path: String) throws {
        try unsafeReentrantRead { db in try db.dumpSchema(toFile: path) }
    }
}
