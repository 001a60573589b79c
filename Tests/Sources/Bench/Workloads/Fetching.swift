import CSQLite
import Foundation
import Strata

// Fetching all of 16,000 orders.

let fetchWorkloads = [fetchByIndex, fetchByName, fetchCodable, fetchCopiedRows, fetchByCursor]

private func fetchOrders(
    _ name: String, _ summary: String, atMost limit: Double,
    byHand: @escaping @Sendable (OpaquePointer) -> Int = ordersByHand,
    throughStrata: @escaping @Sendable (Database) throws -> Int
) -> Workload {
    Workload(name, "16,000 orders of 14 columns, \(summary)", atMost: limit) {
        let connection = CConnection()
        let queue = try DatabaseQueue()
        let sql = [Order.createTable, Order.fillTable(count: 16_000)]
        sql.forEach(connection.execute)
        try queue.write { db in try sql.forEach { try db.execute(sql: $0) } }
        return Workload.Sides(
            byHand: {
                let statement = connection.prepare(#"SELECT * FROM "order""#)
                defer { sqlite3_finalize(statement) }
                return byHand(statement)
            },
            throughStrata: { try queue.read { try throughStrata($0) } })
    }
}

private func ordersByHand(_ statement: OpaquePointer) -> Int {
    var orders: [Order] = []
    while sqlite3_step(statement) == SQLITE_ROW {
        orders.append(Order(statement))
    }
    return checksum(orders) { $0.checksum }
}

private let fetchByIndex = fetchOrders("fetch-by-index", "records that read columns by index", atMost: 1.10) { db in
    checksum(try OrderByIndex.fetchAll(db, sql: #"SELECT * FROM "order""#)) { $0.order.checksum }
}

private let fetchByName = fetchOrders("fetch-by-name", "records that read columns by name", atMost: 1.25) { db in
    checksum(try OrderByName.fetchAll(db, sql: #"SELECT * FROM "order""#)) { $0.order.checksum }
}

private let fetchCodable = fetchOrders("fetch-codable", "Codable records", atMost: 1.70) { db in
    checksum(try Order.fetchAll(db, sql: #"SELECT * FROM "order""#)) { $0.checksum }
}

private let fetchCopiedRows = fetchOrders(
    "fetch-copied-rows", "arrays of values by hand, and rows that are kept", atMost: 1.40,
    byHand: { statement in
        var rows: [[DatabaseValue]] = []
        let count = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                [DatabaseValue](unsafeUninitializedCapacity: Int(count)) { buffer, initializedCount in
                    for index in 0..<count {
                        buffer.initializeElement(at: Int(index), to: DatabaseValue(storage: storage(statement, index)))
                    }
                    initializedCount = Int(count)
                })
        }
        return checksum(rows) { row in checksum(row) { $0.storage.checksum } }
    }
) { db in
    checksum(try Row.fetchAll(db, sql: #"SELECT * FROM "order""#)) { row in
        var sum = 0
        for index in 0..<row.count {
            let value: DatabaseValue = row[index]
            sum &+= value.storage.checksum
        }
        return sum
    }
}

private let fetchByCursor = fetchOrders(
    "fetch-by-cursor", "one record after the other", atMost: 1.25,
    byHand: { statement in
        var sum = 0
        while sqlite3_step(statement) == SQLITE_ROW {
            sum &+= Order(statement).checksum
        }
        return sum
    }
) { db in
    var sum = 0
    let orders = try OrderByName.fetchCursor(db, sql: #"SELECT * FROM "order""#)
    while let order = try orders.next() {
        sum &+= order.order.checksum
    }
    return sum
}

/// The value of a column, by hand.
@inline(__always)
private func storage(_ statement: OpaquePointer, _ index: CInt) -> DatabaseValue.Storage {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .int64(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .double(sqlite3_column_double(statement, index))
    case SQLITE_TEXT: return .string(text(statement, index) ?? "")
    case SQLITE_BLOB:
        guard let bytes = sqlite3_column_blob(statement, index) else { return .blob(Data()) }
        return .blob(Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, index))))
    default: return .null
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
