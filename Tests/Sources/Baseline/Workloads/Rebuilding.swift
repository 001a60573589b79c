// Building a table of 1,000,000 rows again, in memory: the procedure of https://www.sqlite.org/lang_altertable.html#otheralter.

let rebuildSide = Side("rebuild") {
    let connection = CConnection()
    for sql in [Account.createTable("account"), Account.fillTable] + Account.indexes { connection.execute(sql) }
    return Rounds {
    } work: { _ in
        connection.inTransaction {
            connection.execute(Account.createTable("new_account"))
            connection.execute("INSERT INTO new_account SELECT id, email, balance, region FROM account")
            connection.execute("DROP TABLE account")
            connection.execute("ALTER TABLE new_account RENAME TO account")
            for sql in Account.indexes { connection.execute(sql) }
        }
    } check: { _ in
        connection.number(Account.contents)
    }
}
