import BlackBox

/// The SQL of a table of 1,000,000 accounts; of 100,000 when instructions are counted, which takes fifty times as long as the work.
enum Account {
    private static let count = counter_exists() ? 100_000 : 1_000_000

    static func createTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, balance INTEGER NOT NULL CHECK (balance >= 0), region TEXT)
        """
    }

    static let fillTable = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO account SELECT i, printf('user%d@example.org', i * 7919 % 1000003), i % 10007, 'region ' || i % 50 FROM n
        """

    static let indexes = [
        "CREATE INDEX accountByBalance ON account (balance)", "CREATE INDEX accountByRegion ON account (region, balance)",
    ]

    /// A number that depends on what the table holds, and on its indexes.
    static let contents = """
        SELECT sum(id) + sum(balance) + sum(length(email)) + (SELECT count(*) FROM sqlite_schema WHERE tbl_name = 'account') FROM account
        """
}
