import CSQLiteShims

// Finds the constraint that an error speaks of. The names in SQLite's messages are not quoted: `UNIQUE constraint failed: a.b, c.d`
// may be about two columns of a table `a`, if there were two such columns, or about the column `b, c.d`, or about a table `a.b, c`.
// So the names are compared with the schema, and nothing is concluded from the text alone.

extension Database {
    /// Returns the constraint that has made a statement fail. Called before the statement is reset, and before the program may roll back
    /// the transaction.
    func violatedConstraint(of error: DatabaseError, in statement: Statement) -> DatabaseError.Constraint? {
        guard let kind = error.constraint?.kind else { return error.constraint }
        // A trigger may have been added since the statement was prepared.
        _ = statement.describeRun()
        let search = ConstraintSearch(self, effects: statement.effects, sql: statement.sql)
        let found = withInternalStatements {
            withoutRecordingChanges { try? search.constraint(kind, message: error.message ?? "") }
        }
        return found ?? error.constraint
    }
}

/// A search for the constraint that a statement has violated.
///
/// Observers, recordings and guards don't notice its queries. Most of them are pragmas that need no lock, as they read the schema that
/// SQLite has in memory.
private struct ConstraintSearch {
    private typealias Constraint = DatabaseError.Constraint
    private let database: Database
    private let effects: StatementEffects
    private let sql: String

    init(_ database: Database, effects: StatementEffects, sql: String) {
        self.database = database
        self.effects = effects
        self.sql = sql
    }

    func constraint(_ kind: DatabaseError.Constraint.Kind, message: String) throws -> DatabaseError.Constraint? {
        switch kind {
        case .unique, .primaryKey:
            return try message.text(after: "UNIQUE constraint failed: ").flatMap { try uniqueConstraint(kind, $0) }
        case .rowID:
            guard let table = message.text(after: "UNIQUE constraint failed: ")?.text(before: ".rowid") else { return nil }
            return Constraint(kind: kind, table: table, columns: ["rowid"])
        case .notNull:
            return try message.text(after: "NOT NULL constraint failed: ").flatMap { try columnConstraint(kind, $0) }
        case .check:
            return try message.text(after: "CHECK constraint failed: ").flatMap { try checkConstraint($0) }
        case .dataType:
            // For example: cannot store TEXT value in INTEGER column player.score
            let words = message.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: false)
            guard words.count == 8, words[6] == "column" else { return nil }
            return try columnConstraint(kind, String(words[7]))
        case .foreignKey:
            return try effects.controlsTransaction ? foreignKeyOfTransaction() : foreignKeyOfStatement()
        case .trigger:
            return nil
        }
    }

    // MARK: - Columns

    private struct Columns: Hashable {
        let table: String
        let columns: [String]
    }

    private func columnConstraint(_ kind: DatabaseError.Constraint.Kind, _ text: String) throws -> DatabaseError.Constraint? {
        let readings = try readings(of: text).filter { $0.columns.count == 1 }
        guard readings.count == 1, let reading = readings.first else { return nil }
        return Constraint(kind: kind, table: reading.table, columns: reading.columns)
    }

    private func uniqueConstraint(_ kind: DatabaseError.Constraint.Kind, _ text: String) throws -> DatabaseError.Constraint? {
        var readings = try readings(of: text)
        if let name = text.text(after: "index '")?.text(before: "'") {
            guard readings.isEmpty else { return nil }
            return try expressionIndex(kind, named: name.replacing("''", with: "'"))
        }
        if readings.count > 1 {
            readings = try readings.filter { try !uniqueIndexes(of: $0).isEmpty }
        }
        guard readings.count == 1, let reading = readings.first else { return nil }
        let indexes = Set(try uniqueIndexes(of: reading))
        let name = indexes.count == 1 ? indexes.first.flatMap { $0.isDeclared ? $0.name : nil } : nil
        return Constraint(kind: kind, table: reading.table, columns: reading.columns, name: name)
    }

    private func expressionIndex(_ kind: DatabaseError.Constraint.Kind, named name: String) throws -> DatabaseError.Constraint {
        var tables: Set<String> = []
        for schema in try schemas() {
            try forEachRow(
                "SELECT tbl_name FROM \(schema.quotedDatabaseIdentifier).sqlite_master WHERE type = 'index' AND name = ?", [name]
            ) { tables.insert($0.string(at: 0) ?? "") }
        }
        return Constraint(kind: kind, table: tables.count == 1 ? tables.first : nil, name: name)
    }

    /// Returns the tables and columns that a list such as `player.team, player.number` may stand for.
    private func readings(of text: String) throws -> Set<Columns> {
        var result: Set<Columns> = []
        for dot in text.utf8.indices where text.utf8[dot] == UInt8(ascii: ".") {
            let table = String(text[..<dot])
            for schema in try schemas() {
                let names = try columnNames(of: table, in: schema)
                if names.isEmpty { continue }
                var columns: [String] = []
                collect(text[...], table: table, names: names, &columns, &result)
            }
        }
        return result
    }

    private func collect(
        _ text: Substring, table: String, names: [String], _ columns: inout [String], _ result: inout Set<Columns>
    ) {
        for name in names {
            guard let rest = text.text(after: "\(table).\(name)") else { continue }
            columns.append(name)
            if rest.isEmpty {
                result.insert(Columns(table: table, columns: columns))
            } else if let next = rest.text(after: ", ") {
                collect(next[...], table: table, names: names, &columns, &result)
            }
            columns.removeLast()
        }
    }

    private struct UniqueIndex: Hashable {
        let name: String
        /// Whether a `CREATE INDEX` statement has made it, in place of a constraint.
        let isDeclared: Bool
    }

    /// Returns the unique indexes on the given columns.
    private func uniqueIndexes(of reading: Columns) throws -> [UniqueIndex] {
        var result: [UniqueIndex] = []
        for schema in try schemas() {
            let prefix = "PRAGMA \(schema.quotedDatabaseIdentifier)."
            var indexes: [UniqueIndex] = []
            try forEachRow("\(prefix)index_list(\(reading.table.quotedDatabaseIdentifier))") { row in
                guard row.int64(at: 2) == 1, let name = row.string(at: 1) else { return }
                indexes.append(UniqueIndex(name: name, isDeclared: row.string(at: 3) == "c"))
            }
            for index in indexes {
                var columns: [String?] = []
                try forEachRow("\(prefix)index_info(\(index.name.quotedDatabaseIdentifier))") { columns.append($0.string(at: 2)) }
                if columns == reading.columns { result.append(index) }
            }
        }
        return result
    }

    // MARK: - Checks

    private func checkConstraint(_ label: String) throws -> DatabaseError.Constraint? {
        var found: Set<DatabaseError.Constraint> = []
        for table in Set(effects.eventKinds.map(\.tableName)) {
            for schema in try schemas() {
                let names = try columnNames(of: table, in: schema)
                if names.isEmpty { continue }
                try forEachRow(
                    "SELECT name, sql FROM \(schema.quotedDatabaseIdentifier).sqlite_master "
                        + "WHERE type = 'table' AND name = ? COLLATE NOCASE", [table]
                ) { row in
                    for check in CheckConstraints(ofTable: row.string(at: 1) ?? "").checks where check.label == label {
                        let identifiers = Set(check.identifiers.map { SchemaName($0) })
                        found.insert(
                            Constraint(
                                kind: .check, table: row.string(at: 0), columns: names.filter { identifiers.contains(SchemaName($0)) },
                                name: check.name))
                    }
                }
            }
        }
        guard let first = found.first else { return nil }
        // Several constraints may have the same name or expression.
        func common<Value: Equatable>(_ value: (DatabaseError.Constraint) -> Value?) -> Value? {
            found.allSatisfy { value($0) == value(first) } ? value(first) : nil
        }
        return Constraint(kind: .check, table: common(\.table), columns: common(\.columns), name: common(\.name))
    }

    // MARK: - Foreign keys

    private struct ForeignKey {
        let schema: String
        let table: String
        let id: Int64
        let parent: String
        var columns: [String] = []
        var parentColumns: [String] = []
    }

    /// Returns the foreign key that a commit has found to be violated. The transaction is still open.
    private func foreignKeyOfTransaction() throws -> DatabaseError.Constraint? {
        // After this number of instructions of SQLite's virtual machine, about a second, SQLite calls the handler, which ends the
        // search: the transaction keeps other connections from writing.
        guard let handle = database.sqliteConnection else { return nil }
        sqlite3_progress_handler(handle, 20_000_000, { _ in 1 }, nil)
        defer { database.installProgressHandler() }
        for schema in try schemas() {
            var violation: ForeignKeyViolation?
            try forEachRow("PRAGMA \(schema.quotedDatabaseIdentifier).foreign_key_check", limit: 1) { row in
                violation = ForeignKeyViolation(
                    originTable: row.string(at: 0) ?? "", originRowID: row.int64(at: 1), destinationTable: row.string(at: 2) ?? "",
                    foreignKeyId: Int(row.int64(at: 3) ?? 0), schemaID: .attached(schema))
            }
            guard let violation else { continue }
            let columns = try foreignKeys(of: violation.originTable, in: schema).first { $0.id == violation.foreignKeyId }?.columns
            return Constraint(kind: .foreignKey, table: violation.originTable, columns: columns, foreignKeyViolation: violation)
        }
        return nil
    }

    /// Returns the only foreign key that the statement may have violated.
    private func foreignKeyOfStatement() throws -> DatabaseError.Constraint? {
        var candidates: [ForeignKey] = []
        for schema in try schemas() {
            let master = "\(schema.quotedDatabaseIdentifier).sqlite_master"
            var tables: [String] = []
            try forEachRow("SELECT name FROM \(master) WHERE type = 'table' AND sql LIKE '%REFERENCES%'") {
                tables.append($0.string(at: 0) ?? "")
            }
            if tables.isEmpty { continue }
            // Rows that the conflict resolution REPLACE deletes are not announced.
            var mayReplace = sql.uppercased().contains("REPLACE")
            try forEachRow("SELECT 1 FROM \(master) WHERE type IN ('table', 'trigger') AND sql LIKE '%REPLACE%'", limit: 1) { _ in
                mayReplace = true
            }
            for table in tables {
                candidates += try foreignKeys(of: table, in: schema).filter { isTouched($0, mayReplace: mayReplace) }
            }
        }
        guard candidates.count == 1, let foreignKey = candidates.first else { return nil }
        return Constraint(kind: .foreignKey, table: foreignKey.table, columns: foreignKey.columns)
    }

    /// Returns whether the statement may make rows refer to rows that don't exist.
    private func isTouched(_ foreignKey: ForeignKey, mayReplace: Bool) -> Bool {
        func contains(_ updated: Set<String>, _ columns: [String]) -> Bool {
            updated.isEmpty || columns.contains { column in updated.contains { $0._isEqualIgnoringASCIICase(to: column) } }
        }
        return effects.eventKinds.contains { kind in
            let isChild = kind.tableName._isEqualIgnoringASCIICase(to: foreignKey.table)
            let isParent = kind.tableName._isEqualIgnoringASCIICase(to: foreignKey.parent)
            return switch kind {
            case .insert: isChild || isParent && mayReplace
            case .delete: isParent
            case .update(_, let updated):
                isChild && contains(updated, foreignKey.columns)
                    || isParent && (mayReplace || contains(updated, foreignKey.parentColumns))
            }
        }
    }

    private func foreignKeys(of table: String, in schema: String) throws -> [ForeignKey] {
        var result: [ForeignKey] = []
        try forEachRow("PRAGMA \(schema.quotedDatabaseIdentifier).foreign_key_list(\(table.quotedDatabaseIdentifier))") { row in
            let id = row.int64(at: 0) ?? 0
            if result.last?.id != id {
                result.append(ForeignKey(schema: schema, table: table, id: id, parent: row.string(at: 2) ?? ""))
            }
            result[result.count - 1].columns.append(row.string(at: 3) ?? "")
            if let column = row.string(at: 4) { result[result.count - 1].parentColumns.append(column) }
        }
        // A foreign key without parent columns refers to the primary key.
        for index in result.indices where result[index].parentColumns.isEmpty {
            try forEachRow(
                "PRAGMA \(schema.quotedDatabaseIdentifier).table_xinfo(\(result[index].parent.quotedDatabaseIdentifier))"
            ) { row in
                if row.int64(at: 5) != 0 { result[index].parentColumns.append(row.string(at: 1) ?? "") }
            }
        }
        return result
    }

    // MARK: - Queries

    private func schemas() throws -> [String] {
        var names: [String] = []
        try forEachRow("PRAGMA database_list") { names.append($0.string(at: 1) ?? "") }
        return names
    }

    private func columnNames(of table: String, in schema: String) throws -> [String] {
        var names: [String] = []
        try forEachRow("PRAGMA \(schema.quotedDatabaseIdentifier).table_xinfo(\(table.quotedDatabaseIdentifier))") {
            names.append($0.string(at: 1) ?? "")
        }
        return names
    }

    private func forEachRow(
        _ sql: String, _ arguments: StatementArguments = [], limit: Int = .max, _ body: (Statement) throws -> Void
    ) throws {
        let (prepared, _) = try database.prepareStatement(in: sql[...])
        guard let statement = prepared else { return }
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        // SQLite steps the statement directly: `Statement.step()` would report it to observers, and fail in a transaction that SQLite
        // has rolled back.
        defer { sqlite3_reset(statement.sqliteStatement) }
        var count = 0
        while count < limit {
            let code = sqlite3_step(statement.sqliteStatement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            try body(statement)
            count += 1
        }
    }
}

extension StringProtocol {
    /// The text after a prefix, compared byte by byte; nil if the text does not begin with it.
    fileprivate func text(after prefix: String) -> String? {
        guard utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    /// The text before a suffix, compared byte by byte; nil if the text does not end with it.
    fileprivate func text(before suffix: String) -> String? {
        guard utf8.count >= suffix.utf8.count, utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return nil }
        return String(decoding: utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }
}
