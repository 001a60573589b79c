import Strata

// Fetching all of 16,000 orders.

let fetchWorkloads = [
    fetchOrders("fetch-by-index", "records that read columns by index", atMost: 1.15) { db in
        try OrderByIndex.fetchAll(db, sql: #"SELECT * FROM "order""#)
    } checksum: {
        $0.order.checksum
    },
    fetchOrders("fetch-by-name", "records that read columns by name", atMost: 1.25) { db in
        try OrderByName.fetchAll(db, sql: #"SELECT * FROM "order""#)
    } checksum: {
        $0.order.checksum
    },
    fetchOrders("fetch-codable", "Codable records", atMost: 1.70) { db in
        try Order.fetchAll(db, sql: #"SELECT * FROM "order""#)
    } checksum: {
        $0.checksum
    },
    fetchOrders("fetch-copied-rows", "arrays of values by hand, and rows that are kept", atMost: 1.40) { db in
        try Row.fetchAll(db, sql: #"SELECT * FROM "order""#)
    } checksum: { row in
        (0..<row.count).reduce(0) { $0 &+ (row[$1] as DatabaseValue).storage.checksum }
    },
    fetchByCursor,
]

/// Opens a database in memory with the orders.
func openOrders() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(sql: Order.createTable)
        try db.execute(sql: Order.fillTable(count: rowCount(16_000)))
    }
    return queue
}

private func fetchOrders<Element>(
    _ name: String, _ summary: String, atMost limit: Double, fetch: @escaping @Sendable (Database) throws -> [Element],
    checksum number: @escaping @Sendable (Element) -> Int
) -> Workload {
    Workload(name, "16,000 orders of 14 columns, \(summary)", atMost: limit) {
        let queue = try openOrders()
        return Rounds {
            [Element]()
        } work: {
            $0 = try queue.read(fetch)
        } check: {
            checksum($0, number)
        }
    }
}

private let fetchByCursor = Workload("fetch-by-cursor", "16,000 orders of 14 columns, one record after the other", atMost: 1.25) {
    let queue = try openOrders()
    @inline(__always)
    func iterate(_ body: (Order) -> Void) throws {
        try queue.read { db in
            let orders = try OrderByName.fetchCursor(db, sql: #"SELECT * FROM "order""#)
            while let order = try orders.next() { body(order.order) }
        }
    }
    return Rounds {
    } work: { _ in
        try iterate { keep($0) }
    } check: { _ in
        var sum = 0
        try iterate { sum &+= $0.checksum }
        return sum
    }
}

extension DatabaseValue.Storage {
    fileprivate var checksum: Int {
        switch self {
        case .null: -1
        case .int64(let value): Int(value)
        case .double(let value): Int(value * 8)
        case .string(let value): value.utf8.count
        case .blob(let value): value.count
        }
    }
}
