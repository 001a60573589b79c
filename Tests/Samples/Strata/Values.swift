import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataValuesSamples {
    // sample: Dates 1

    // sample: Dates 3

    // sample: Dates 6

    // sample: Dates that SQL writes 2

    // sample: UUIDs 1

    // sample: Decimals and money 1

    // sample: Decimals and money 3

    // sample: Enums 1

    // sample: Your own types 1

    // sample: JSON 1

    private func read<T>(_ sql: String, _ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            return try body(db)
        }
    }

    @Test
    func `Dates are stored in UTC, and compared`() throws {
        try read("CREATE TABLE visit (page TEXT NOT NULL, date DATETIME NOT NULL)") { db in
            // sample: Dates 2
            #expect(visits.map(\.page) == ["start"])
            #expect(visits.first?.date == Date(timeIntervalSince1970: 1_795_422_600))
            #expect(days == ["2026-11-23"])
            // sample: Dates 5
            #expect(isEqual)
        }
        #expect(Date.fromDatabaseValue("2026-11-23T08:30:00Z".databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
        #expect(Date.fromDatabaseValue(1_795_422_600.databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
    }

    @Test
    func `A strategy also holds for queries`() throws {
        try read("CREATE TABLE measurement (time INTEGER NOT NULL, value REAL NOT NULL)") { db in
            try Measurement(time: Date(timeIntervalSince1970: 1_795_422_601), value: 1).insert(db)
            // sample: Dates 4
            #expect(recent.map(\.time) == [Date(timeIntervalSince1970: 1_795_422_601)])
        }
    }

    @Test
    func `A birthday is not a point in time`() throws {
        try read("CREATE TABLE person (name TEXT, birthday TEXT)") { db in
            // sample: Dates 7
            #expect(month == 12)
            try #expect(String.fetchOne(db, sql: "SELECT birthday FROM person") == "1815-12-10")
        }
    }

    @Test
    func `Dates that SQL has written are found, and written as they were`() throws {
        try read("") { db in
            // sample: Dates that SQL writes 1
            try db.execute(sql: "INSERT INTO note DEFAULT VALUES")
            let date = try #require(try Date.fetchOne(db, sql: "SELECT createdAt FROM note"))
            try #expect(Int.fetchOne(db, sql: "SELECT count(*) FROM note WHERE createdAt = ?", arguments: [date]) == 1)
            // sample: Dates that SQL writes 3
            #expect(count == 1)
            try #expect(String.fetchAll(db, sql: "SELECT createdAt FROM message") == ["2026-11-28 10:00:00"])
        }
    }

    @Test
    func `UUIDs are text where a record says so`() throws {
        try read("") { db in
            // sample: UUIDs 2
            #expect(found.id == order.id)
        }
    }

    @Test
    func `Decimals keep their digits`() throws {
        try read("") { db in
            // sample: Decimals and money 2
            // sample: Decimals and money 4
            #expect(large.map(\.id) == [1])
            try #expect(String.fetchOne(db, sql: "SELECT typeof(amount) FROM payment") == "integer")
            #expect(tea.price == Decimal(string: "0.1"))
            try #expect(String.fetchOne(db, sql: "SELECT price FROM item") == "0.1")
            try #expect(String.fetchOne(db, sql: "SELECT typeof(CAST('12.50' AS NUMERIC))") == "real")
        }
    }

    @Test
    func `Enums are their raw values`() throws {
        try read("CREATE TABLE card (suit TEXT, rank INTEGER)") { db in
            // sample: Enums 2
            #expect(hearts.map(\.rank) == [12])
            #expect(suits == [.hearts])
            try #expect(String.fetchOne(db, sql: "SELECT suit FROM card") == "hearts")
            try db.execute(sql: "UPDATE card SET suit = 'stars'")
            #expect(throws: (any Error).self) { try Card.fetchAll(db) }
        }
    }

    @Test
    func `Types of one's own are stored as they say`() throws {
        try read("CREATE TABLE paint (color INTEGER)") { db in
            // sample: Your own types 2
            #expect(color == Color(red: 255, green: 127, blue: 0))
            try #expect(Int.fetchOne(db, sql: "SELECT color FROM paint") == 0xFF7F00)
            try db.execute(sql: "UPDATE paint SET color = -1")
            #expect(throws: RowDecodingError.self) { try Color.fetchOne(db, sql: "SELECT color FROM paint") }
        }
    }

    @Test
    func `SQL looks into JSON`() throws {
        try read("CREATE TABLE profile (name TEXT, address TEXT)") { db in
            // sample: JSON 2
            #expect(londoners.map(\.name) == ["Ada"])
            try #expect(String.fetchOne(db, sql: "SELECT address FROM profile") == #"{"city":"London"}"#)
        }
    }

    @Test
    func `A string is not a number, and a real has an integer part`() throws {
        try read("") { db in
            #expect(throws: RowDecodingError.self) { try Int.fetchOne(db, sql: "SELECT 'abc'") }
            try #expect(Int.fetchOne(db, sql: "SELECT 2.7") == 2)
            #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
        }
    }
}
