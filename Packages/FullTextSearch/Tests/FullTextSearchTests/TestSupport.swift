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

/// A generator whose numbers depend only on its seed, for random tests that can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
