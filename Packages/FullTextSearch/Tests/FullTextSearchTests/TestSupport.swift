import FullTextSearch
import Testing

/// Runs a closure on a new database in memory.
func withDatabase<T>(_ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue().writeWithoutTransaction(body)
}

extension Database {
    /// Returns the SQL of a table or another object in the schema.
    func schemaSQL(_ name: String) throws -> String? {
        try String.fetchOne(self, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
    }

    /// Returns the row ids of the rows of a full-text table that match a pattern.
    func matches(_ table: String, _ pattern: String) throws -> [Int64] {
        let name = table.quotedDatabaseIdentifier
        return try Int64.fetchAll(self, sql: "SELECT rowid FROM \(name) WHERE \(name) MATCH ? ORDER BY rowid", arguments: [pattern])
    }
}
