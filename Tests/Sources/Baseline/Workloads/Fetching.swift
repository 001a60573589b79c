import CSQLite
import Foundation

// Fetching all of 16,000 orders, and one order after the other.

let fetchSides =
    ["fetch-by-index", "fetch-by-name", "fetch-codable"].map { Side($0, prepare: fetchOrders) } + [fetchCopiedRows, fetchByCursor]
    + ["fetch-one-by-key", "fetch-one-by-filter", "fetch-one-by-template"].map { Side($0, prepare: lookUpOrders) }

private func openOrders() -> CConnection {
    let connection = CConnection()
    connection.execute(Order.createTable)
    connection.execute(Order.fillTable(count: rowCount(16_000)))
    return connection
}

private let fetchOrders: @Sendable () -> Rounds = {
    let connection = openOrders()
    return Rounds {
        [Order]()
    } work: { orders in
        let statement = connection.prepare(#"SELECT * FROM "order""#)
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            orders.append(Order(statement))
        }
    } check: {
        checksum($0) { $0.checksum }
    }
}

/// A value of any storage class.
private enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case string(String)
    case blob(Data)

    @inline(__always)
    init(_ statement: OpaquePointer, _ index: CInt) {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, index))
        case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, index))
        case SQLITE_TEXT: self = .string(text(statement, index) ?? "")
        case SQLITE_BLOB:
            let bytes = sqlite3_column_blob(statement, index)
            self = .blob(bytes.map { Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, index))) } ?? Data())
        default: self = .null
        }
    }

    var checksum: Int {
        switch self {
        case .null: -1
        case .integer(let value): Int(value)
        case .real(let value): Int(value * 8)
        case .string(let value): value.utf8.count
        case .blob(let value): value.count
        }
    }
}

private let fetchCopiedRows = Side("fetch-copied-rows") {
    let connection = openOrders()
    return Rounds {
        [[Value]]()
    } work: { rows in
        let statement = connection.prepare(#"SELECT * FROM "order""#)
        defer { sqlite3_finalize(statement) }
        let count = sqlite3_column_count(statement)
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                [Value](unsafeUninitializedCapacity: Int(count)) { buffer, initializedCount in
                    for index in 0..<count {
                        buffer.initializeElement(at: Int(index), to: Value(statement, index))
                    }
                    initializedCount = Int(count)
                })
        }
    } check: {
        checksum($0) { row in checksum(row) { $0.checksum } }
    }
}

private let fetchByCursor = Side("fetch-by-cursor") {
    let connection = openOrders()
    @inline(__always)
    func iterate(_ body: (Order) -> Void) {
        let statement = connection.prepare(#"SELECT * FROM "order""#)
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW { body(Order(statement)) }
    }
    return Rounds {
    } work: { _ in
        iterate { keep($0) }
    } check: { _ in
        var sum = 0
        iterate { sum &+= $0.checksum }
        return sum
    }
}

private let lookUpOrders: @Sendable () throws -> Rounds = {
    let folder = try TemporaryFolder()
    let count = rowCount(112_000)
    let connection = CConnection(path: folder.path("orders.sqlite"))
    connection.execute(Order.createTable)
    connection.execute(Order.fillTable(count: count))
    let statement = connection.prepare(#"SELECT * FROM "order" WHERE "id" = ?"#)
    let ids = (0..<rowCount(5_000)).map { Int64($0 * 7_919 % count + 1) }
    @inline(__always)
    func lookUp(_ body: (Order) -> Void) {
        connection.inTransaction("BEGIN DEFERRED TRANSACTION") {
            for id in ids {
                sqlite3_bind_int64(statement, 1, id)
                guard sqlite3_step(statement) == SQLITE_ROW else { fail("no order \(id)") }
                body(Order(statement))
                sqlite3_reset(statement)
            }
        }
    }
    return Rounds {
        // The file exists as long as the rounds do.
        folder
    } work: { _ in
        lookUp { keep($0) }
    } check: { _ in
        var sum = 0
        lookUp { sum &+= $0.checksum }
        return sum
    }
}
