import Foundation
import Strata
import Testing

private func withDatabase<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try DatabaseQueue().writeWithoutTransaction(body)
}

/// The first row of a query.
private func row(_ sql: String, _ arguments: StatementArguments = []) throws -> Row {
    try withDatabase { try #require(try Row.fetchOne($0, sql: sql, arguments: arguments)) }
}

/// The samples of the pages on values.
struct ValueTests {
    enum Color: Int {
        case red, white, rose
    }

    enum Grape: String {
        case chardonnay, merlot, riesling
    }

    struct RGB: Equatable {
        let red: Double
        let green: Double
        let blue: Double
    }

    /// Accesses a database with a table of columns without affinity.
    func withTable(_ sql: String, _ body: (Database) throws -> Void) throws {
        try withDatabase { db in
            try db.execute(sql: "CREATE TABLE \(sql)")
            try body(db)
        }
    }

    static var supportedTypes: [(any DatabaseValueConvertible, String)] {
        [
            // Swift standard library
            (true, "integer"), (1.5, "real"), (1.5 as Float, "real"),
            (1 as Int, "integer"), (1 as Int8, "integer"), (1 as Int16, "integer"), (1 as Int32, "integer"), (1 as Int64, "integer"),
            (1 as UInt, "integer"), (1 as UInt8, "integer"), (1 as UInt16, "integer"), (1 as UInt32, "integer"),
            (1 as UInt64, "integer"),
            ("a", "text"), (Color.red, "integer"), (Grape.merlot, "text"),
            // Foundation
            (Data([1]), "blob"), (Date(timeIntervalSince1970: 0), "text"),
            (DatabaseDateComponents(DateComponents(year: 1973), format: .YMD), "text"),
            (Decimal(10), "text"), (NSNull(), "null"), (NSNumber(value: 1), "integer"), (NSNumber(value: 1.5), "real"),
            (NSDecimalNumber(string: "1"), "integer"), (NSDecimalNumber(string: "1.5"), "real"), (NSString("a"), "text"),
            (URL(string: "http://example.com")!, "text"), (UUID(), "blob"),
            // CoreGraphics
            (CGFloat(1), "real"),
        ]
    }

    @Test(arguments: supportedTypes.indices)
    func `Supported value types`(_ index: Int) throws {
        let (value, storage) = Self.supportedTypes[index]
        #expect(try row("SELECT typeof(?)", [value])[0] == storage, "\(type(of: value))")
    }

    @Test
    func `Using values`() throws {
        try withTable("link (url, verified)") { db throws in
            let url = URL(string: "https://github.com/groue/GRDB.swift")!
            let verified = true
            try db.execute(
                sql: "INSERT INTO link (url, verified) VALUES (?, ?)",
                arguments: [url, verified])

            // Extract values from rows:
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM link")
            while let row = try rows.next() {
                let rowURL: URL = row["url"]
                let rowVerified: Bool = row["verified"]
                #expect(rowURL == url)
                #expect(rowVerified)
            }

            // Fetch values directly:
            let urls = try URL.fetchAll(db, sql: "SELECT url FROM link")  // [URL]
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM link")  // Int?
            #expect(urls == [url])
            #expect(count == 1)
        }
    }

    @Test(arguments: [(0, false), (1, true), (2, true), (-1, true)])
    func `A Bool is stored and fetched`(stored: Int, value: Bool) throws {
        try withTable("settings (enabled)") { db throws in
            try db.execute(sql: "INSERT INTO settings (enabled) VALUES (?)", arguments: [value])
            let enabled: Bool = try Bool.fetchOne(db, sql: "SELECT enabled FROM settings")!
            #expect(enabled == value)
            #expect(try Int.fetchOne(db, sql: "SELECT enabled FROM settings") == (value ? 1 : 0))
            #expect(try Bool.fetchOne(db, sql: "SELECT ?", arguments: [stored]) == value)
        }
    }

    @Test
    func `Integers are stored and fetched`() throws {
        try withTable("game (score, playerId, level)") { db throws in
            let score: Int = 1000
            let playerId: Int64 = 42
            let smallValue: UInt8 = 255

            try db.execute(
                sql: "INSERT INTO game (score, playerId, level) VALUES (?, ?, ?)",
                arguments: [score, playerId, smallValue])
            let row = try Row.fetchOne(db, sql: "SELECT * FROM game")!
            #expect(row["score"] == score)
            #expect(row["playerId"] == playerId)
            #expect(row["level"] == smallValue)
            // Larger than Int64.max: an error, before anything is stored.
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "INSERT INTO game (score) VALUES (?)", arguments: [UInt64.max])
            }
            #expect(throws: RowDecodingError.self) { try row.decode(Int8.self, forKey: "level") }
        }
    }

    @Test
    func `A String is stored and fetched`() throws {
        try withTable("player (name)") { db throws in
            let name = "Arthur"
            try db.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: [name])

            let names = try String.fetchAll(db, sql: "SELECT name FROM player")
            #expect(names == ["Arthur"])
        }
    }

    @Test
    func `Data, and memory savings`() throws {
        try withTable("photo (image)") { db throws in
            let imageData = Data([0xFF, 0xD8, 0xFF])
            try db.execute(sql: "INSERT INTO photo (image) VALUES (?)", arguments: [imageData])

            let row = try Row.fetchOne(db, sql: "SELECT image FROM photo")!
            let data: Data = row["image"]
            #expect(data == imageData)

            var lengths: [Int?] = []
            let rows = try Row.fetchCursor(db, sql: "SELECT image FROM photo UNION ALL SELECT NULL")
            while let row = try rows.next() {
                try row.withUnsafeData(name: "image") { (data: Data?) in
                    // Use data here - it doesn't outlive this closure
                    lengths.append(data?.count)
                }
            }
            #expect(lengths == [3, nil])
        }
    }

    @Test
    func `A Date is stored and fetched`() throws {
        try withTable("player (creationDate)") { db throws in
            let now = Date()
            try db.execute(
                sql: "INSERT INTO player (creationDate) VALUES (?)",
                arguments: [now])

            let row = try Row.fetchOne(db, sql: "SELECT creationDate FROM player")!
            let creationDate: Date = row["creationDate"]
            #expect(abs(creationDate.timeIntervalSince(now)) < 0.001)

            // "YYYY-MM-DD HH:MM:SS.SSS" in UTC, which SQLite understands, and writes.
            #expect(
                try String.fetchOne(db, sql: "SELECT ?", arguments: [Date(timeIntervalSince1970: 0.5)])
                    == "1970-01-01 00:00:00.500")
            #expect(try Bool.fetchOne(db, sql: "SELECT julianday(creationDate) IS NOT NULL FROM player") == true)
            #expect(try Date.fetchOne(db, sql: "SELECT CURRENT_TIMESTAMP") != nil)
            #expect(throws: (any Error).self) {
                try db.execute(sql: "INSERT INTO player (creationDate) VALUES (?)", arguments: [Date.distantPast - 1e12])
            }
        }
    }

    @Test
    func `Custom date formats`() throws {
        try withTable("event (timestamp)") { db throws in
            let date = Date()
            let timeInterval = date.timeIntervalSinceReferenceDate
            try db.execute(
                sql: "INSERT INTO event (timestamp) VALUES (?)",
                arguments: [timeInterval])

            if let row = try Row.fetchOne(db, sql: "SELECT timestamp FROM event") {
                let timeInterval: TimeInterval = row["timestamp"]
                #expect(Date(timeIntervalSinceReferenceDate: timeInterval) == date)
            }
        }
    }

    @Test
    func `A DateComponents is stored and fetched`() throws {
        try withTable("player (birthDate)") { db throws in
            var components = DateComponents()
            components.year = 1973
            components.month = 9
            components.day = 18

            // Store as "1973-09-18"
            let dbComponents = DatabaseDateComponents(components, format: .YMD)
            try db.execute(
                sql: "INSERT INTO player (birthDate) VALUES (?)",
                arguments: [dbComponents])

            // Read back
            let row = try Row.fetchOne(db, sql: "SELECT birthDate FROM player")!
            let stored: DatabaseDateComponents = row["birthDate"]
            #expect(stored.format == .YMD)
            #expect(stored.dateComponents == components)
            #expect(row["birthDate"] == "1973-09-18")
        }
    }

    @Test
    func `Decimal and NSNumber`() throws {
        try withTable("transfer (amount)") { db throws in
            // Stores as INTEGER
            try db.execute(
                sql: "INSERT INTO transfer VALUES (?)",
                arguments: [NSNumber(value: 10)])

            // Stores as REAL
            try db.execute(
                sql: "INSERT INTO transfer VALUES (?)",
                arguments: [NSNumber(value: 10.5)])

            // Stores as '10.5'
            try db.execute(
                sql: "INSERT INTO transfer VALUES (?)",
                arguments: [Decimal(string: "10.5")!])

            #expect(try String.fetchAll(db, sql: "SELECT typeof(amount) FROM transfer") == ["integer", "real", "text"])
            let amount = try Decimal.fetchOne(db, sql: "SELECT amount FROM transfer WHERE typeof(amount) = 'text'")
            #expect(amount == Decimal(string: "10.5"))
        }
    }

    @Test
    func `A URL is stored and fetched`() throws {
        try withTable("link (url)") { db throws in
            let url = URL(string: "https://github.com/groue/GRDB.swift")!
            try db.execute(sql: "INSERT INTO link (url) VALUES (?)", arguments: [url])

            let urls = try URL.fetchAll(db, sql: "SELECT url FROM link")
            #expect(urls == [url])
        }
    }

    @Test
    func `A UUID is stored and fetched`() throws {
        try withTable("session (id)") { db throws in
            let id = UUID()
            try db.execute(sql: "INSERT INTO session (id) VALUES (?)", arguments: [id])

            let sessionId: UUID = try UUID.fetchOne(db, sql: "SELECT id FROM session")!
            #expect(sessionId == id)
            #expect(try Int.fetchOne(db, sql: "SELECT length(id) FROM session WHERE typeof(id) = 'blob'") == 16)
            #expect(
                try UUID.fetchOne(db, sql: "SELECT 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'")
                    == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        }
    }

    @Test
    func `Swift enums`() throws {
        try withTable("wine (grape, color)") { db throws in
            // Store
            try db.execute(
                sql: "INSERT INTO wine (grape, color) VALUES (?, ?)",
                arguments: [Grape.merlot, Color.red])

            // Read
            let row = try Row.fetchOne(db, sql: "SELECT * FROM wine")!
            let grape: Grape = row["grape"]  // .merlot
            let color: Color = row["color"]  // .red
            #expect(grape == .merlot)
            #expect(color == .red)
        }
    }

    @Test(arguments: ["'merlot'", "'syrah'", "NULL"])
    func `Handling unknown values`(sql: String) throws {
        try withDatabase { db throws in
            let row = try Row.fetchOne(db, sql: "SELECT \(sql)")!

            let dbValue: DatabaseValue = row[0]
            if dbValue.isNull {
                // Handle NULL
                #expect(sql == "NULL")
            } else if let grape = Grape.fromDatabaseValue(dbValue) {
                // Handle valid grape
                #expect(grape == .merlot)
            } else {
                // Handle unknown grape
                #expect(sql == "'syrah'")
                #expect(throws: RowDecodingError.self) { try row.decode(Grape.self, atIndex: 0) }
            }
        }
    }

    @Test
    func `Custom value types`() throws {
        let color = RGB(red: 1, green: 0.5, blue: 0)
        #expect(try row("SELECT ? AS color", [color])["color"] == color)
        #expect(try row("SELECT ? AS color", [color])["color"] == "1.0,0.5,0.0")
        #expect(throws: RowDecodingError.self) { try row("SELECT '1,2'").decode(RGB.self, atIndex: 0) }
    }

    @Test
    func `NULL handling`() async throws {
        try withTable("player (name, email)") { db throws in
            // Writing NULL
            try db.execute(
                sql: "INSERT INTO player (name, email) VALUES (?, ?)",
                arguments: ["Arthur", nil])  // email will be NULL

            // NULL-safe reading
            let row = try Row.fetchOne(db, sql: "SELECT * FROM player")!
            let email: String? = row["email"]  // nil if NULL
            #expect(email == nil)
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row = try row("SELECT NULL AS name")
            let _: String = row["name"]  // fatal error if NULL
        }
        #expect(result?.message.contains(#"could not decode String from column 0 "name": its value is NULL"#) == true)
    }

    @Test(arguments: ["1", "1.0"])
    func `Type conversions: all numeric values to all numeric types and Bool`(_ number: String) throws {
        let row = try row("SELECT \(number), NULL")
        #expect(row[0] as Bool)
        #expect(row[0] as Int == 1)
        #expect(row[0] as Int8 == 1)
        #expect(row[0] as Int16 == 1)
        #expect(row[0] as Int32 == 1)
        #expect(row[0] as Int64 == 1)
        #expect(row[0] as UInt == 1)
        #expect(row[0] as UInt8 == 1)
        #expect(row[0] as UInt16 == 1)
        #expect(row[0] as UInt32 == 1)
        #expect(row[0] as UInt64 == 1)
        #expect(row[0] as Double == 1)
        #expect(row[0] as Float == 1)
        #expect(row[0] as CGFloat == 1)
        // NULL converts to nil for optional types.
        #expect(row[1] as Int? == nil)
        #expect(row[1] as Double? == nil)
    }

    @Test
    func `Type conversions`() async throws {
        try withDatabase { db throws in
            let row = try Row.fetchOne(db, sql: "SELECT 'not a date'")!
            #expect(row[0] as String == "not a date")

            let dbValue: DatabaseValue = row[0]
            #expect(Date.fromDatabaseValue(dbValue) == nil)
            #expect(throws: RowDecodingError.self) { try row.decode(Date.self, atIndex: 0) }
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row = try row("SELECT 'not a date'")
            _ = row[0] as Date  // fatal error
        }
        #expect(result?.message.contains("could not decode Date from column 0") == true)
    }
}

// Declare DatabaseValueConvertible adoption
extension ValueTests.Color: DatabaseValueConvertible {}
extension ValueTests.Grape: DatabaseValueConvertible {}

extension ValueTests.RGB: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        "\(red),\(green),\(blue)".databaseValue
    }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
        guard let string = String.fromDatabaseValue(dbValue) else {
            return nil
        }
        let components = string.split(separator: ",").compactMap { Double($0) }
        guard components.count == 3 else { return nil }
        return Self(red: components[0], green: components[1], blue: components[2])
    }
}
