import Foundation
import Strata
import Testing

@Suite("Samples of the guide Values")
struct ValuesGuideTests {
    struct Visit: Codable, FetchableRecord, PersistableRecord {
        var page: String
        var date: Date

        enum Columns {
            static let page = Column(CodingKeys.page)
            static let date = Column(CodingKeys.date)
        }
    }

    struct Measurement: Codable, FetchableRecord, PersistableRecord {
        var time: Date
        var value: Double

        static func databaseDateEncodingStrategy(
            for column: String
        ) -> DatabaseDateEncodingStrategy {
            .millisecondsSince1970
        }
        static func databaseDateDecodingStrategy(
            for column: String
        ) -> DatabaseDateDecodingStrategy {
            .millisecondsSince1970
        }
    }

    struct Person: Codable, FetchableRecord, PersistableRecord {
        var name: String
        var birthday: DatabaseDateComponents
    }

    struct Item: Codable, FetchableRecord, PersistableRecord {
        var name: String
        var price: Decimal
    }

    enum Suit: String, Codable, DatabaseValueConvertible {
        case clubs, diamonds, hearts, spades
    }

    struct Card: Codable, FetchableRecord, PersistableRecord {
        var suit: Suit
        var rank: Int
    }

    struct Color: DatabaseValueConvertible, Codable, Equatable {
        var red: UInt8
        var green: UInt8
        var blue: UInt8

        var databaseValue: DatabaseValue {
            (Int64(red) << 16 | Int64(green) << 8 | Int64(blue)).databaseValue
        }

        static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Color? {
            guard let number = Int64.fromDatabaseValue(dbValue),
                (0...0xFFFFFF).contains(number)
            else { return nil }
            return Color(
                red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF),
                blue: UInt8(number & 0xFF))
        }
    }

    struct Profile: Codable, FetchableRecord, PersistableRecord {
        struct Address: Codable {
            var city: String
            var street: String?
        }

        var name: String
        var address: Address

        enum Columns {
            static let address = JSONColumn("address")
        }
    }

    private func read<T>(_ sql: String, _ body: (Database) throws -> T) throws -> T {
        try DatabaseQueue().write { db in
            try db.execute(sql: sql)
            return try body(db)
        }
    }

    @Test("Dates are stored in UTC, and compared")
    func dates() throws {
        try read("CREATE TABLE visit (page TEXT NOT NULL, date DATETIME NOT NULL)") { db in
            let (_, sql) = try db.recordingSQL {
                // INSERT INTO "visit" ("page", "date") VALUES ('start', '2026-11-23 08:30:00.000')
                try Visit(page: "start", date: Date(timeIntervalSince1970: 1_795_422_600)).insert(db)

                // SELECT * FROM "visit" WHERE "date" >= '2026-11-01 00:00:00.000'
                let november = Date(timeIntervalSince1970: 1_793_491_200)
                let visits = try Visit.filter { $0.date >= november }.fetchAll(db)

                let days = try String.fetchAll(db, sql: "SELECT DISTINCT date(date) FROM visit")
                // ["2026-11-23"]
                #expect(visits.map(\.page) == ["start"])
                #expect(visits.first?.date == Date(timeIntervalSince1970: 1_795_422_600))
                #expect(days == ["2026-11-23"])
            }
            #expect(sql.contains(#"INSERT INTO "visit" ("page", "date") VALUES ('start', '2026-11-23 08:30:00.000')"#))
            #expect(sql.contains(#"SELECT * FROM "visit" WHERE "date" >= '2026-11-01 00:00:00.000'"#))
        }
        #expect(Date.fromDatabaseValue("2026-11-23T08:30:00Z".databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
        #expect(Date.fromDatabaseValue(1_795_422_600.databaseValue) == Date(timeIntervalSince1970: 1_795_422_600))
    }

    @Test("A strategy also holds for queries")
    func strategies() throws {
        try read("CREATE TABLE measurement (time INTEGER NOT NULL, value REAL NOT NULL)") { db in
            try Measurement(time: Date(timeIntervalSince1970: 1_795_422_601), value: 1).insert(db)
            let (_, sql) = try db.recordingSQL {
                // SELECT * FROM "measurement" WHERE "time" > 1795422600000
                let recent = try Measurement.filter(
                    Column("time") > Date(timeIntervalSince1970: 1_795_422_600)
                ).fetchAll(db)
                #expect(recent.map(\.time) == [Date(timeIntervalSince1970: 1_795_422_601)])
            }
            #expect(sql == [#"SELECT * FROM "measurement" WHERE "time" > 1795422600000"#])
        }
    }

    @Test("A birthday is no point in time")
    func components() throws {
        try read("CREATE TABLE person (name TEXT, birthday TEXT)") { db in
            let birthday = DatabaseDateComponents(
                DateComponents(year: 1815, month: 12, day: 10), format: .YMD)
            try Person(name: "Ada", birthday: birthday).insert(db)  // '1815-12-10'
            let person = try Person.fetchOne(db)
            let month = person?.birthday.dateComponents.month  // 12
            #expect(month == 12)
            try #expect(String.fetchOne(db, sql: "SELECT birthday FROM person") == "1815-12-10")
        }
    }

    @Test("Decimals keep their digits")
    func decimals() throws {
        try read("") { db in
            try db.create(table: "item") { t in
                t.primaryKey("name", .text)
                t.column("price", .text).notNull()
            }
            try Item(name: "tea", price: Decimal(string: "0.10")!).insert(db)  // '0.1'
            let tea = try Item.find(db, key: "tea")  // 0.1, and not 0.1000000000000000055…
            #expect(tea.price == Decimal(string: "0.1"))
            try #expect(String.fetchOne(db, sql: "SELECT price FROM item") == "0.1")
            try #expect(String.fetchOne(db, sql: "SELECT typeof(CAST('12.50' AS NUMERIC))") == "real")
        }
    }

    @Test("Enums are their raw values")
    func enums() throws {
        try read("CREATE TABLE card (suit TEXT, rank INTEGER)") { db in
            try Card(suit: .hearts, rank: 12).insert(db)  // 'hearts'
            let hearts = try Card.filter(Column("suit") == Suit.hearts).fetchAll(db)
            let suits = try Suit.fetchSet(db, sql: "SELECT DISTINCT suit FROM card")
            #expect(hearts.map(\.rank) == [12])
            #expect(suits == [.hearts])
            try #expect(String.fetchOne(db, sql: "SELECT suit FROM card") == "hearts")
            try db.execute(sql: "UPDATE card SET suit = 'stars'")
            #expect(throws: (any Error).self) { try Card.fetchAll(db) }
        }
    }

    @Test("Types of one's own are stored as they say")
    func custom() throws {
        try read("CREATE TABLE paint (color INTEGER)") { db in
            try db.execute(
                sql: "INSERT INTO paint (color) VALUES (?)",
                arguments: [Color(red: 255, green: 127, blue: 0)])
            let color = try Color.fetchOne(db, sql: "SELECT color FROM paint")
            #expect(color == Color(red: 255, green: 127, blue: 0))
            try #expect(Int.fetchOne(db, sql: "SELECT color FROM paint") == 0xFF7F00)
            try db.execute(sql: "UPDATE paint SET color = -1")
            #expect(throws: RowDecodingError.self) { try Color.fetchOne(db, sql: "SELECT color FROM paint") }
        }
    }

    @Test("SQL looks into JSON")
    func json() throws {
        try read("CREATE TABLE profile (name TEXT, address TEXT)") { db in
            let (_, sql) = try db.recordingSQL {
                try Profile(name: "Ada", address: .init(city: "London", street: nil)).insert(db)
                // '{"city":"London"}'

                // SELECT * FROM "profile" WHERE "address" ->> 'city' = 'London'
                let londoners = try Profile.filter { $0.address["city"] == "London" }.fetchAll(db)
                #expect(londoners.map(\.name) == ["Ada"])
            }
            #expect(sql.last == #"SELECT * FROM "profile" WHERE "address" ->> 'city' = 'London'"#)
            try #expect(String.fetchOne(db, sql: "SELECT address FROM profile") == #"{"city":"London"}"#)
        }
    }

    @Test("A text is no number, and a real has an integer part")
    func conversions() throws {
        try read("") { db in
            #expect(throws: RowDecodingError.self) { try Int.fetchOne(db, sql: "SELECT 'abc'") }
            try #expect(Int.fetchOne(db, sql: "SELECT 2.7") == 2)
            #expect(throws: RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
        }
    }
}
