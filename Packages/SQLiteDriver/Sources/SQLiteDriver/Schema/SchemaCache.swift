import CSQLiteShims

/// The parts of the schema that a connection has read. The cache is cleared when the schema changes.
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

    /// The constraints of earlier errors.
    var constraints = ConstraintCache()

    /// By table: what its content depends on.
    var dependencies: [DatabaseRegion.TableID: Database.TableDependency] = [:]

    /// By table: what SQLite does not report about its changes.
    var updateHookGaps: [DatabaseRegion.TableID: UpdateHookGaps] = [:]

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
    package func schemaGeneration() throws -> Int {
        if !transaction.isSchemaVerified {
            try verifySchema()
        }
        return state.pointee.schemaGeneration
    }

    /// A number that changes whenever this connection changes the schema, by statements of the C API, too. It reads nothing, so changes by
    /// other connections don't count.
    package var ownSchemaGeneration: Int { state.pointee.schemaGeneration &+ authorizer.foreignSchemaChangeCount }

    /// Whether the connection may have attached databases.
    package var mayHaveAttachedDatabases: Bool { authorizer.hasSeenAttach }

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
        transaction.schemaMayHaveChanged()
        needs.beginObservationPeriod()
    }

    /// Makes SQLite read the schema again if the transaction that has ended has undone changes of the schema.
    ///
    /// SQLite forgets the schema that it knows when it undoes changes of it. But after an `ALTER TABLE` that fails because an index needs
    /// the column to drop, and after a `PRAGMA writable_schema = RESET`, SQLite no longer knows that the transaction has changed the
    /// schema. What it reads from then on survives a rollback, together with the version that the changes gave to the file. The next change
    /// by another connection gives the same version to the file. Statements then run for the undone schema: they read what was dropped, and
    /// leave new indexes without their rows. SQLite 3.38 to 3.51 do this.
    ///
    /// Sources: <https://www.sqlite.org/pragma.html#pragma_writable_schema>, <https://www.sqlite.org/fileformat2.html#schema_cookie>
    func forgetUndoneSchema() {
        guard !isInsideTransaction, transaction.takeUndoneSchemaChanges(), !hasEngine, let handle = sqliteConnection else { return }
        // The statement also ends the mode in which programs edit the schema.
        withOption(SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, handle) {
            withInternalStatements { withoutInterruption { _ = sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil) } }
        }
    }

    /// Makes SQLite recompile all statements, if a name may now refer to another table.
    ///
    /// A name without a database refers to the first table with that name: in the main database, and then in attached databases. SQLite
    /// recompiles a statement when the schema of a database that it uses has changed, so it does not notice a new table in an earlier
    /// database. It does notice changes of the temporary schema, and `DETACH`.
    ///
    /// Source: <https://www.sqlite.org/lang_naming.html>
    func resolveNamesAnew() {
        guard authorizer.hasSeenAttach, let handle = sqliteConnection, let names = try? databaseNames() else { return }
        // Setting the authorizer expires all statements.
        if names.contains(where: { $0 != "main" && $0 != "temp" }) { authorizer.install(on: handle) }
    }

    /// Returns the names of the main database, of the temporary database if it exists, and of the attached databases.
    package func databaseNames() throws -> [String] {
        if !authorizer.hasSeenAttach { return try sqlite3_db_readonly(openHandle(), "temp") < 0 ? ["main"] : ["main", "temp"] }
        return try InternalQuery("PRAGMA database_list", cached: true).values(in: self) { $0.string(at: 1) ?? "" }
    }

    /// Returns the version of a database's schema, which SQLite increments with each change of the schema.
    func schemaVersion(of name: String) throws -> Int64 {
        try InternalQuery("PRAGMA \(name.quotedDatabaseIdentifier).schema_version", cached: true).first(in: self) { $0.int64(at: 0) } ?? 0
    }

    @inline(never)
    @usableFromInline
    func verifySchema() throws {
        if !isInsideTransaction { _ = try renewEngineSchema() }
        var names = schemaCache.schemaNames ?? []
        if names.isEmpty {
            // The schema `temp` belongs to this connection alone.
            names = try databaseNames().filter { $0 != "temp" }
        }
        let versions = try names.map { try schemaVersion(of: $0) }
        if versions != schemaCache.versions {
            // Changes by this connection were handled when they were made.
            let isChangeOfOthers = !schemaCache.versions.isEmpty
            schemaDidChange()
            if isChangeOfOthers { resolveNamesAnew() }
            schemaCache.versions = versions
            // SQLite checks for a schema change when a statement runs, not when it is compiled. Statements compiled from now on must fit
            // the schema whose version was just read.
            do {
                for name in names { try SQLScript.readSchemaAgain(self, schema: name) }
            } catch {
                schemaCache.versions = []
                throw error
            }
        }
        schemaCache.schemaNames = names
        // No other connection can change the schema that a transaction sees.
        transaction.didVerifySchema(isOpen: isInsideTransaction)
    }
}

/// Follows statements that change the schema.
struct FollowedSchema: StatementParticipant {
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {
        let effects = end.statement.effects
        guard effects.changesSchema || effects.controlsTransaction else { return }
        if effects.changesSchema { db.transaction.didChangeSchema() }
        db.forgetUndoneSchema()
        // A rollback may have restored an earlier schema.
        if effects.changesSchema || effects.rollsBack { db.schemaDidChange() }
        if effects.changesSchema { db.resolveNamesAnew() }
    }

    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {
        if failure.statement.effects.changesSchema { db.transaction.schemaChangeDidFail() }
        db.transaction.schemaMayHaveChanged()
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
