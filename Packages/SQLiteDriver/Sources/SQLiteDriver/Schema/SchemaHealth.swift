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

    /// Whether there are views or triggers.
    private var hasQueries = false

    /// The table-valued functions that views and triggers may use; nil if their names were not read since the last of these was added. A view
    /// that works uses no function that was registered later.
    private var functions: Set<SchemaName>?

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
        try self.init(db, try schemaIDs.flatMap { try db.schemaRows(of: $0) })
    }

    /// Examines some of the databases of a connection, given all rows of their schema tables.
    package init(_ db: Database, _ rows: [SchemaRow]) throws {
        try add(db, rows, Set(rows.map(\.object.schemaID)))
    }

    /// Examines objects that were added to the main database. Nothing else must have changed.
    ///
    /// - Returns: false if the objects may change other parts of the schema. The report is then incomplete.
    package mutating func addObjects(_ db: Database, _ rows: [SchemaRow]) throws -> Bool {
        if try dependsOnAdditions || usesFunctions(namedAs: rows.filter { $0.type == "table" || $0.type == "view" }, db) { return false }
        try add(db, rows, nil)
        // A new trigger that does not work makes the statements that fire other triggers fail, too.
        return !dependsOnAdditions
    }

    /// Returns whether the views and triggers may use a table-valued function with the name of a new table or view.
    private mutating func usesFunctions(namedAs rows: [SchemaRow], _ db: Database) throws -> Bool {
        guard hasQueries, !rows.isEmpty else { return false }
        let names = try functions ?? db.moduleNames()
        functions = names
        // SQLite makes the functions of its pragmas when a statement first uses them.
        return rows.contains { $0.object.name.hasPrefixIgnoringASCIICase("pragma_") || names.contains(SchemaName($0.object.name)) }
    }

    /// - Parameter schemaIDs: the databases that may have the tables of triggers; nil for all.
    private mutating func add(_ db: Database, _ rows: [SchemaRow], _ schemaIDs: Set<DatabaseSchemaID>?) throws {
        for row in rows where row.type == "view" { try addView(db, row.object) }
        let triggers = rows.filter { $0.type == "trigger" }
        if !triggers.isEmpty { try addTriggers(db, triggers, of: schemaIDs ?? Set(db.schemaIDs())) }
        for row in rows where !row.parents.isEmpty { try addForeignKeys(db, row) }
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
        if category != .foreignKeys { (hasQueries, functions) = (true, nil) }
    }

    // MARK: - Views

    private mutating func addView(_ db: Database, _ view: DatabaseObjectID) throws {
        let reason = try db.reasonNotToCompile("SELECT 1 FROM \(view.sql)")
        add(.view, view, reason.map { SchemaProblem(kind: .view, object: view, table: view.name, reason: $0) })
    }

    // MARK: - Triggers

    /// - Parameter schemaIDs: the databases that may have the triggers' tables.
    private mutating func addTriggers(_ db: Database, _ rows: [SchemaRow], of schemaIDs: Set<DatabaseSchemaID>) throws {
        var triggers: [String: [(trigger: DatabaseObjectID, event: String)]] = [:]
        for row in rows {
            triggers[row.table, default: []].append((row.object, SQLTokens(row.sql ?? "").triggerEvent ?? ""))
            add(.trigger, row.object, nil)
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

    private mutating func addForeignKeys(_ db: Database, _ row: SchemaRow) throws {
        let table = row.object
        // SQLite finds the parents' unique indexes when it compiles the check.
        let sql = "PRAGMA \(table.schemaID.name.quotedDatabaseIdentifier).foreign_key_check(\(table.name.quotedDatabaseIdentifier))"
        var problem = try db.reasonNotToCompile(sql).map {
            SchemaProblem(kind: .foreignKeyMismatch, object: table, table: table.name, reason: $0)
        }
        if problem == nil, let missing = try row.parents.sorted().first(where: { try db.locateTable($0, in: table.schemaID.name) == nil }) {
            problem = SchemaProblem(kind: .missingParentTable, object: table, table: table.name, reason: "no such table: \(missing)")
        }
        add(.foreignKeys, table, problem)
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

    /// Returns the names of the virtual tables' modules, which views and triggers may use as table-valued functions.
    fileprivate func moduleNames() throws -> Set<SchemaName> {
        Set(try InternalQuery("PRAGMA module_list", cached: true).values(in: self) { SchemaName($0.string(at: 0) ?? "") })
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
