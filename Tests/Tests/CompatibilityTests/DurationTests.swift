import Foundation
import Strata
import Testing

/// Durations in records, in requests, and in databases that earlier versions have written.
@Suite struct DurationTests {
    struct Track: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int64
        var length: Duration
        var pause: Duration?

        enum Columns {
            static let length = Column(CodingKeys.length)
        }
    }

    private func makeTracks() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "track") { t in
                t.primaryKey("id", .integer)
                t.column("length", .real).notNull()
                t.column("pause", .text)
            }
        }
        return queue
    }

    @Test
    func `A duration is stored in seconds`() throws {
        try makeTracks().write { db in
            let track = Track(id: 1, length: .milliseconds(545_500), pause: .seconds(2))
            try track.insert(db)
            try Track(id: 2, length: .microseconds(1), pause: nil).insert(db)
            #expect(try Track.fetchOne(db, key: 1) == track)
            #expect(try Double.fetchOne(db, sql: "SELECT length FROM track") == 545.5)
            #expect(try Track.filter { $0.length > Duration.seconds(10) }.fetchAll(db) == [track])
            #expect(try Duration.fetchOne(db, Track.select { sum($0.length) }) == .milliseconds(545_500) + .microseconds(1))
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM track WHERE id = 2"))
            #expect(row["length"] == Duration.microseconds(1))
            #expect(row["pause"] == Duration?.none)
        }
    }

    @Test(arguments: [
        Duration.seconds(90) + .milliseconds(500), .zero, .seconds(-1), .nanoseconds(-1),
        Duration(secondsComponent: 1, attosecondsComponent: 7),
        .seconds(Int64.max), .seconds(Int64.min + 1),
    ])
    func `What Codable records have written before is still read`(_ duration: Duration) throws {
        let text = String(decoding: try JSONEncoder().encode(duration), as: UTF8.self)
        try makeTracks().write { db in
            try db.execute(sql: "INSERT INTO track VALUES (1, ?, ?)", arguments: [text, text])
            #expect(try Track.fetchOne(db, key: 1) == Track(id: 1, length: duration, pause: duration))
        }
    }

    @Test
    func `The text of the first release`() throws {
        try makeTracks().write { db in
            try db.execute(sql: "INSERT INTO track VALUES (1, '[4,16713023705161793536]', NULL)")
            #expect(try Track.fetchOne(db, key: 1)?.length == .milliseconds(90_500))
        }
    }

    @Test(arguments: ["9e999", "-9e999", "'soon'", "'[1]'", "'[1,2,3]'", "'[9223372036854775807,0]'", "x'00'", "1.8e20"])
    func `Values that are not durations are errors`(_ sql: String) throws {
        try makeTracks().write { (db) throws in
            try db.execute(sql: "INSERT INTO track VALUES (1, \(sql), NULL)")
            #expect(throws: (any Error).self) { try Track.fetchOne(db, key: 1) }
        }
    }
}
