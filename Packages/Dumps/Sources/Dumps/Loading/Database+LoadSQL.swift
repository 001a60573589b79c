extension Database {
    /// Restores a script that ``dumpContent(format:to:)`` has written.
    ///
    /// ```swift
    /// var script = ""
    /// try source.dumpContent(format: .insert(), to: &script)
    /// try copy.writeWithoutTransaction { db in try db.load(sql: script) }
    /// ```
    ///
    /// `execute(sql:)` also restores scripts, except scripts that write the shadow tables of virtual tables: their first lines say so. A
    /// connection in SQLite's defensive mode, the default on Apple platforms, refuses that with the error "table may not be modified". This
    /// method turns the mode off while the script runs. SQL that writes to shadow tables can damage the database, so load only scripts from
    /// a source that you trust.
    ///
    /// A script begins its own transaction, unless it was written by ``DumpFormat/insert(into:transaction:)`` with `transaction: false`, to
    /// run in another one.
    ///
    /// Source: <https://www.sqlite.org/c3ref/c_dbconfig_defensive.html>
    ///
    /// - Parameter script: the SQL.
    /// - Throws: ``DatabaseError``, for example if the database has objects of the same names, or lacks the module of a virtual table. A
    ///   script with a transaction then restores nothing.
    public func load(sql script: String) throws {
        try withoutDefensiveMode { try execute(sql: script) }
    }
}
