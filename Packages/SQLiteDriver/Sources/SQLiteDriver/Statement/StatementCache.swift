/// Keeps the statements that were used lately, by their SQL.
///
/// There are two generations. When the young one is full it becomes the old one, and what nobody used in the meantime goes
/// away: the least recently used statements are dropped, at the price of two lookups at most.
struct StatementCache {
    /// How many statements a generation holds.
    private static let capacity = 100

    private struct Entry {
        let statement: Statement
        /// The SQL that was asked for. The statement's own leaves out what follows its semicolon.
        let sql: String
        let isASCII: Bool

        init(_ statement: Statement, sql: String) {
            self.statement = statement
            self.sql = sql
            isASCII = sql.utf8.allSatisfy { $0 < 0x80 }
        }

        /// Whether this is the statement of some SQL that Swift holds for equal.
        ///
        /// Strings are equal when they are canonically equivalent, such as "é" in one scalar and in two: that is not the same
        /// SQL. What is equivalent to ASCII, and is not the same, is longer.
        func isExactly(_ other: String) -> Bool {
            sql.utf8.count == other.utf8.count && (isASCII || sql.utf8.elementsEqual(other.utf8))
        }
    }

    private var young: [String: Entry] = [:]
    private var old: [String: Entry] = [:]

    mutating func statement(for sql: String) -> Statement? {
        if let entry = young[sql] { return entry.isExactly(sql) ? entry.statement : nil }
        guard let entry = old[sql], entry.isExactly(sql) else { return nil }
        insert(entry.statement, for: sql)
        return entry.statement
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        if young.count >= Self.capacity {
            old = young
            young = [:]
        }
        young[sql] = Entry(statement, sql: sql)
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
