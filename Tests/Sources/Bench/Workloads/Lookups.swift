import Strata

// One order after the other, in a file of 24 MB. The file is larger than SQLite's cache of pages on either side, as it is in
// most programs.

let lookupWorkloads = [
    lookUpOrders("fetch-one-by-key", "fetchOne(db, key:)", atMost: 1.60) { db, id in
        try OrderByName.fetchOne(db, key: id)
    },
    lookUpOrders("fetch-one-by-filter", "filter(…).fetchOne(db)", atMost: 2.00) { db, id in
        try OrderByName.filter(Column("id") == id).fetchOne(db)
    },
    lookUpOrders("fetch-one-by-template", "template(…).fetchOne(db)", atMost: 1.70) { db, id in
        try orderByID(id).fetchOne(db)
    },
]

private let orderByID = RequestTemplate { (id: Place<Int64>) in OrderByName.filter(Column("id") == id) }

private func lookUpOrders(
    _ name: String, _ summary: String, atMost limit: Double,
    lookUp: @escaping @Sendable (Database, Int64) throws -> OrderByName?
) -> Workload {
    Workload(name, "5,000 lookups in a file of 24 MB, \(summary)", atMost: limit) {
        let folder = try TemporaryFolder()
        let count = rowCount(112_000)
        let queue = try DatabaseQueue(path: folder.path("orders.sqlite"))
        try queue.write { db in
            try db.execute(sql: Order.createTable)
            try db.execute(sql: Order.fillTable(count: count))
        }
        let ids = (0..<rowCount(5_000)).map { Int64($0 * 7_919 % count + 1) }
        @inline(__always)
        func lookUpAll(_ body: (Order) -> Void) throws {
            try queue.read { db in
                for id in ids {
                    guard let order = try lookUp(db, id) else { fail("no order \(id)") }
                    body(order.order)
                }
            }
        }
        return Rounds {
            // The file exists as long as the rounds do.
            folder
        } work: { _ in
            try lookUpAll { keep($0) }
        } check: { _ in
            var sum = 0
            try lookUpAll { sum &+= $0.checksum }
            return sum
        }
    }
}
