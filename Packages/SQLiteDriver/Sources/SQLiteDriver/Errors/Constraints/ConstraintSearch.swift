// Finds the constraint that an error is about. The names in SQLite's messages are not quoted: `UNIQUE constraint failed: a.b, c.d`
// may be about two columns of a table `a`, if there were two such columns, or about the column `b, c.d`, or about a table `a.b, c`.
// The names are therefore compared with the schema: the message alone proves nothing.

extension Database {
    /// Returns the constraint that made a statement fail. Called before the statement is reset, and before the program may roll back the
    /// transaction.
    ///
    /// The first error with a message reads the schema. Later ones find its result in the schema cache.
    func violatedConstraint(of error: DatabaseError, in statement: Statement) -> DatabaseError.Constraint? {
        guard let kind = error.constraint?.kind, let message = error.message, let search = ConstraintSearch(self, kind, message, statement)
        else { return error.constraint }
        return (try? search.constraint()) ?? error.constraint
    }
}

/// The constraints that the messages of errors are about.
struct ConstraintCache {
    struct Key: Hashable {
        let kind: DatabaseError.Constraint.Kind
        let message: String
        /// The tables that the statement writes to, if the message names none.
        let tables: Set<String>
    }

    /// The names of the databases, and the versions of their schemas when the constraints were found.
    var schemas: [String] = []
    var versions: [Int64] = []
    var constraints: [Key: DatabaseError.Constraint] = [:]
}

/// A search for the constraint that a statement has violated. Most of its queries are pragmas that need no lock, because they read the
/// schema that SQLite has in memory.
private struct ConstraintSearch {
    private typealias Constraint = DatabaseError.Constraint
    private let database: Database
    private let key: ConstraintCache.Key

    /// Creates a search, unless the message says nothing about the constraint.
    init?(_ database: Database, _ kind: DatabaseError.Constraint.Kind, _ message: String, _ statement: Statement) {
        // SQLite does not name foreign keys, and the program has written the messages of triggers.
        if kind == .foreignKey || kind == .trigger { return nil }
        self.database = database
        var tables: Set<String> = []
        if kind == .check {
            // A trigger may have been added since the statement was prepared.
            _ = statement.describeRun()
            tables = Set(statement.effects.eventKinds.map(\.tableName))
        }
        key = ConstraintCache.Key(kind: kind, message: message, tables: tables)
    }

    func constraint() throws -> DatabaseError.Constraint? {
        if database.schemaCache.constraints.schemas.isEmpty {
            database.schemaCache.constraints.schemas = try database.databaseNames()
        }
        let versions = try schemas.map { try database.schemaVersion(of: $0) }
        if versions != database.schemaCache.constraints.versions {
            database.schemaCache.constraints.versions = versions
            database.schemaCache.constraints.constraints = [:]
        }
        if let constraint = database.schemaCache.constraints.constraints[key] { return constraint }
        let constraint = try search()
        database.schemaCache.constraints.constraints[key] = constraint
        return constraint
    }

    private var schemas: [String] { database.schemaCache.constraints.schemas }

    private func search() throws -> Constraint? {
        let kind = key.kind
        let message = key.message
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
        case .foreignKey, .trigger:
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
        for schema in schemas {
            try InternalQuery(
                "SELECT tbl_name FROM \(schema.quotedDatabaseIdentifier).sqlite_master WHERE type = 'index' AND name = ?", [name]
            ).forEachRow(in: database) { tables.insert($0.string(at: 0) ?? "") }
        }
        return Constraint(kind: kind, table: tables.count == 1 ? tables.first : nil, name: name)
    }

    /// Returns the tables and columns that a list such as `player.team, player.number` may stand for.
    private func readings(of text: String) throws -> Set<Columns> {
        var result: Set<Columns> = []
        for dot in text.utf8.indices where text.utf8[dot] == UInt8(ascii: ".") {
            let table = String(text[..<dot])
            for schema in schemas {
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
        /// Whether a `CREATE INDEX` statement created the index, and not a constraint.
        let isDeclared: Bool
    }

    /// Returns the unique indexes on the given columns.
    private func uniqueIndexes(of reading: Columns) throws -> [UniqueIndex] {
        var result: [UniqueIndex] = []
        for schema in schemas {
            let prefix = "PRAGMA \(schema.quotedDatabaseIdentifier)."
            let query = InternalQuery("\(prefix)index_list(\(reading.table.quotedDatabaseIdentifier))")
            let indexes = try query.values(in: database) { row in
                row.int64(at: 2) == 1 ? row.string(at: 1).map { UniqueIndex(name: $0, isDeclared: row.string(at: 3) == "c") } : nil
            }
            result += try indexes.filter { index in
                let query = InternalQuery("\(prefix)index_info(\(index.name.quotedDatabaseIdentifier))")
                return try query.values(in: database) { .some($0.string(at: 2)) } == reading.columns
            }
        }
        return result
    }

    // MARK: - Checks

    private func checkConstraint(_ label: String) throws -> DatabaseError.Constraint? {
        var found: Set<DatabaseError.Constraint> = []
        for table in key.tables {
            for schema in schemas {
                let names = try columnNames(of: table, in: schema)
                if names.isEmpty { continue }
                try InternalQuery(
                    "SELECT name, sql FROM \(schema.quotedDatabaseIdentifier).sqlite_master "
                        + "WHERE type = 'table' AND name = ? COLLATE NOCASE", [table]
                ).forEachRow(in: database) { row in
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

    // MARK: - Queries

    private func columnNames(of table: String, in schema: String) throws -> [String] {
        try InternalQuery("PRAGMA \(schema.quotedDatabaseIdentifier).table_xinfo(\(table.quotedDatabaseIdentifier))")
            .values(in: database) { $0.string(at: 1) ?? "" }
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
