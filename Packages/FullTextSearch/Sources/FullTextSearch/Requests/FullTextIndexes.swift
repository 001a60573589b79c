import QueryInterface

/// A full-text table of the schema.
package struct FullTextTable: Equatable {
    /// The name of the database that the table is in.
    let schema: String

    /// The name of the table.
    package let name: String

    /// The module, its columns and options.
    let definition: VirtualTableDefinition

    /// The name of the module in lowercase: fts3, fts4 or fts5.
    package var module: String { definition.module }

    /// The quoted name, with the name of the database.
    var sql: String { "\(schema.quotedDatabaseIdentifier).\(name.quotedDatabaseIdentifier)" }
}

/// The full-text tables of a connection's schema.
private final class FullTextTables {
    var generation = -1
    var ownTables: [String: FullTextTable?] = [:]
    var indexes: [String: [FullTextTable]] = [:]
}

private enum FullTextTablesKey: AttachmentKey {
    typealias Value = FullTextTables
}

extension Database {
    private func fullTextTables() throws -> FullTextTables {
        let tables = attachments.value(for: FullTextTablesKey.self) { FullTextTables() }
        let generation = try schemaGeneration()
        if tables.generation != generation {
            tables.ownTables = [:]
            tables.indexes = [:]
            tables.generation = generation
        }
        return tables
    }

    /// Returns a table, if it is a full-text table.
    ///
    /// - Throws: ``DatabaseError`` if there is no such table.
    package func fullTextTable(_ name: String) throws -> FullTextTable? {
        let tables = try fullTextTables()
        if let table = tables.ownTables[name] { return table }
        let table = try withInternalStatements { try lookUpFullTextTable(TableReference(name, in: self)) }
        tables.ownTables[name] = .some(table)
        return table
    }

    private func lookUpFullTextTable(_ reference: TableReference) throws -> FullTextTable? {
        let schema = try reference.schema ?? schemaOfTable(reference.name)
        let row = try Row.fetchOne(
            self,
            sql: """
                SELECT name, sql FROM \(schema.quotedDatabaseIdentifier).sqlite_master
                WHERE type = 'table' AND rootpage = 0 AND name = ? COLLATE NOCASE
                """, arguments: [reference.name])
        guard let name = row?["name"] as String?, let sql = row?["sql"] as String? else { return nil }
        guard let definition = VirtualTableDefinition(sql), ["fts3", "fts4", "fts5"].contains(definition.module) else { return nil }
        return FullTextTable(schema: schema, name: name, definition: definition)
    }

    private func schemaOfTable(_ name: String) throws -> String {
        if try tableExists(name, in: "temp") { return "temp" }
        if try tableExists(name, in: "main") { return "main" }
        let names = try String.fetchAll(self, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        return try names.first { try tableExists(name, in: $0) || viewExists(name, in: $0) } ?? "main"
    }

    /// Returns the full-text tables that triggers synchronize with a table: see ``FTS5TableDefinition/synchronize(withTable:)``.
    func fullTextIndexes(of tableName: String) throws -> [FullTextTable] {
        let tables = try fullTextTables()
        if let indexes = tables.indexes[tableName] { return indexes }
        let indexes = try withInternalStatements {
            let reference = try TableReference(tableName, in: self)
            return try fullTextIndexes(of: reference.name, in: reference.schema ?? schemaOfTable(reference.name))
        }
        tables.indexes[tableName] = indexes
        return indexes
    }

    /// Returns the full-text tables that triggers synchronize with a table of a database. Tables of the temporary database come last.
    func fullTextIndexes(of tableName: String, in schema: String) throws -> [FullTextTable] {
        var indexes: [FullTextTable] = []
        for each in schema.isEqualIgnoringASCIICase(to: "temp") ? ["temp"] : [schema, "temp"] {
            let triggers = try String.fetchAll(
                self,
                sql: """
                    SELECT name FROM \(each.quotedDatabaseIdentifier).sqlite_master
                    WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name GLOB '__?*_ai' ORDER BY rowid
                    """, arguments: [tableName])
            for trigger in triggers {
                let name = String(trigger.dropFirst(2).dropLast(3))
                if let table = try lookUpFullTextTable(TableReference(schema: each, name: name)) { indexes.append(table) }
            }
        }
        return indexes
    }

    /// Returns the index that is synchronized with a table, for a pattern of some modules.
    ///
    /// - Throws: ``DatabaseError`` if there is none.
    func fullTextIndex(of tableName: String, modules: Set<String>) throws -> FullTextTable {
        if let index = try fullTextIndexes(of: tableName).first(where: { modules.contains($0.module) }) { return index }
        let kinds = modules.sorted().joined(separator: " or ")
        throw DatabaseError(
            message: "\(tableName) is not a full-text table (\(kinds)), and no full-text table is synchronized with it",
            advice: "Create one with synchronize(withTable:).")
    }
}
