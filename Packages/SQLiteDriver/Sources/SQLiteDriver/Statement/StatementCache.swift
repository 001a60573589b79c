import CSQLiteShims

/// A cache of recently used statements, by their SQL.
///
/// It has two generations. When the young one is full it replaces the old one, whose unused statements are dropped. So the cache
/// drops the least recently used statements, and a lookup costs at most two hash table lookups.
struct StatementCache {
    /// The number of statements in a generation.
    private static let capacity = 100

    /// An entry of the cache. It is an object, so that the entry alone refers to its statement while `isKnownUniquelyReferenced`
    /// checks it.
    private final class Entry {
        private var statement: Statement
        /// The SQL that was asked for. The statement's own SQL ends with its semicolon.
        private let sql: String

        init(_ statement: Statement, sql: String) {
            self.statement = statement
            self.sql = sql
        }

        /// The statement, or nil while it is in use: it may be running, or its user may have set its arguments and not run it yet.
        var freeStatement: Statement? {
            isKnownUniquelyReferenced(&statement) && !statement.isBusy ? statement : nil
        }

        /// Returns whether this is the statement of some SQL, comparing bytes.
        ///
        /// Swift takes canonically equivalent strings for equal, such as "é" in one scalar and in two: those are different SQL.
        func isExactly(_ other: String) -> Bool {
            let isSame = sql.utf8.withContiguousStorageIfAvailable { bytes in
                other.utf8.withContiguousStorageIfAvailable { otherBytes in
                    bytes.count == otherBytes.count && strata_are_same_bytes(bytes.baseAddress, otherBytes.baseAddress, bytes.count) != 0
                }
            }
            return (isSame ?? nil) ?? sql.utf8.elementsEqual(other.utf8)
        }
    }

    /// The entry that was used last. Programs ask for the same statement again and again, and comparing texts is faster than
    /// hashing one.
    private var recent: Entry?

    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]

    /// Returns a statement for some SQL that is not in use, or nil.
    mutating func statement(for sql: String) -> Statement? {
        if let recent, recent.isExactly(sql) { return recent.freeStatement }
        if let entry = young[sql] {
            guard entry.isExactly(sql) else { return nil }
            recent = entry
            return entry.freeStatement
        }
        guard let entry = old[sql], entry.isExactly(sql) else { return nil }
        insert(entry, for: sql)
        return entry.freeStatement
    }

    /// Adds a statement, and replaces the one with the same SQL.
    mutating func insert(_ statement: Statement, for sql: String) {
        insert(Entry(statement, sql: sql), for: sql)
    }

    private mutating func insert(_ entry: Entry, for sql: String) {
        if young.count >= Self.capacity, young[sql] == nil {
            old = young
            young = [:]
        }
        young[sql] = entry
        recent = entry
    }

    mutating func removeAll() {
        recent = nil
        young = [:]
        old = [:]
    }
}
