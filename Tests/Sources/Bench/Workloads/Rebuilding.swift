import Strata

// Building a table of 1,000,000 rows again, in memory.

let rebuildWorkload = Workload("rebuild", "1,000,000 rows with a UNIQUE column, a CHECK and two indexes", atMost: 1.2, rounds: 9) {
    let queue = try DatabaseQueue()
    for sql in [Account.createTable("account"), Account.fillTable] + Account.indexes {
        try queue.write { try $0.execute(sql: sql) }
    }
    return Rounds {
    } work: { _ in
        try queue.writeWithoutTransaction { db in
            try db.rebuild(table: "account") { t in
                t.primaryKey("id", .integer)
                t.column("email", .text).notNull().unique()
                t.column("balance", .integer).notNull().check { $0 >= 0 }
                t.column("region", .text)
            }
        }
    } check: { _ in
        try queue.read { try Int.fetchOne($0, sql: Account.contents) ?? 0 }
    }
}
