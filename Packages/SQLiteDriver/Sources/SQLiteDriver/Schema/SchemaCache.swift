import CSQLiteShims

/// What a connection has read from its schema. It is cleared when the schema changes.
struct SchemaCache {
    struct TableID: Hashable {
        let schema: SchemaName?
        let name: SchemaName

        init(_ name: String, in schema: String?) {
            self.schema = schema.map { SchemaName($0) }
            self.name = SchemaName(name)
        }
    }

    /// The `schema_version` of each database file when the cache was filled.
    var versions: [Int64] = []

    /// The names of the database files; nil if they must be read again.
    var schemaNames: [String]?

    var columns: [TableID: [ColumnInfo]] = [:]
    /// The primary keys, or nil for views whose key is unknown.
    var primaryKeys: [TableID: PrimaryKeyInfo?] = [:]
    var views: [TableID: Bool] = [:]
    var indexes: [TableID: [IndexInfo]] = [:]
    var foreignKeys: [TableID: [ForeignKeyInfo]] = [:]

    /// By table: what its content depends on.
    var dependencies: [DatabaseRegion.TableID: Database.TableDependency] = [:]

    /// By table: what SQLite does not report about its changes.
    var silences: [DatabaseRegion.TableID: TableSilence] = [:]

    mutating func removeAll() {
        self = SchemaCache()
    }
}

extension Database {
    /// Returns a number that changes whenever the schema changes.
    ///
    /// Code that caches something about the schema stores this number with it, and compares the two. Inside a transaction, the
    /// first call reads the schema version from the file; outside transactions each call does, since another process may change the
    /// schema.
    ///
    /// The SQL is `PRAGMA schema_version`.
    ///
    /// - Throws: ``DatabaseError``.
    @inlinable
    public func schemaGeneration() throws -> Int {
        if !state.pointee.isSchemaVerified {
            try verifySchema()
        }
        return state.pointee.schemaGeneration
    }

    /// Clears the schema cache.
    ///
    /// This is rarely necessary: the connection detects schema changes, even by other connections and processes.
    public func clearSchemaCache() {
        checkAccess()
        schemaDidChange()
    }

    func schemaDidChange() {
        schemaCache.removeAll()
        state.pointee.schemaGeneration &+= 1
        state.pointee.isSchemaVerified = false
        beginQuietPeriod()
    }

    /// Makes SQLite compile all statements again, if a name may mean another table than before.
    ///
    /// A name without that of its database means the first table of that name: in the main database, and then in attached ones. SQLite
    /// compiles a statement again when the schema of a database that it uses has changed, and so does not notice a new table in a database
    /// before that one. It does notice changes of the temporary schema, and `DETACH`.
    ///
    /// Source: <https://www.sqlite.org/lang_naming.html>
    func resolveNamesAnew() {
        guard let handle = sqliteConnection else { return }
        var list: SQLiteStatement?
        defer { sqlite3_finalize(list) }
        guard sqlite3_prepare_v2(handle, "PRAGMA database_list", -1, &list, nil) == SQLITE_OK else { return }
        // The main database is 0, and the temporary one 1.
        while sqlite3_step(list) == SQLITE_ROW {
            // Setting the authorizer expires all statements.
            if sqlite3_column_int(list, 0) > 1 { return authorizer.install(on: handle) }
        }
    }

    @inline(never)
    @usableFromInline
    func verifySchema() throws {
        if !isInsideTransaction { _ = try renewEngineSchema() }
        try withInternalStatements { try readSchemaVersions() }
    }

    private func readSchemaVersions() throws {
        var names = schemaCache.schemaNames ?? []
        if names.isEmpty {
            let list = try cachedStatement(sql: "PRAGMA database_list")
            defer { list.reset() }
            while try list.step() {
                // The schema `temp` belongs to this connection alone.
                if let name = list.string(at: 1), name != "temp" { names.append(name) }
            }
        }
        let versions = try names.map { name in
            let statement = try cachedStatement(sql: "PRAGMA \(name.quotedDatabaseIdentifier).schema_version")
            defer { statement.reset() }
            return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
        }
        if versions != schemaCache.versions {
            // Changes by this connection were handled when they were made.
            let isChangeOfOthers = !schemaCache.versions.isEmpty
            schemaDidChange()
            if isChangeOfOthers { resolveNamesAnew() }
            schemaCache.versions = versions
            // SQLite checks for a schema change when a statement runs, and not when it is compiled. Statements compiled from now on
            // must fit the schema whose version was just read.
            do {
                for name in names { try SQLScript.readSchemaAgain(self, schema: name) }
            } catch {
                schemaCache.versions = []
                throw error
            }
        }
        schemaCache.schemaNames = names
        // No other connection can change the schema that a transaction sees.
        state.pointee.isSchemaVerified = isInsideTransaction
    }
}

extension String {
    /// The text as an SQL identifier: `"player"`, with double quotes inside it doubled.
    public var quotedDatabaseIdentifier: String {
        let quote = UInt8(ascii: "\"")
        guard utf8.contains(quote) else { return "\"" + self + "\"" }
        // This works on bytes: a quote with a combining mark is part of another `Character`.
        let bytes = utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
