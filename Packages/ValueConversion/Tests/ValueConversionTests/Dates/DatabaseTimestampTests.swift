import Foundation
import Testing
import ValueConversion

@Suite struct DatabaseTimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00"),
            (-0.001, "1969-12-31 23:59:59.999"),
            (0.0004, "1970-01-01 00:00:00"),
            (0.0006, "1970-01-01 00:00:00.001"),
            (0.1, "1970-01-01 00:00:00.100"),
            (951_868_799.9996, "2000-03-01 00:00:00"),
            (-62_167_219_200, "0000-01-01 00:00:00"),
            (253_402_300_799, "9999-12-31 23:59:59"),
            (253_402_300_799.9996, "9999-12-31 23:59:59.999"),
        ] as [(Double, String)])
    func `A timestamp has milliseconds only if they are not zero`(secondsSince1970: Double, text: String) throws {
        let timestamp = DatabaseTimestamp(Date(timeIntervalSince1970: secondsSince1970))
        let db = try TestDatabase()
        #expect(timestamp.databaseValue == .text(text))
        #expect(try timestamp.bindingValue() == .text(text))
        #expect(try db.databaseValue(boundBy: timestamp) == .text(text))
        #expect(try db.databaseValue(of: "?", arguments: [timestamp]) == .text(text))
    }

    @Test(arguments: [-62_167_219_201, 253_402_300_800, -1e300, .infinity, .nan])
    func `A timestamp out of the years 0000 to 9999 is an error`(secondsSince1970: Double) throws {
        let timestamp = DatabaseTimestamp(Date(timeIntervalSince1970: secondsSince1970))
        let db = try TestDatabase()
        #expect(throws: DatabaseError.self) { try timestamp.bindingValue() }
        #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT ?", arguments: [timestamp]) }
        #expect(throws: DatabaseError.self) { try db.databaseValue(boundBy: timestamp) }
    }

    @Test
    func `The value of a timestamp out of range stops the program`() async {
        await #expect(processExitsWith: .failure) { _ = DatabaseTimestamp(Date(timeIntervalSince1970: 1e12)).databaseValue }
    }

    @Test(arguments: ["CURRENT_TIMESTAMP", "datetime('now')", "strftime('%Y-%m-%d %H:%M:%S', 'now')", "datetime(-1, 'unixepoch')"])
    func `What SQLite's functions write is written again as the same bytes`(sql: String) throws {
        let db = try TestDatabase()
        let stored = try db.databaseValue(of: sql)
        let timestamp = try #require(DatabaseTimestamp.fromDatabaseValue(stored))
        try expectRoundTrip(timestamp, as: stored)
    }

    @Test
    func `Random timestamps keep their milliseconds, and their strings sort as the dates do`() throws {
        var random = SeededGenerator(seed: 64)
        let db = try TestDatabase()
        for _ in 0..<300 {
            // Whole seconds are as frequent as others, and many dates are close to each other.
            let second = Int64.random(in: -62_167_219_200...253_402_300_700, using: &random)
            let texts = try (0..<5).map { _ in
                let milliseconds = Bool.random(using: &random) ? 0 : Int64.random(in: 0...999, using: &random)
                let later = second + Int64.random(in: 0...2, using: &random)
                let modifiers = "'unixepoch'" + (milliseconds == 0 ? "" : ", '+0.\(String(milliseconds + 1000).dropFirst()) seconds'")
                let format = milliseconds == 0 ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M:%f"
                return try #require(try db.value(of: "strftime('\(format)', \(later), \(modifiers))", as: String.self))
            }
            let timestamps = try texts.map { try #require(DatabaseTimestamp.fromDatabaseValue($0.databaseValue)) }
            #expect(try timestamps.map { try $0.bindingValue() } == texts.map { .text($0) })
            for (one, other) in zip(timestamps, timestamps.dropFirst()) {
                let isLess = try db.value(of: "? < ?", arguments: [one, other], as: Bool.self)
                #expect(isLess == (one.date < other.date), "\(one) \(other)")
                let isEqual = try db.value(of: "? = ?", arguments: [one, other], as: Bool.self)
                #expect(isEqual == (one == other), "\(one) \(other)")
            }
        }
    }

    // MARK: - The check

    /// What the check finds in a column with values.
    private func findings(_ values: String..., type: String = "DATETIME") throws -> [String] {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE event (id INTEGER PRIMARY KEY, at \(type))")
            for value in values { try db.execute(sql: "INSERT INTO event (at) VALUES (\(value))") }
        }
        return try queue.verify([.dateForms]).map(\.description)
    }

    @Test
    func `Dates of one column in several forms are found`() throws {
        let (second, zero, fraction) = ("'2026-11-28 10:00:00'", "'2026-11-28 10:00:00.000'", "'2026-11-28 10:00:00.001'")
        #expect(
            try findings(second, zero, second) == [
                "dates: event.at has dates in 2 forms: 2 as YYYY-MM-DD HH:MM:SS, 1 as YYYY-MM-DD HH:MM:SS.SSS"
            ])
        #expect(try findings(second, fraction, zero, type: "TEXT").count == 1)
        #expect(
            try findings(second, "'2026-11-28T10:00:00Z'", "NULL", "'2026-11-28'", "'2026-11-28 10:00:00 -02:30'", type: "") == [
                "dates: event.at has dates in 4 forms: 1 as YYYY-MM-DD, 1 as YYYY-MM-DD HH:MM:SS, 1 as YYYY-MM-DD HH:MM:SS -ZZ:ZZ, "
                    + "1 as YYYY-MM-DDTHH:MM:SSZ"
            ])
        // What Date, DatabaseTimestamp, and other programs write.
        #expect(try findings(zero, fraction) == [])
        #expect(try findings(second, fraction) == [])
        #expect(try findings("'2026-11-28T10:00:00Z'", "'2026-11-29T10:00:00Z'") == [])
        // Other strings, and numbers.
        #expect(try findings(second, zero, "'soon'") == [])
        #expect(try findings("''", zero, second) == [])
        #expect(try findings(second, "1700000000", "x'00'", "'10:00'") == [])
        #expect(try findings(second, "1700000000", "2.5") == [])
    }

    @Test
    func `The check reads each table that can be read, and no generated column`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE "a ""b" (" at" TEXT NOT NULL, twice TEXT AS (substr(" at", 1, 19))) STRICT;
                    INSERT INTO "a ""b" VALUES ('2026-11-28 10:00:00'), ('2026-11-28 10:00:00.000');
                    CREATE VIEW v AS SELECT * FROM "a ""b";
                    CREATE TABLE w (at PRIMARY KEY) WITHOUT ROWID;
                    INSERT INTO w SELECT " at" FROM "a ""b";
                    CREATE VIRTUAL TABLE f USING fts5(at);
                    INSERT INTO f SELECT " at" FROM "a ""b";
                    """)
        }
        #expect(
            try queue.verify([.dateForms]).map(\.message)
                == ["a \"b. at", "w.at"].map {
                    "\($0) has dates in 2 forms: 1 as YYYY-MM-DD HH:MM:SS, 1 as YYYY-MM-DD HH:MM:SS.SSS"
                })
        // The update of the guides leaves one form.
        try queue.write { db in
            for (table, column) in [(#""a ""b""#, #"" at""#), ("w", "at")] {
                try db.execute(sql: "DELETE FROM \(table) WHERE \(column) NOT LIKE '%.000'")
                try db.execute(sql: "UPDATE \(table) SET \(column) = substr(\(column), 1, 19) WHERE \(column) LIKE '%.000'")
            }
        }
        #expect(try queue.verify([.dateForms]) == [])
    }
}
