// The changes of statements that SQLite's update hook does not report, or not completely.

/// The changes of a statement that are reported to observers in addition to its events.
struct UnreportedChanges {
    /// The kinds of events that stand for the changes: observers of one of them are notified.
    var kinds: [DatabaseEventKind] = []

    /// The tables that may have changed in any row.
    var region = DatabaseRegion()

    var isEmpty: Bool { region.isEmpty }

    static let none = UnreportedChanges()

    /// Changes of any kind to the schema.
    static let schema = UnreportedChanges(
        kinds: DatabaseEventKind.all(ofTable: "sqlite_master") + DatabaseEventKind.all(ofTable: "sqlite_temp_master"),
        region: .fullDatabase)
}

extension UnreportedChanges {
    /// Changes of any kind to the tables of a region.
    ///
    /// - Parameter tables: the tables with their columns, because an observer may be interested in one column only.
    init(tables: [(name: String, columns: Set<String>)], region: DatabaseRegion) {
        self.init(kinds: tables.flatMap { DatabaseEventKind.all(ofTable: $0.name, columns: $0.columns) }, region: region)
    }
}

extension DatabaseEventKind {
    /// All kinds of events of a table.
    fileprivate static func all(ofTable table: String, columns: Set<String> = []) -> [DatabaseEventKind] {
        [.insert(tableName: table), .delete(tableName: table), .update(tableName: table, columnNames: columns)]
    }
}

/// The changes of a table that SQLite does not report.
struct UpdateHookGaps {
    /// Whether the table has no row IDs, so that SQLite does not report its changes.
    var isUnreported = false

    /// Whether a REPLACE of a constraint or of a trigger may delete rows of the table.
    var mayReplace = false

    /// The column that is the row ID, if the table has an `INTEGER PRIMARY KEY`.
    var rowIDColumn: SchemaName?

    /// A virtual table and its shadow tables, which change together. SQLite reports no changes of the virtual table.
    var relatedTables: [String] = []
}

extension Statement {
    /// The changes that are reported to observers in addition to the statement's events, for its current effects.
    ///
    /// SQLite does not call the update hook (<https://www.sqlite.org/c3ref/update_hook.html>) for tables WITHOUT ROWID, for virtual
    /// tables, for rows that REPLACE deletes, and for what VACUUM and schema changes do. For an update of the row ID, it reports
    /// only the new one. All other changes of rows call the hook, including changes of triggers, foreign key actions and upserts.
    ///
    /// - Parameter hasRun: whether the statement has just run. In its first step, SQLite has compared the schemas of its tables and their
    ///   triggers with the schemas that it was compiled for. As long as it was not recompiled, the known changes are still valid, and
    ///   the schema version need not be read.
    func unreportedChanges(hasRun: Bool) -> UnreportedChanges {
        if !effects.changesSchema, effects.writes.isEmpty { return .none }
        if hasRun, let known = state.pointee.unreportedChanges, known.generation == database.state.pointee.schemaGeneration,
            known.repreparationCount == state.pointee.description.repreparationCount, hasEffectsOfRun
        {
            return known.changes
        }
        guard let generation = try? database.schemaGeneration() else { return findUnreportedChanges() }
        let count = state.pointee.description.repreparationCount
        if let known = state.pointee.unreportedChanges, known.generation == generation, known.repreparationCount == count {
            return known.changes
        }
        let changes = findUnreportedChanges()
        state.pointee.unreportedChanges = (generation, count, changes)
        return changes
    }

    @inline(never)
    private func findUnreportedChanges() -> UnreportedChanges {
        if effects.changesSchema { return .schema }
        let replaces = sql.hasReplaceClause
        var changes = UnreportedChanges.none
        for (id, updatedColumns) in effects.writes {
            let gaps = try? database.updateHookGaps(of: id)
            let movesRows =
                updatedColumns.contains(.rowID) || gaps?.rowIDColumn.map { updatedColumns.contains($0) } == true
            for table in gaps?.relatedTables ?? [id.table.text] {
                changes.region.insert(table: table, in: id.schema.text)
                changes.kinds += DatabaseEventKind.all(ofTable: table)
            }
            let mayReplace = replaces || gaps?.mayReplace == true
            guard mayReplace || movesRows || gaps?.isUnreported == true || plan != nil else { continue }
            changes.region.insert(table: id.table.text, in: id.schema.text)
            changes.kinds += effects.eventKinds.filter { SchemaName($0.tableName) == id.table }
            if mayReplace { changes.kinds.append(.delete(tableName: id.table.text)) }
            if movesRows { changes.kinds.append(.update(tableName: id.table.text, columnNames: [])) }
        }
        return changes
    }
}

extension Database {
    /// The changes that statements of the C API may have made in tables whose changes SQLite does not report.
    ///
    /// It is unknown which of these statements have run since the last commit.
    func unreportedChangesThroughCAPI() -> UnreportedChanges {
        var tables: [(name: String, columns: Set<String>)] = []
        var region = DatabaseRegion()
        for id in authorizer.foreignWrites.keys {
            guard let gaps = try? updateHookGaps(of: id), gaps.isUnreported || !gaps.relatedTables.isEmpty else { continue }
            for table in Set(gaps.relatedTables + [id.table.text]) {
                region.insert(table: table, in: id.schema.text)
                tables.append((table, []))
            }
        }
        return UnreportedChanges(tables: tables, region: region)
    }
}

extension SchemaName {
    /// The name that SQLite's authorizer reports when a statement uses one of SQLite's own names of the row ID.
    package static let rowID = SchemaName("ROWID")
}

extension Database {
    fileprivate func updateHookGaps(of id: DatabaseRegion.TableID) throws -> UpdateHookGaps {
        _ = try schemaGeneration()
        if let gaps = schemaCache.updateHookGaps[id] { return gaps }
        let gaps = try findUpdateHookGaps(of: id)
        schemaCache.updateHookGaps[id] = gaps
        return gaps
    }

    private func findUpdateHookGaps(of id: DatabaseRegion.TableID) throws -> UpdateHookGaps {
        let name = id.table.text
        var gaps = UpdateHookGaps()
        // A REPLACE in a trigger may belong to another table, and the schema doubles quotes in names. An unnecessary report does no harm.
        // Temporary triggers may write to tables of other databases.
        for schema in try schemaIDs() {
            try forEachObject(in: schema, where: "type = 'trigger' AND (instr(lower(sql), lower(:name)) OR instr(:name, '\"'))", name) {
                _, sql in
                if sql.hasReplaceClause { gaps.mayReplace = true }
            }
        }
        let schema: DatabaseSchemaID = id.schema == SchemaName("temp") ? .temp : .attached(id.schema.text)
        var isTable = false
        try forEachObject(in: schema, where: "type = 'table' AND name = :name COLLATE NOCASE", name) { _, sql in
            isTable = !sql.isVirtualTable
            if sql.hasReplaceClause { gaps.mayReplace = true }
        }
        // The tables of a virtual table have its name before an underscore: https://www.sqlite.org/vtab.html#xshadowname
        try forEachObject(in: schema, where: "type = 'table' AND instr(lower(:name), lower(name)) = 1", name) { table, sql in
            let isOwn = SchemaName(table) == id.table
            guard sql.isVirtualTable, isOwn || name.utf8.dropFirst(table.utf8.count).first == UInt8(ascii: "_") else { return }
            gaps.relatedTables.append(table)
            try forEachObject(in: schema, where: "type = 'table' AND instr(lower(name), lower(:name || '_')) = 1", table) { shadow, _ in
                gaps.relatedTables.append(shadow)
            }
        }
        if isTable {
            let primaryKey = try primaryKey(name, in: schema.name)
            gaps.isUnreported = !primaryKey.tableHasRowID
            gaps.rowIDColumn = primaryKey.rowIDColumn.map { SchemaName($0) }
        }
        return gaps
    }

    private func forEachObject(
        in schema: DatabaseSchemaID, where condition: String, _ name: String, _ body: (_ name: String, _ sql: String) throws -> Void
    ) throws {
        let query = InternalQuery("SELECT name, sql FROM \(schema.schemaTableName) WHERE \(condition)", ["name": name])
        try query.forEachRow(in: self) { try body($0.string(at: 0) ?? "", $0.string(at: 1) ?? "") }
    }

    /// Returns the names of a region's tables, as the schema spells them, with the region's columns. For the full database, these are all
    /// tables, and `sqlite_master`.
    func tables(in region: DatabaseRegion) throws -> [(name: String, columns: Set<String>)] {
        guard region.isFullDatabase else {
            return try region.tableNames.map { name in
                let name = try locateTable(name, in: nil)?.id.name ?? name
                let columns = columnNames(of: name, in: nil)
                let read = columns.filter { region.isModified(byEventsOfKind: .update(tableName: name, columnNames: [$0])) }
                return (name, read.isEmpty ? columns : read)
            }
        }
        return try [("sqlite_master", [])]
            + schemaIDs().flatMap { schemaID in
                try InternalQuery("SELECT name FROM \(schemaID.schemaTableName) WHERE type = 'table'").values(in: self) { row in
                    let name = row.string(at: 0) ?? ""
                    return (name, columnNames(of: name, in: schemaID.name))
                }
            }
    }

    /// Returns the names of a table's columns, or an empty set if the table can't be described, such as a virtual table without its
    /// module.
    private func columnNames(of table: String, in schema: String?) -> Set<String> {
        Set((try? columns(in: table, in: schema))?.map(\.name) ?? [])
    }
}
