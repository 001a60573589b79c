/// What a connection knows of its schema, until the schema changes.
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

    /// The names of the database files, nil when they are to be asked for.
    var schemaNames: [String]?

    var columns: [TableID: [ColumnInfo]] = [:]
    var primaryKeys: [TableID: PrimaryKeyInfo] = [:]
    var indexes: [TableID: [IndexInfo]] = [:]
    var foreignKeys: [TableID: [ForeignKeyInfo]] = [:]

    /// Whether SQLite reports no changes of a table's rows.
    var silentTables: [TableID: Bool] = [:]

    mutating func removeAll() {
        self = SchemaCache()
    }
}

extension Database {
    /// The number of the schema that statements see now: it changes whenever the schema does.
    ///
    /// Whoever keeps something that depends on the schema remembers this number with it. The question is asked of the file
    /// once in each transaction, and each time outside transactions, since another process may change the schema.
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

    /// Forgets what is known of the schema.
    ///
    /// There is no need to call it: schema changes are noticed, those of other connections and processes included.
    public func clearSchemaCache() {
        checkAccess()
        schemaDidChange()
    }

    func schemaDidChange() {
        schemaCache.removeAll()
        state.pointee.schemaGeneration &+= 1
        state.pointee.isSchemaVerified = false
    }

    @inline(never)
    @usableFromInline
    func verifySchema() throws {
        var names = schemaCache.schemaNames ?? []
        if names.isEmpty {
            let list = try cachedStatement(sql: "PRAGMA database_list")
            defer { list.reset() }
            while try list.step() {
                // The schema `temp` is this connection's own.
                if let name = list.string(at: 1), name != "temp" { names.append(name) }
            }
        }
        let versions = try names.map { name in
            let statement = try cachedStatement(sql: "PRAGMA \(name.quotedDatabaseIdentifier).schema_version")
            defer { statement.reset() }
            return try statement.step() ? statement.int64(at: 0) ?? 0 : 0
        }
        if versions != schemaCache.versions {
            schemaDidChange()
            schemaCache.versions = versions
            // SQLite looks for a changed schema when a statement runs, and not when one is compiled: what is compiled from now on must
            // fit the schema that was just counted.
            if let connection = sqliteConnection {
                for name in names { SQLScript.readSchemaAgain(connection, schema: name) }
            }
        }
        schemaCache.schemaNames = names
        // Within a transaction nobody else can change the schema that it sees.
        state.pointee.isSchemaVerified = isInsideTransaction
    }
}

extension String {
    /// The text as an SQL identifier: `"player"`, with the quotes in it doubled.
    public var quotedDatabaseIdentifier: String {
        let quote = UInt8(ascii: "\"")
        guard utf8.contains(quote) else { return "\"" + self + "\"" }
        // Byte by byte: a quote that a combining mark follows is not a character of its own.
        let bytes = utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
