import Foundation

/// A booking, of 8 columns, which is inserted.
struct Booking: Codable {
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

    /// A number that depends on what the table holds.
    static let contents = """
        SELECT sum(id * unicode(substr(hex(token), 1 + id % 32, 1)) + (CAST(substr(date, 1, 4) AS INTEGER) * 12
            + CAST(substr(date, 6, 2) AS INTEGER) * 31 + CAST(substr(date, 9, 2) AS INTEGER)) * 24
            + CAST(substr(date, 12, 2) || substr(date, 15, 2) || substr(date, 18, 2) || substr(date, 21, 3) AS INTEGER)
            + length(title) + coalesce(length(place), -1) + seats + CAST(price * 4 AS INTEGER) + isPaid) FROM booking
        """
}
