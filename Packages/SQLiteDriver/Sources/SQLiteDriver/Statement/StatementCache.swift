/// A cache of recently used statements, by their SQL.
struct StatementCache {
    /// Some SQL, compared byte by byte.
    ///
    /// To Swift, canonically equivalent strings are equal, such as "é" in one scalar and in two. They are different SQL.
    private struct Key: Hashable {
        let sql: String

        // Equal bytes are equal strings, and so have the same hash.
        static func == (lhs: Key, rhs: Key) -> Bool { lhs.sql.hasSameBytes(as: rhs.sql) }
    }

    /// How many statements were found, and how many were compiled instead.
    private(set) var hitCount = 0
    private(set) var missCount = 0

    private var entries = RecentCache<Key, CachedStatement>(capacity: 100)

    /// Returns the statement for some SQL, or nil.
    mutating func statement(for sql: String) -> CachedStatement? {
        entries[Key(sql: sql)]
    }

    /// Adds a statement. It replaces a statement with the same SQL.
    ///
    /// - Parameter sql: the SQL for which the statement was requested. ``Statement/sql`` is trimmed, so it may differ.
    mutating func insert(_ statement: CachedStatement, for sql: String) {
        missCount &+= 1
        entries[Key(sql: sql)] = statement
    }

    /// Counts a statement that was found.
    mutating func countHit() { hitCount &+= 1 }

    mutating func removeAll() {
        entries.removeAll()
    }
}

/// A statement that is kept, and reused when it is not in use.
///
/// It is an object, because a copy of a struct would be another reference to the statement, and `isKnownUniquelyReferenced` would
/// return false.
package final class CachedStatement {
    private var statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }

    /// The statement, or nil while it is in use: it may be running, or its user may have set its arguments and not run it yet.
    package var freeStatement: Statement? { isKnownUniquelyReferenced(&statement) && !statement.isBusy ? statement : nil }
}
