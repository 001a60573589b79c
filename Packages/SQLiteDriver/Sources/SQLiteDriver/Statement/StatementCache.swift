/// Keeps the statements that were used lately, by their SQL.
///
/// There are two generations. When the young one is full it becomes the old one, and what nobody used in the meantime goes
/// away: the least recently used statements are dropped, at the price of two lookups at most.
struct StatementCache {
    /// How many statements a generation holds.
    private static let capacity = 100

    private var young: [String: Statement] = [:]
    private var old: [String: Statement] = [:]

    mutating func statement(for sql: String) -> Statement? {
        if let statement = young[sql] { return statement }
        guard let statement = old[sql] else { return nil }
        insert(statement)
        return statement
    }

    mutating func insert(_ statement: Statement) {
        if young.count >= Self.capacity {
            old = young
            young = [:]
        }
        young[statement.sql] = statement
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }
}
