import CSQLiteShims

/// Keeps the statements that were used lately, by their SQL.
///
/// There are two generations. When the young one is full it becomes the old one, and what nobody used in the meantime goes
/// away: the least recently used statements are dropped, at the price of two lookups at most.
struct StatementCache {
    /// How many statements a generation holds.
    private static let capacity = 100

    /// An object, so that nobody but the entry refers to its statement while the statement is looked at.
    private final class Entry {
        private var statement: Statement
        /// The SQL that was asked for. The statement's own leaves out what follows its semicolon.
        private let sql: String

        init(_ statement: Statement, sql: String) {
            self.statement = statement
            self.sql = sql
        }

        /// The statement, unless someone uses it: it may be running, or its user may have given it arguments, and not run it yet.
        var freeStatement: Statement? {
            isKnownUniquelyReferenced(&statement) && !statement.isBusy ? statement : nil
        }

        /// Whether this is the statement of some SQL, byte by byte.
        ///
        /// Strings are equal when they are canonically equivalent, such as "é" in one scalar and in two: that is not the same SQL.
        func isExactly(_ other: String) -> Bool {
            let isSame = sql.utf8.withContiguousStorageIfAvailable { bytes in
                other.utf8.withContiguousStorageIfAvailable { otherBytes in
                    bytes.count == otherBytes.count && strata_are_same_bytes(bytes.baseAddress, otherBytes.baseAddress, bytes.count) != 0
                }
            }
            return (isSame ?? nil) ?? sql.utf8.elementsEqual(other.utf8)
        }
    }

    /// The statement that was asked for last, which programs ask for again and again: comparing texts is faster than hashing one.
    private var recent: Entry?

    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]

    /// The statement of some SQL that nobody uses, or nil.
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

    /// Keeps a statement, in place of the one of the same SQL.
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
