/// A report of the views, triggers and foreign keys of a schema that work. Comparing two reports shows what a change has broken.
///
/// ```swift
/// let before = try SchemaHealth(db)
/// try db.execute(sql: "DROP INDEX author_by_email")
/// for problem in try SchemaHealth(db).problems(since: before) {
///     print(problem)
///     // the foreign keys of book would no longer work: foreign key mismatch - …
/// }
/// ```
///
/// SQLite lets a change break other parts of the schema: a view then fails when it is read, and a table when one of its rows is inserted,
/// updated or deleted.
public struct SchemaHealth: Sendable {
    private struct Part: Hashable {
        enum Category { case view, trigger, foreignKeys }

        let category: Category
        let object: DatabaseObjectID
    }

    /// The parts of the schema, each with its problem, if it has one.
    private var parts: [Part: SchemaProblem?] = [:]

    /// Whether a new object of the main database may change other parts: a part with a problem may work after it, and a name in a temporary
    /// view or trigger may refer to it.
    private var dependsOnAdditions = false

    /// Examines all databases of a connection, the temporary one and attached ones included.
    ///
    /// SQLite compiles statements that use the views and fire the triggers, and `PRAGMA foreign_key_check` for each table with foreign
    /// keys. No rows are read or changed.
    ///
    /// - Throws: ``DatabaseError``.
    public init(_ db: Database) throws {
        try self.init(db, try db.schemaIDs())
    }

    /// Examines some of the databases of a connection.
    package init(_ db: Database, _ schemaIDs: [DatabaseSchemaID]) throws {
        for schemaID in schemaIDs { try addViews(db, schemaID) }
        try addTriggers(db, schemaIDs, of: schemaIDs)
        for schemaID in schemaIDs { try addForeignKeys(db, schemaID) }
    }

    /// Examines the objects that were added to the main database after a row of its schema table. Nothing else must have changed.
    ///
    /// - Returns: false if the objects may change other parts of the schema. The report is then incomplete.
    package mutating func addObjects(_ db: Database, after rowID: Int64) throws -> Bool {
        if dependsOnAdditions { return false }
        var types: Set<String> = []
        var names: Set<SchemaName> = []
        let query = InternalQuery("SELECT type, name FROM main.sqlite_master WHERE rowid > ?", [rowID], cached: true)
        try query.forEachRow(in: db) { row in
            let type = row.string(at: 0) ?? ""
            types.insert(type)
            if type == "table" || type == "view" { names.insert(SchemaName(row.string(at: 1) ?? "")) }
        }
        if try db.containsModule(names) { return false }
        if types.contains("view") { try addViews(db, .main, after: rowID) }
        if types.contains("trigger") { try addTriggers(db, [.main], of: try db.schemaIDs(), after: rowID) }
        if types.contains("table") { try addForeignKeys(db, .main, after: rowID) }
        // A new trigger that does not work makes the statements that fire other triggers fail, too.
        return !dependsOnAdditions
    }

    /// The problems of the parts that do not work.
    public var problems: [SchemaProblem] { Self.sorted(parts.values.compactMap { $0 }) }

    /// Returns the problems of the parts that worked in an earlier state of the schema. New parts don't count.
    public func problems(since earlier: SchemaHealth) -> [SchemaProblem] {
        Self.sorted(
            parts.compactMap { part, problem in
                if let problem, case .some(.none) = earlier.parts[part] { problem } else { nil }
            })
    }

    private static func sorted(_ problems: [SchemaProblem]) -> [SchemaProblem] {
        problems.sorted { ($0.object.description, $0.description) < ($1.object.description, $1.description) }
    }

    private mutating func add(_ category: Part.Category, _ object: DatabaseObjectID, _ problem: SchemaProblem?) {
        parts.updateValue(problem, forKey: Part(category: category, object: object))
        if problem != nil || object.schemaID == .temp && category != .foreignKeys { dependsOnAdditions = true }
    }

    // MARK: - Views

    private mutating func addViews(_ db: Database, _ schemaID: DatabaseSchemaID, after rowID: Int64 = 0) throws {
        let query = InternalQuery(
            "SELECT name FROM \(schemaID.schemaTableName) WHERE type = 'view' AND rowid > ?", [rowID], cached: true)
        for name in try query.values(in: db, { $0.string(at: 0) }) {
            let view = DatabaseObjectID(name: name, schemaID: schemaID)
            let reason = try db.reasonNotToCompile("SELECT 1 FROM \(view.sql)")
            add(.view, view, reason.map { SchemaProblem(kind: .view, object: view, table: name, reason: $0) })
        }
    }

    // MARK: - Triggers

    /// - Parameters:
    ///   - triggerSchemaIDs: the databases whose triggers are examined.
    ///   - schemaIDs: the databases that may have their tables.
    ///   - rowID: a row of the schema table, before the rows of the triggers.
    private mutating func addTriggers(
        _ db: Database, _ triggerSchemaIDs: [DatabaseSchemaID], of schemaIDs: [DatabaseSchemaID], after rowID: Int64 = 0
    ) throws {
        var triggers: [String: [(trigger: DatabaseObjectID, event: String)]] = [:]
        for schemaID in triggerSchemaIDs {
            let query = InternalQuery(
                "SELECT tbl_name, name, sql FROM \(schemaID.schemaTableName) WHERE type = 'trigger' AND rowid > ?", [rowID], cached: true)
            try query.forEachRow(in: db) { row in
                let trigger = DatabaseObjectID(name: row.string(at: 1) ?? "", schemaID: schemaID)
                let event = SQLTokens(row.string(at: 2) ?? "").triggerEvent ?? ""
                triggers[row.string(at: 0) ?? "", default: []].append((trigger, event))
                add(.trigger, trigger, nil)
            }
        }
        for (name, triggers) in triggers {
            // A temporary trigger may belong to a table of another database: SQLite compiles it with the statements on that table.
            for schemaID in schemaIDs where try db.locateTable(name, in: schemaID.name) != nil {
                let table = DatabaseObjectID(name: name, schemaID: schemaID)
                for (event, triggers) in Dictionary(grouping: triggers, by: \.event) {
                    guard let sql = try db.statement(of: event, on: table), let reason = try db.reasonNotToCompile(sql) else { continue }
                    for (trigger, _) in triggers where trigger.schemaID == schemaID || trigger.schemaID == .temp {
                        add(.trigger, trigger, SchemaProblem(kind: .trigger, object: trigger, table: name, reason: reason))
                    }
                }
            }
        }
    }

    // MARK: - Foreign keys

    private mutating func addForeignKeys(_ db: Database, _ schemaID: DatabaseSchemaID, after rowID: Int64 = 0) throws {
        let query = InternalQuery(
            """
            SELECT DISTINCT t.name, f."table" FROM \(schemaID.schemaTableName) AS t, pragma_foreign_key_list(t.name, ?) AS f
            WHERE t.type = 'table' AND t.rowid > ?
            """, [schemaID.name, rowID], cached: true)
        var parents: [String: [String]] = [:]
        try query.forEachRow(in: db) { parents[$0.string(at: 0) ?? "", default: []].append($0.string(at: 1) ?? "") }
        for (name, parents) in parents {
            let table = DatabaseObjectID(name: name, schemaID: schemaID)
            // SQLite finds the parents' unique indexes when it compiles the check.
            let sql = "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).foreign_key_check(\(name.quotedDatabaseIdentifier))"
            var problem = try db.reasonNotToCompile(sql).map {
                SchemaProblem(kind: .foreignKeyMismatch, object: table, table: name, reason: $0)
            }
            if problem == nil, let missing = try parents.sorted().first(where: { try db.locateTable($0, in: schemaID.name) == nil }) {
                problem = SchemaProblem(kind: .missingParentTable, object: table, table: name, reason: "no such table: \(missing)")
            }
            add(.foreignKeys, table, problem)
        }
    }
}

/// A part of a schema that does not work: see ``SchemaHealth``.
public struct SchemaProblem: Hashable, Sendable {
    /// The kinds of parts, and of their problems.
    public enum Kind: Hashable, Sendable {
        /// A view that SQLite can't compile.
        case view
        /// A trigger that SQLite can't compile. If it can't compile one of several triggers of a table for the same event, all of them have
        /// this problem, because none of them fires.
        case trigger
        /// Foreign keys of a table that refer to columns without a unique index. While foreign keys are enforced, no row of the table can be
        /// inserted.
        case foreignKeyMismatch
        /// Foreign keys of a table that refer to a table that does not exist. While foreign keys are enforced, no row of the table can be
        /// inserted.
        case missingParentTable
    }

    /// The kind.
    public let kind: Kind

    /// The view, the trigger, or the table with the foreign keys.
    public let object: DatabaseObjectID

    /// The name of the view, of the trigger's table, or of the table with the foreign keys.
    public let table: String

    /// The message of SQLite's error.
    public let reason: String
}

extension SchemaProblem: CustomStringConvertible {
    /// A sentence that names the part and the reason.
    public var description: String {
        switch kind {
        case .view: "the view \(object.name) would no longer work: \(reason)"
        case .trigger: "the trigger \(object.name) of \(table) would no longer work: \(reason)"
        case .foreignKeyMismatch, .missingParentTable: "the foreign keys of \(object.name) would no longer work: \(reason)"
        }
    }
}

extension DatabaseObjectID {
    /// The names of the database and the object, quoted.
    fileprivate var sql: String { "\(schemaID.name.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" }
}

extension SQLTokens {
    /// The event of a `CREATE TRIGGER` statement as SQLite stores it: `DELETE`, `INSERT` or `UPDATE`.
    fileprivate var triggerEvent: String? {
        tokens.indices.dropFirst(3).lazy.map { keyword($0) }.first { ["DELETE", "INSERT", "UPDATE"].contains($0) }
    }
}

extension Database {
    /// Returns a statement that fires the triggers of an event, or nil if there is none.
    fileprivate func statement(of event: String, on table: DatabaseObjectID) throws -> String? {
        switch event {
        case "INSERT": return "INSERT INTO \(table.sql) DEFAULT VALUES"
        case "DELETE": return "DELETE FROM \(table.sql)"
        default:
            // The table may be a view that does not compile.
            guard let columns = try unlessRefused({ try columns(in: table.name, in: table.schemaID.name) }).value else { return nil }
            let names = columns.filter { !$0.isGenerated }.map(\.name.quotedDatabaseIdentifier)
            return names.isEmpty ? nil : "UPDATE \(table.sql) SET " + names.map { "\($0) = \($0)" }.joined(separator: ", ")
        }
    }

    /// Returns whether any of the names is the name of a table-valued function, which views and triggers may use.
    fileprivate func containsModule(_ names: Set<SchemaName>) throws -> Bool {
        if names.isEmpty { return false }
        var isFound = names.contains { $0.text.hasPrefixIgnoringASCIICase("pragma_") }
        try InternalQuery("PRAGMA module_list", cached: true).forEachRow(in: self) { row in
            if names.contains(SchemaName(row.string(at: 0) ?? "")) { isFound = true }
        }
        return isFound
    }

    /// Returns the error message of a statement that does not compile, or nil if it does.
    fileprivate func reasonNotToCompile(_ sql: String) throws -> String? {
        try unlessRefused { _ = try withoutRecordingChanges { try makeStatement(sql: sql) } }.reason
    }

    /// Runs a closure, and returns its value, or the message of an error that says something about the schema.
    ///
    /// - Throws: any other error, such as lack of memory.
    private func unlessRefused<T>(_ body: () throws -> T) throws -> (value: T?, reason: String?) {
        do {
            return (try body(), nil)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            return (nil, error.message ?? "\(error)")
        }
    }
}
