/// The SQL of a table of 1,000,000 accounts.
enum Account {
    static func createTable(_ name: String) -> String {
        """
        CREATE TABLE \(name) (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, balance INTEGER NOT NULL CHECK (balance >= 0), region TEXT)
        """
    }

    static let fillTable = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
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
