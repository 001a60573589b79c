import CDqliteCluster
import SQLiteDriver

// Where statements run.

extension RemoteEngine {
    func renewUnknownSchema(for statement: CompiledStatement, in db: Database) throws -> Bool {
        // The schema is copied when it is first needed.
        try mirroredVersion == nil && !hasRemoteTransaction && !statement.controlsTransaction && renewSchema(of: db)
    }

    func plan(for statement: CompiledStatement, in db: Database) throws -> StatementPlan? {
        if isMirroring { return nil }
        let tokens = SQLTokens(statement.sql)
        let sql = tokens.trimmedSQL
        func make(_ kind: RemotePlan.Kind) -> RemotePlan {
            RemotePlan(kind, sql: statement.sql, remoteSQL: sql, generation: generation)
        }
        func refused(_ message: String, _ advice: String) -> DatabaseError {
            .refused(message, sql: statement.sql, advice: advice)
        }
        switch tokens.keyword(0) {
        case "EXPLAIN":
            return nil
        case "BEGIN":
            return make(.begin)
        case "COMMIT", "END":
            return make(.commit)
        case "ROLLBACK":
            return make(statement.rollsBack && tokens.tokens.indices.contains { tokens.keyword($0) == "TO" } ? .savepoint : .rollback)
        case "SAVEPOINT", "RELEASE":
            return make(.savepoint)
        case "CREATE", "DROP", "ALTER":
            if tokens.isTemporary {
                throw refused(
                    "temporary tables, views and triggers are not supported on a cluster",
                    "They belong to one connection, which a cluster does not keep. Use a table, or a common table expression.")
            }
            return make(.both(changesSchema: true))
        case "ANALYZE", "REINDEX":
            return make(.both(changesSchema: true))
        case "ATTACH", "DETACH":
            throw refused("databases can't be attached on a cluster", "Open a cluster for each database.")
        case "VACUUM":
            throw refused("VACUUM is not supported on a cluster", "The database is in the memory of the nodes, and reuses its free pages.")
        case "PRAGMA":
            return try planPragma(tokens, statement)
        default:
            return try planRows(tokens, statement)
        }
    }

    // MARK: - Rows

    private func planRows(_ tokens: SQLTokens, _ statement: CompiledStatement) throws -> RemotePlan? {
        let handle = statement.sqliteStatement
        let isQuery = sqlite3_stmt_readonly(handle) != 0
        if isQuery, statement.tablesRead.isEmpty { return nil }
        if isQuery, statement.tablesRead.allSatisfy(Self.isKnownHere) { return planSchema(statement) }
        for case let name? in statement.tablesRead.map(Self.pragma) where !Self.isKnown(name) && !Self.remotePragmas.contains(name) {
            throw refused(pragma: name, statement)
        }
        let kind: RemotePlan.Kind = isQuery ? .query : sqlite3_column_count(handle) == 0 ? .change : .changeReturningRows
        return try makePlan(kind, statement, tokens)
    }

    /// Returns the SQL to send for a statement, and its columns.
    ///
    /// - Parameter handle: the statement, compiled for the current schema.
    func columns(_ kind: RemotePlan.Kind, _ tokens: SQLTokens, _ handle: SQLiteStatement, sql: String) throws -> RemoteColumns {
        let names = (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
        if names.count > RemoteTable.maximumColumnCount {
            throw DatabaseError.refused(
                "a result of \(names.count) columns is too wide for a cluster", sql: sql,
                advice: "Select up to \(RemoteTable.maximumColumnCount) columns.")
        }
        var remoteSQL = tokens.trimmedSQL
        switch kind {
        case .query where tokens.keyword(0) != "PRAGMA":
            let hasComputedColumn = (0..<sqlite3_column_count(handle)).contains { sqlite3_column_decltype(handle, $0) == nil }
            remoteSQL = RemotePlan.cured(
                remoteSQL, columnCount: names.count, guardsNUL: nulGuard,
                computesOnce: hasComputedColumn || tokens.selectsWithParentheses)
        case .changeReturningRows:
            guard let cured = tokens.withoutReturnedTypes(columnNames: names, guardsNUL: nulGuard),
                names.reduce(0, { $0 + $1.utf8.count + 16 }) < 3500
            else {
                throw DatabaseError.refused(
                    "the names of the returned columns are too long for a cluster", sql: sql, advice: "Return fewer columns.")
            }
            remoteSQL = cured
        default: break
        }
        return RemoteColumns(remoteSQL: remoteSQL, names: names)
    }

    private func planSchema(_ statement: CompiledStatement) -> RemotePlan {
        RemotePlan(.schema, sql: statement.sql, remoteSQL: "", generation: generation)
    }

    /// Whether the rows of a table come from the schema or from arguments.
    private static func isKnownHere(_ table: String) -> Bool {
        ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema", "json_each", "json_tree"].contains(table)
            || pragma(table).map(isKnown) == true
    }

    /// The pragma whose rows a table has, such as `pragma_table_info`.
    private static func pragma(_ table: String) -> String? {
        table.hasPrefix("pragma_") ? String(table.dropFirst(7)) : nil
    }

    /// Whether the connection in memory knows what a pragma reads.
    private static func isKnown(_ pragma: String) -> Bool {
        schemaPragmas.contains(pragma) || libraryPragmas.contains(pragma) || settings.contains(pragma)
            || ["encoding", "schema_version"].contains(pragma)
    }

    private func makePlan(_ kind: RemotePlan.Kind, _ statement: CompiledStatement, _ tokens: SQLTokens) throws -> RemotePlan {
        let handle = statement.sqliteStatement
        let columns = try columns(kind, tokens, handle, sql: statement.sql)
        let id = nextPlanID
        nextPlanID += 1
        let parameterNames = (0..<sqlite3_bind_parameter_count(handle)).map { index in
            sqlite3_bind_parameter_name(handle, index + 1).map { String(cString: $0) }
        }
        let plan = RemotePlan(
            kind, id: id, sql: statement.sql, remoteSQL: columns.remoteSQL, columnNames: columns.names, inserts: tokens.inserts,
            generation: generation, replacement: RemotePlan.proxySQL(kind, id: id, parameterNames: parameterNames))
        for id in plans.insert(plan) { RemoteTables.removeTables(ofPlan: id, engine: self) }
        try RemoteTables.registerTables(of: plan, engine: self)
        return plan
    }

    // MARK: - Pragmas

    /// The pragmas that read rows, or the database's header.
    private static let remotePragmas: Set<String> = [
        "foreign_key_check", "integrity_check", "quick_check", "user_version", "application_id",
    ]
    private static let schemaPragmas: Set<String> = [
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    ]
    /// The pragmas that tell what the library and the connection in memory can do.
    private static let libraryPragmas: Set<String> = [
        "database_list", "collation_list", "function_list", "module_list", "pragma_list", "compile_options", "query_only", "data_version",
    ]
    /// The pragmas that set options of a connection.
    private static let settings: Set<String> = [
        "foreign_keys", "recursive_triggers", "case_sensitive_like", "defer_foreign_keys", "ignore_check_constraints",
        "reverse_unordered_selects", "legacy_alter_table",
    ]

    private func planPragma(_ tokens: SQLTokens, _ statement: CompiledStatement) throws -> RemotePlan? {
        let hasSchema = tokens.text(2) == "."
        let name = tokens.text(hasSchema ? 3 : 1).lowercased()
        let hasArgument = tokens.tokens.count > (hasSchema ? 4 : 2)
        switch name {
        case _ where Self.schemaPragmas.contains(name):
            return planSchema(statement)
        case _ where Self.libraryPragmas.contains(name):
            return nil
        case "encoding", "schema_version":
            if !hasArgument { return nil }
        case _ where Self.settings.contains(name):
            if !hasArgument { return nil }
            return RemotePlan(.setting(name: name), sql: statement.sql, remoteSQL: tokens.trimmedSQL, generation: generation)
        case "user_version", "application_id":
            if hasArgument {
                return RemotePlan(.both(changesSchema: false), sql: statement.sql, remoteSQL: tokens.trimmedSQL, generation: generation)
            }
            return try makePlan(.query, statement, tokens)
        case _ where Self.remotePragmas.contains(name):
            return try makePlan(.query, statement, tokens)
        default:
            break
        }
        throw refused(pragma: name, statement)
    }

    private func refused(pragma name: String, _ statement: CompiledStatement) -> DatabaseError {
        .refused(
            "PRAGMA \(name) is not supported on a cluster", sql: statement.sql, advice: "The nodes decide how the database is stored.")
    }
}

extension SQLTokens {
    /// Whether the statement creates, drops or alters an object of the schema `temp`.
    fileprivate var isTemporary: Bool {
        if keyword(0) == "CREATE", ["TEMP", "TEMPORARY"].contains(keyword(1)) { return true }
        // The name of the object follows the kind, IF NOT EXISTS, and the like.
        return tokens.prefix(8).indices.contains { keyword($0) == "TEMP" && text($0 + 1) == "." }
    }

    /// Whether the columns of a query may be subqueries or calls of functions, which are expensive to compute twice.
    fileprivate var selectsWithParentheses: Bool {
        guard let select = tokens.indices.first(where: { tokens[$0].depth == 0 && keyword($0) == "SELECT" }) else { return true }
        return (select..<count).prefix { tokens[$0].depth > 0 || keyword($0) != "FROM" }.contains { tokens[$0].depth > 0 }
    }

    /// Whether the statement is an INSERT, after its common table expressions.
    fileprivate var inserts: Bool {
        let verbs: Set = ["INSERT", "REPLACE", "UPDATE", "DELETE", "SELECT"]
        guard let verb = tokens.indices.first(where: { tokens[$0].depth == 0 && verbs.contains(keyword($0)) }) else { return false }
        return ["INSERT", "REPLACE"].contains(keyword(verb))
    }
}

extension DatabaseError {
    static func refused(_ message: String, sql: String, advice: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_ERROR, message: message, sql: sql, advice: advice)
    }
}
