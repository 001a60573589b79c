import Strata

// Records with a Date and a UUID.

let eventWorkloads = [fetchEvents, insertBookings]

extension Event: FetchableRecord {}

private let fetchEvents = Workload(
    "fetch-codable-dates", "20,000 Codable records of 7 columns with a Date and a UUID", atMost: 2.10
) {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(sql: Event.createTable)
        try db.execute(sql: Event.fillTable(count: rowCount(20_000)))
    }
    return Rounds {
        [Event]()
    } work: { events in
        events = try queue.read { try Event.fetchAll($0, sql: "SELECT * FROM event") }
    } check: {
        checksum($0) { $0.checksum }
    }
}

extension Booking: MutablePersistableRecord {
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

private let insertBookings = Workload(
    "insert-codable-dates", "20,000 Codable records of 8 columns with a Date and a UUID", atMost: 2.20
) {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: Booking.createTable) }
    let samples = Booking.samples(count: rowCount(20_000))
    return Rounds {
        try queue.write { try $0.execute(sql: "DELETE FROM booking") }
        return unshared(samples)
    } work: { bookings in
        try queue.write { db in
            for index in bookings.indices {
                try bookings[index].insert(db)
            }
        }
    } check: { (bookings: [Booking]) in
        let contents = try queue.read { try Int.fetchOne($0, sql: Booking.contents) ?? 0 }
        return checksum(bookings) { Int($0.id ?? 0) } &* 31 &+ contents
    }
}
