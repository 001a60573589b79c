import CSQLite
import Foundation

// Records with a Date and a UUID.

let eventSides = [fetchEvents, insertBookings]

extension Event {
    /// The event in the current row, by hand.
    @inline(__always)
    init(_ statement: OpaquePointer) {
        self.init(
            id: sqlite3_column_int64(statement, 0), token: readUUID(statement, 1), date: readDate(statement, 2), title: text(statement, 3)!,
            place: text(statement, 4), seats: Int(sqlite3_column_int64(statement, 5)), price: sqlite3_column_double(statement, 6))
    }
}

private let fetchEvents = Side("fetch-codable-dates") {
    let connection = CConnection()
    connection.execute(Event.createTable)
    connection.execute(Event.fillTable(count: rowCount(20_000)))
    return Rounds {
        [Event]()
    } work: { events in
        let statement = connection.prepare("SELECT * FROM event")
        defer { sqlite3_finalize(statement) }
        while sqlite3_step(statement) == SQLITE_ROW {
            events.append(Event(statement))
        }
    } check: {
        checksum($0) { $0.checksum }
    }
}

private let insertBookings = Side("insert-codable-dates") {
    let connection = CConnection()
    connection.execute(Booking.createTable)
    let samples = Booking.samples(count: rowCount(20_000))
    return Rounds {
        connection.execute("DELETE FROM booking")
        return unshared(samples)
    } work: { bookings in
        connection.inTransaction {
            let statement = connection.prepare(
                "INSERT INTO booking (id, token, date, title, place, seats, price, isPaid) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            defer { sqlite3_finalize(statement) }
            for index in bookings.indices { bookings[index].insert(statement, connection) }
        }
    } check: { (bookings: [Booking]) in
        checksum(bookings) { Int($0.id ?? 0) } &* 31 &+ connection.number(Booking.contents)
    }
}

extension Booking {
    /// Inserts the booking by a statement, and notes its id.
    @inline(__always)
    fileprivate mutating func insert(_ statement: OpaquePointer, _ connection: CConnection) {
        bind(id, statement, 1)
        sqlite3_bind_int64(statement, 6, Int64(seats))
        sqlite3_bind_double(statement, 7, price)
        sqlite3_bind_int64(statement, 8, isPaid ? 1 : 0)
        withBound(token, statement, 2) {
            withBound(date, statement, 3) {
                withBound(&title, statement, 4) {
                    withBound(&place, statement, 5) { connection.run(statement) }
                }
            }
        }
        id = sqlite3_last_insert_rowid(connection.handle)
    }
}
