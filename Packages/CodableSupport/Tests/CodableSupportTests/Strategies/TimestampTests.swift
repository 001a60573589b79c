import CodableSupport
import Foundation
import Testing

/// Dates that SQLite has written, and records with the strategy that writes them in the same form.
@Suite struct TimestampTests {
    struct Event: Codable, Equatable, FetchableRecord, PersistableRecord {
        var id: Int64
        var at: Date
        var note: String?

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let at = TypedColumn<Date>(CodingKeys.at, of: Event.self)
            static let note = Column(CodingKeys.note)
        }

        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .databaseTimestamp }
    }

    private static let schema = """
        CREATE TABLE event (id INTEGER PRIMARY KEY, at DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, note TEXT);
        CREATE TABLE log (id);
        CREATE TRIGGER event_log AFTER UPDATE ON event BEGIN INSERT INTO log VALUES (NEW.id); END;
        """

    @Test
    func `A row that CURRENT_TIMESTAMP has dated is found, and unchanged by an update`() throws {
        try withDatabase(Self.schema + "INSERT INTO event (id) VALUES (1)") { db in
            let stored = try db.rows("SELECT * FROM event")
            let event = try Event.find(db, key: 1)
            #expect(try Event.filter { $0.at == event.at }.fetchAll(db) == [event])
            #expect(try Event.filter { $0.at >= event.at }.fetchAll(db) == [event])
            #expect(try Event.filter { $0.at < event.at }.deleteAll(db) == 0)
            try event.upsert(db, onConflict: ["id"], updating: .allColumns.ifChanged)
            #expect(try db.rows("SELECT * FROM log") == [])
            try event.update(db)
            #expect(try db.rows("SELECT * FROM event") == stored)
        }
    }

    @Test
    func `An upsert of the same date in another form is a change, which leaves the form of the record`() throws {
        try withDatabase(Self.schema + "INSERT INTO event VALUES (1, '2026-11-28 10:00:00.000', NULL)") { db in
            let event = try Event.find(db, key: 1)
            #expect(try event.upsertWithOutcome(db, onConflict: ["id"], updating: .allColumns.ifChanged) == .updated)
            #expect(try db.rows("SELECT * FROM event") == ["1 '2026-11-28 10:00:00' NULL"])
            #expect(try event.upsertWithOutcome(db, onConflict: ["id"], updating: .allColumns.ifChanged) == .unchanged)
            #expect(try db.rows("SELECT * FROM log") == ["1"])
        }
    }

    @Test
    func `A constraint that admits whole seconds only is its error, and nothing is cut off`() throws {
        try withDatabase("CREATE TABLE event (id INTEGER PRIMARY KEY, at TEXT CHECK (length(at) = 19), note TEXT)") { db in
            let date = Date(timeIntervalSince1970: 1_000_000_000)
            try Event(id: 1, at: date).insert(db)
            let error = #expect(throws: DatabaseError.self) { try Event(id: 2, at: date + 0.001).insert(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            #expect(try db.rows("SELECT * FROM event") == ["1 '2001-09-09 01:46:40' NULL"])
        }
    }

    @Test
    func `Conditions, keys and changes of random dates find what Swift finds, whoever has written the rows`() throws {
        var random = SeededGenerator(seed: 64)
        // Few seconds, so that dates are often equal, with and without milliseconds.
        func date() -> Date {
            let milliseconds = Bool.random(using: &random) ? 0 : Int.random(in: 0...2, using: &random)
            return Date.fromDatabaseValue("2026-11-28 10:00:0\(Int.random(in: 0...3, using: &random)).00\(milliseconds)".databaseValue)!
        }
        for round in 0..<60 {
            try withDatabase(Self.schema) { db in
                var events: [Event] = []
                for id in 1...Int64(12) {
                    let event = Event(id: id, at: date())
                    events.append(event)
                    let format = event.at.databaseValue.string!.hasSuffix(".000") ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M:%f"
                    if Bool.random(using: &random) {
                        try event.insert(db)
                    } else {
                        try db.execute(
                            sql: "INSERT INTO event (id, at) VALUES (?, strftime('\(format)', ?))", arguments: [event.id, event.at])
                    }
                }
                let stored = try db.rows("SELECT * FROM event")
                for _ in 0..<10 {
                    let (one, other) = (date(), date())
                    let (first, last) = (min(one, other), max(one, other))
                    func expect(
                        _ isFound: (Date) -> Bool, _ make: (Event.Columns.Type) -> any SQLSpecificExpressible,
                        sourceLocation: SourceLocation = #_sourceLocation
                    ) throws {
                        let found = try Event.filter(make).order { $0.id }.fetchAll(db)
                        #expect(found == events.filter { isFound($0.at) }, "\(round) \(one) \(other)", sourceLocation: sourceLocation)
                    }
                    try expect({ $0 == one }) { $0.at == one }
                    try expect({ $0 != one }) { $0.at != one }
                    try expect({ $0 < one }) { $0.at < one }
                    try expect({ $0 <= one }) { $0.at <= one }
                    try expect({ $0 > one }) { $0.at > one }
                    try expect({ $0 >= one }) { $0.at >= one }
                    try expect({ (first...last).contains($0) }) { (first...last).contains($0.at) }
                    try expect({ (first..<last).contains($0) }) { (first..<last).contains($0.at) }
                    try expect({ [one, other].contains($0) }) { [one, other].contains($0.at) }
                }
                let sorted = events.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
                #expect(try Event.order { [$0.at, $0.id] }.fetchAll(db) == sorted)
                var pages: [Event] = []
                var next: String?
                repeat {
                    let page = try Event.fetchPage(db, after: next, size: 5) { [$0.at] }
                    pages += page.records
                    next = page.next
                } while next != nil && pages.count <= events.count
                #expect(pages == sorted)
                // Writing what was read changes no byte, and is no change.
                for event in try Event.fetchAll(db) {
                    #expect(try event.upsertWithOutcome(db, onConflict: ["id"], updating: .allColumns.ifChanged) == .unchanged)
                    #expect(try !event.updateChanges(db, from: event))
                    try event.update(db)
                }
                #expect(try db.rows("SELECT * FROM event") == stored)
                // Assignments and deletions.
                let (old, new) = (date(), date())
                #expect(try Event.filter { $0.at == old }.updateAll(db) { [$0.at.set(to: new)] } == events.count { $0.at == old })
                for index in events.indices where events[index].at == old { events[index].at = new }
                #expect(try Event.filter { $0.at >= new }.deleteAll(db) == events.count { $0.at >= new })
                #expect(try Event.order { $0.id }.fetchAll(db) == events.filter { $0.at < new })
            }
        }
    }
}
