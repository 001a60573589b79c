import QueryInterface

/// The full-text tables of a connection's schema.
private final class FullTextTables: AttachmentKey {
    var generation = -1
    var ownTables: [String: FullTextTable?] = [:]
    var indexes: [String: [FullTextTable]] = [:]
}

extension Database {
    private func fullTextTables() throws -> FullTextTables {
        let tables = attachments.value(for: FullTextTables.self) { FullTextTables() }
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
        let table = try withInternalStatements {
            let reference = try TableReference(name, in: self)
            return try fullTextTable(reference.name, in: reference.schema ?? schemaOfTable(reference.name))
        }
        tables.ownTables[name] = .some(table)
        return table
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
