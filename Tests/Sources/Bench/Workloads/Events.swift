import CSQLite
import Foundation
import Strata

// Records with a Date and a UUID.

let eventWorkloads = [fetchEvents, insertBookings]

/// An event, of 7 columns, which is fetched.
struct Event: Codable, FetchableRecord {
    var id: Int64
    var token: UUID
    var date: Date
    var title: String
    var place: String?
    var seats: Int
    var price: Double

    static let createTable = """
        CREATE TABLE event (
            id INTEGER PRIMARY KEY, token BLOB NOT NULL, date TEXT NOT NULL, title TEXT NOT NULL, place TEXT,
            seats INTEGER NOT NULL, price REAL NOT NULL)
        """

    static func fillTable(count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO event SELECT
            i, CAST(printf('%08d-8 bytes', i) AS BLOB),
            printf('20%02d-%02d-%02d %02d:%02d:%02d.%03d', i % 50, i % 12 + 1, i % 28 + 1, i % 24, i % 60, i % 59, i % 1000),
            printf('Meeting number %d of the season', i), iif(i % 4, printf('Room %d', i % 90), NULL), i % 400, (i % 800) / 4.0
            FROM n
        """
    }

    var checksum: Int {
        let byte = withUnsafeBytes(of: token.uuid) { Int($0[7]) * 3 + Int($0[15]) }
        let sum = Int(id) &+ byte &+ Int((date.timeIntervalSince1970 * 1_000).rounded()) &+ title.utf8.count
        return sum &+ (place?.utf8.count ?? -1) &+ seats &+ Int(price * 4)
    }
}

extension Event {
    /// The event in the current row, by hand.
    @inline(__always)
    init(_ statement: OpaquePointer) {
        id = sqlite3_column_int64(statement, 0)
        token = uuid(statement, 1)
        date = bench.date(statement, 2)
        title = text(statement, 3)!
        place = text(statement, 4)
        seats = Int(sqlite3_column_int64(statement, 5))
        price = sqlite3_column_double(statement, 6)
    }
}

private let fetchEvents = Workload(
    "fetch-codable-dates", "20,000 Codable records of 7 columns with a Date and a UUID", atMost: 2.00
) {
    let connection = CConnection()
    let queue = try DatabaseQueue()
    let sql = [Event.createTable, Event.fillTable(count: 20_000)]
    sql.forEach(connection.execute)
    try queue.write { db in try sql.forEach { try db.execute(sql: $0) } }
    return Workload.Sides(
        byHand: {
            let statement = connection.prepare("SELECT * FROM event")
            defer { sqlite3_finalize(statement) }
            var events: [Event] = []
            while sqlite3_step(statement) == SQLITE_ROW {
                events.append(Event(statement))
            }
            return checksum(events) { $0.checksum }
        },
        throughStrata: {
            try queue.read { db in
                checksum(try Event.fetchAll(db, sql: "SELECT * FROM event")) { $0.checksum }
            }
        })
}

/// A booking, of 8 columns, which is inserted.
struct Booking: Codable, MutablePersistableRecord {
    var id: Int64?
    var token: UUID
    var date: Date
    var title: String
    var place: String?
    var seats: Int
    var price: Double
    var isPaid: Bool

    static let createTable = """
        CREATE TABLE booking (
            id INTEGER PRIMARY KEY, token BLOB NOT NULL, date TEXT NOT NULL, title TEXT NOT NULL, place TEXT,
            seats INTEGER NOT NULL, price REAL NOT NULL, isPaid INTEGER NOT NULL)
        """

    static func samples(count: Int) -> [Booking] {
        (1...count).map { i in
            let (high, low) = (UInt8(truncatingIfNeeded: i >> 8), UInt8(truncatingIfNeeded: i))
            return Booking(
                id: nil, token: UUID(uuid: (1, 2, 3, 4, 5, 6, 64, 8, 128, 10, 11, 12, 13, 14, high, low)),
                date: Date(timeIntervalSince1970: 1_000_000_000.25 + Double(i) * 86_399.125),
                title: "Meeting number \(i) of the season", place: i % 4 == 0 ? nil : "Room \(i % 90)", seats: i % 400,
                price: Double(i % 800) / 4, isPaid: i % 3 == 0)
        }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }

    /// A number that depends on what the table holds.
    static let contents = """
        SELECT sum(id * unicode(substr(hex(token), 1 + id % 32, 1)) + (CAST(substr(date, 1, 4) AS INTEGER) * 12
            + CAST(substr(date, 6, 2) AS INTEGER) * 31 + CAST(substr(date, 9, 2) AS INTEGER)) * 24
            + CAST(substr(date, 12, 2) || substr(date, 15, 2) || substr(date, 18, 2) || substr(date, 21, 3) AS INTEGER)
            + length(title) + coalesce(length(place), -1) + seats + CAST(price * 4 AS INTEGER) + isPaid) FROM booking
        """
}

private let insertBookings = Workload(
    "insert-codable-dates", "20,000 Codable records of 8 columns with a Date and a UUID", atMost: 2.20
) {
    let connection = CConnection()
    let queue = try DatabaseQueue()
    connection.execute(Booking.createTable)
    try queue.write { try $0.execute(sql: Booking.createTable) }
    let samples = Booking.samples(count: 20_000)
    return Workload.Sides(
        reset: {
            connection.execute("DELETE FROM booking")
            try queue.write { try $0.execute(sql: "DELETE FROM booking") }
        },
        byHand: {
            var bookings = samples
            connection.inTransaction { insertByHand(&bookings, connection) }
            return bookings.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        throughStrata: {
            var bookings = samples
            try queue.write { db in
                for index in bookings.indices {
                    try bookings[index].insert(db)
                }
            }
            return bookings.reduce(0) { $0 &+ Int($1.id ?? 0) }
        },
        contents: {
            let contents = try queue.read { try Int.fetchOne($0, sql: Booking.contents) ?? 0 }
            return (connection.number(Booking.contents), contents)
        })
}

private func insertByHand(_ bookings: inout [Booking], _ connection: CConnection) {
    let statement = connection.prepare(
        "INSERT INTO booking (id, token, date, title, place, seats, price, isPaid) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    defer { sqlite3_finalize(statement) }
    for index in bookings.indices {
        var booking = bookings[index]
        bind(booking.id, statement, 1)
        sqlite3_bind_int64(statement, 6, Int64(booking.seats))
        sqlite3_bind_double(statement, 7, booking.price)
        sqlite3_bind_int64(statement, 8, booking.isPaid ? 1 : 0)
        withBound(booking.token, statement, 2) {
            withBound(booking.date, statement, 3) {
                withBound(&booking.title, statement, 4) {
                    withBound(&booking.place, statement, 5) { connection.run(statement) }
                }
            }
        }
        bookings[index].id = sqlite3_last_insert_rowid(connection.handle)
    }
}
