import Foundation

/// An event, of 7 columns, which is fetched.
struct Event: Codable {
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
