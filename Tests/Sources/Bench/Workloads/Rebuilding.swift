import CSQLite
import Strata

// Building a table of 1,000,000 rows again, in memory: the procedure of https://www.sqlite.org/lang_altertable.html#otheralter.

let rebuildWorkloads = [
    Workload("rebuild", "1,000,000 rows with a UNIQUE column, a CHECK and two indexes", atMost: 1.2, rounds: 9) {
        let connection = CConnection()
        let queue = try DatabaseQueue()
        for sql in [create("account"), fill] + indexes {
            connection.execute(sql)
            try queue.write { try $0.execute(sql: sql) }
        }
        return Workload.Sides(
            byHand: {
                connection.inTransaction {
                    connection.execute(create("new_account"))
                    connection.execute("INSERT INTO new_account SELECT id, email, balance, region FROM account")
                    connection.execute("DROP TABLE account")
                    connection.execute("ALTER TABLE new_account RENAME TO account")
                    for sql in indexes { connection.execute(sql) }
                }
                return connection.number(sum)
            },
            throughStrata: {
                try queue.writeWithoutTransaction { db in
                    try db.rebuild(table: "account") { t in
                        t.primaryKey("id", .integer)
                        t.column("email", .text).notNull().unique()
                        t.column("balance", .integer).notNull().check { $0 >= 0 }
                        t.column("region", .text)
                    }
                }
                return try queue.read { try Int.fetchOne($0, sql: sum) ?? 0 }
            })
    }
]

private func create(_ name: String) -> String {
    """
    CREATE TABLE \(name) (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, balance INTEGER NOT NULL CHECK (balance >= 0), region TEXT)
    """
}

private let fill = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
    INSERT INTO account SELECT i, printf('user%d@example.org', i * 7919 % 1000003), i % 10007, 'region ' || i % 50 FROM n
    """

private let indexes = [
    "CREATE INDEX accountByBalance ON account (balance)", "CREATE INDEX accountByRegion ON account (region, balance)",
]

private let sum = "SELECT sum(id) + sum(balance) + sum(length(email)) FROM account"
