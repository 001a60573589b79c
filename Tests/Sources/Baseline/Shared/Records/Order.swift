import CSQLite

/// An order, of 14 columns: an integer key, three integers that may be NULL, a real, and nine strings of 5 to 40 bytes, three of
/// which may be NULL.
struct Order: Codable {
    var id: Int64
    var customerID: Int64?
    var employeeID: Int64?
    var shipperID: Int64?
    var freight: Double
    var orderDate: String
    var requiredDate: String
    var shippedDate: String?
    var shipName: String
    var shipAddress: String
    var shipCity: String
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String

    static let createTable = """
        CREATE TABLE "order" (
            id INTEGER PRIMARY KEY, customerID INTEGER, employeeID INTEGER, shipperID INTEGER, freight REAL NOT NULL,
            orderDate TEXT NOT NULL, requiredDate TEXT NOT NULL, shippedDate TEXT, shipName TEXT NOT NULL,
            shipAddress TEXT NOT NULL, shipCity TEXT NOT NULL, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT NOT NULL)
        """

    /// Fills the table with orders that are the same each time.
    static func fillTable(count: Int) -> String {
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO "order" SELECT
            i, iif(i % 7, i % 91, NULL), iif(i % 5, i % 9, NULL), iif(i % 11, i % 3, NULL), (i % 1000) / 8.0,
            printf('2024-%02d-%02d 08:15:%02d.000', i % 12 + 1, i % 28 + 1, i % 60),
            printf('2024-%02d-%02d 08:15', i % 12 + 1, i % 28 + 1),
            iif(i % 6, printf('2024-%02d-%02d', i % 12 + 1, i % 28 + 1), NULL),
            printf('Hungry Coyote Import Store %d', i % 97), printf('City Center Plaza %d, Main Street', i),
            printf('Elgin-%d', i % 53), iif(i % 3, printf('Oregon %d', i % 10), NULL), iif(i % 10, printf('%05d', i), NULL),
            printf('Country %d', i % 21)
            FROM n
        """
    }

    /// A number that depends on all columns.
    var checksum: Int {
        var sum = Int(id) &+ Int(customerID ?? -1) &+ Int(employeeID ?? -2) &+ Int(shipperID ?? -3) &+ Int(freight * 8)
        sum &+= orderDate.utf8.count &+ requiredDate.utf8.count &+ (shippedDate?.utf8.count ?? -4) &+ shipName.utf8.count
        sum &+= shipAddress.utf8.count &+ shipCity.utf8.count &+ (shipRegion?.utf8.count ?? -5)
        return sum &+ (shipPostalCode?.utf8.count ?? -6) &+ shipCountry.utf8.count
    }
}

extension Order {
    /// The order in the current row, by hand.
    @inline(__always)
    init(_ statement: OpaquePointer) {
        self.init(
            id: sqlite3_column_int64(statement, 0), customerID: integer(statement, 1), employeeID: integer(statement, 2),
            shipperID: integer(statement, 3), freight: sqlite3_column_double(statement, 4), orderDate: text(statement, 5)!,
            requiredDate: text(statement, 6)!, shippedDate: text(statement, 7), shipName: text(statement, 8)!,
            shipAddress: text(statement, 9)!, shipCity: text(statement, 10)!, shipRegion: text(statement, 11),
            shipPostalCode: text(statement, 12), shipCountry: text(statement, 13)!)
    }
}
