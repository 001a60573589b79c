/// A database with columns for enums, JSON, UUIDs and types of one's own, and a program that uses its records.
enum WorkDatabase {
    static let sql = """
        CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, tags TEXT NOT NULL, notes TEXT, wage MONEY NOT NULL);
        CREATE TABLE jobs (
            id UUID PRIMARY KEY NOT NULL,
            token UUID,
            state TEXT NOT NULL CHECK (state IN ('queued', 'in progress', 'none', 'class', '', '1st')),
            previous TEXT CHECK (previous IS NULL OR previous IN ('queued', 'it''s done')),
            priority INTEGER NOT NULL CHECK (priority IN (-1, 0, 5)),
            is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
            person_id INTEGER NOT NULL REFERENCES people,
            row TEXT, container TEXT, "let" TEXT, "inout" TEXT
        );
        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            created DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
            changed TIMESTAMP DEFAULT (datetime('now')),
            due TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%S', 'now')) CHECK (length(due) = 19),
            exact DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
            kept DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
        );
        CREATE TABLE days (day DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, note TEXT, PRIMARY KEY (day)) WITHOUT ROWID;
        CREATE VIEW latest AS SELECT events.id AS number, created AS made, kept, jobs.token FROM events, jobs;
        CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
        CREATE TRIGGER events_log AFTER UPDATE ON events BEGIN INSERT INTO log (name) VALUES ('update'); END;

        """

    static let settings = """
        public
        singular
        column people.id      PersonID
        column *.person_id    PersonID
        column people.tags    json [String]
        column people.notes   json [String: [Int]]
        column jobs.token     lowercase UUID
        column latest.token   lowercase UUID
        column latest.kept    milliseconds Date
        column events.due     Date
        column events.kept    milliseconds Date
        type MONEY            Money
        """

    static let program = #"""
        import Foundation
        import Strata

        public struct PersonID: RawRepresentable, Codable, Hashable, Sendable, DatabaseValueConvertible {
            public var rawValue: Int64
            public init(rawValue: Int64) { self.rawValue = rawValue }
        }

        public struct Money: Codable, Hashable, Sendable, DatabaseValueConvertible {
            var cents: Int64
            public var databaseValue: DatabaseValue { cents.databaseValue }
            public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Money? {
                Int64.fromDatabaseValue(dbValue).map { Money(cents: $0) }
            }
        }

        struct JobInfo: Decodable, FetchableRecord {
            var job: Job
            var person: Person
        }

        struct Failure: Error { var line: Int }
        func expect(_ condition: Bool, _ line: Int = #line) throws { if !condition { throw Failure(line: line) } }

        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: try String(contentsOfFile: "work.sql", encoding: .utf8))
            var person = Person(name: "Ada", tags: ["a", "\"b\""], notes: ["x": [1, 2]], wage: Money(cents: 950))
            try person.insert(db)
            try expect(person.id == PersonID(rawValue: 1))
            try expect(try Person.fetchAll(db) == [person])
            try expect(try String.fetchOne(db, sql: "SELECT tags FROM people") == #"["a","\"b\""]"#)

            let token = UUID(), id = UUID()
            let job = Job(
                id: id, token: token, state: .inProgress, previous: .itSDone, priority: .minus1, isDone: false, personId: person.id!,
                row: "r", container: "c")
            try job.insert(db)
            try expect(try Job.fetchAll(db) == [job])
            try expect(try String.fetchOne(db, sql: "SELECT token FROM jobs") == token.uuidString.lowercased())
            try expect(try Int.fetchOne(db, sql: "SELECT length(CAST(id AS BLOB)) FROM jobs WHERE typeof(id) = 'blob'") == 16)

            // Keys and conditions are written as the columns are.
            try expect(try Job.find(db, key: id) == job)
            try expect(try Job.filter { $0.token == token && $0.state == Job.State.inProgress }.fetchOne(db) == job)
            var done = job
            (done.isDone, done.previous, done.token) = (true, nil, nil)
            try done.update(db)
            try expect(try Job.fetchOne(db) == done)
            try expect(try String.fetchOne(db, sql: "SELECT typeof(token) || typeof(previous) || is_done FROM jobs") == "nullnull1")

            // Other columns, in another order, with other names, and in a join.
            let reversed = try db.columnNames.reversed().joined(separator: ", ")
            try expect(try Job.fetchAll(db, sql: "SELECT 1 AS extra, \(reversed) FROM jobs") == [done])
            try expect(try Job.fetchAll(db, sql: "SELECT * FROM jobs") == [done])
            try expect(try Job.fetchAll(db, sql: "SELECT \(reversed.uppercased()) FROM jobs") == [done])
            let renamed = try Job.fetchOne(db, sql: "SELECT row AS container, container AS row, jobs.* FROM jobs")
            try expect(renamed?.row == "c" && renamed?.container == "r")
            let info = try Job.including(required: Job.person).asRequest(of: JobInfo.self).fetchOne(db)
            try expect(info?.job == done && info?.person == person)
            try expectError("id", db, "SELECT people.*, jobs.* FROM people JOIN jobs")
            try expectError("state", db, "SELECT id, priority, is_done, person_id FROM jobs")
            try expectError("previous", db, "SELECT state AS priority, priority AS previous, jobs.* FROM jobs")

            // JSON, by Codable.
            let copy = try JSONDecoder().decode(Job.self, from: JSONEncoder().encode(job))
            try expect(copy == job)

            // Rows that the constraints and the types don't allow.
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            for (column, values) in [
                ("state", ["'other'", "NULL", "1", "x'717565756564'"]), ("previous", ["'none'", "''", "2.5"]),
                ("priority", ["4", "5.5", "'high'", "NULL"]), ("id", ["'no uuid'", "x'00'", "NULL"]), ("token", ["'no uuid'"]),
                ("is_done", ["NULL", "'yes'"]),
            ] {
                for value in values {
                    try expectError(column, db, "SELECT \(value) AS \(column), jobs.* FROM jobs")
                }
            }
            for (column, values) in [("tags", ["'[1'", "'{}'", "NULL", "1"]), ("notes", ["'[]'"]), ("wage", ["'much'", "NULL"])] {
                for value in values {
                    do {
                        _ = try Person.fetchAll(db, sql: "SELECT \(value) AS \(column), people.* FROM people")
                        try expect(false)
                    } catch let error as RowDecodingError {
                        try expect(error.column == column)
                    }
                }
            }
            try expect(try Person.fetchOne(db, sql: "SELECT NULL AS notes, people.* FROM people")?.notes == nil)
            try db.execute(sql: "PRAGMA ignore_check_constraints = OFF")
            try checkDates(db)
        }

        /// Dates are written and compared as SQLite has written them.
        func checkDates(_ db: Database) throws {
            let date = Date(timeIntervalSince1970: 1_795_860_000), (text, zero) = ("'2026-11-28 10:00:00'", "'2026-11-28 10:00:00.000'")
            func stored() throws -> [String] {
                try String.fetchAll(db, sql: "SELECT quote(created) || quote(changed) || quote(due) FROM events ORDER BY created")
            }
            func updates() throws -> Int { try Log.fetchCount(db) }
            try db.execute(sql: "INSERT INTO events (id) VALUES (1)")
            try expect(try stored().allSatisfy { $0.count == 63 })
            try db.execute(
                sql: "UPDATE events SET created = \(text), changed = \(text), due = \(text), exact = \(zero), kept = \(zero)")
            var event = try Event.find(db, id: 1)
            try expect([event.created, event.changed, event.due, event.exact, event.kept].allSatisfy { $0 == date })
            let whole = [text + text + text]

            // Conditions.
            try expect(try Event.filter { $0.created == date }.fetchCount(db) == 1)
            try expect(try Event.filter { $0.created >= date && $0.created <= date }.fetchCount(db) == 1)
            try expect(try Event.filter { $0.created < date || $0.created > date || $0.created != date }.fetchCount(db) == 0)
            try expect(try Event.filter { (date...date).contains($0.changed) && [date].contains($0.due) }.fetchCount(db) == 1)
            try expect(try Event.filter { $0.exact == date && $0.kept == date }.fetchCount(db) == 1)
            try expect(try Event.filter { max($0.created, $0.changed) == date }.fetchCount(db) == 1)
            let token = UUID()
            try db.execute(sql: "UPDATE jobs SET token = ?", arguments: [token.uuidString.lowercased()])
            try expect(try Latest.filter { $0.made == date && $0.kept == date && $0.token == token }.fetchOne(db)?.number == 1)
            try expect(try Event.filter { $0.created < date }.deleteAll(db) == 0)
            try expect(try Event.filter { $0.created < date }.updateAll(db) { $0.created.set(to: date) } == 0)

            // Writing an unchanged record changes no byte, and is no change.
            try event.update(db)
            try expect(try stored() == whole)
            let count = try updates()
            try event.upsert(db, onConflict: ["id"], updating: .allColumns.ifChanged)
            try expect(try updates() == count)
            try expect(try event.upsertWithOutcome(db, onConflict: ["id"], updating: .allColumns.ifChanged) == .unchanged)
            let same = event
            try expect(try !event.updateChanges(db, from: same) && updates() == count)
            try expect(try Event.updateAll(db) { [$0.created.set(to: date), $0.changed.set(to: date)] } == 1 && stored() == whole)

            // Milliseconds are kept, and sort as the dates do. A constraint decides whether a column has some.
            var later = event
            (later.id, later.created, later.changed) = (2, date + 0.001, nil)
            try later.insert(db)
            try expect(try Event.find(db, id: 2) == later)
            try expect(try stored() == whole + ["'2026-11-28 10:00:00.001'NULL\(text)"])
            try expect(try Event.filter { $0.created > date }.fetchAll(db) == [later])
            try expect(try Event.order { $0.created.desc }.fetchAll(db).map(\.id) == [2, 1])
            let page = try Event.fetchPage(db, after: nil, size: 1) { [$0.created] }
            try expect(try Event.fetchPage(db, after: page.next, size: 1) { [$0.created] }.records == [later])
            var cut = later
            (cut.id, cut.due) = (3, date + 0.5)
            do {
                try cut.insert(db)
                try expect(false)
            } catch let error as DatabaseError {
                try expect(error.resultCode == .SQLITE_CONSTRAINT)
            }

            // Keys.
            try db.execute(sql: "INSERT INTO days (day) VALUES (\(text))")
            var day = try Day.find(db, key: date)
            try expect(try day.exists(db) && Day.exists(db, key: date) && Day.fetchOne(db, key: ["day": date]) == day)
            day.note = "a"
            try day.update(db)
            try day.save(db)
            try day.upsert(db)
            try expect(try Day.fetchAll(db, keys: [date]) == [day] && Day.fetchCount(db) == 1)
            try expect(try String.fetchAll(db, sql: "SELECT day || note FROM days") == ["2026-11-28 10:00:00a"])
            try expect(try Day.deleteAll(db, keys: [date]) == 1)
            try day.insert(db)
            try expect(try day.delete(db) && Day.fetchCount(db) == 0)
        }

        func expectError(_ column: String, _ db: Database, _ sql: String, _ line: Int = #line) throws {
            do {
                _ = try Job.fetchAll(db, sql: sql)
                throw Failure(line: line)
            } catch let error as RowDecodingError {
                try expect(error.column == column, line)
            }
        }

        extension Database {
            var columnNames: [String] { get throws { try columns(in: "jobs").map(\.name) } }
        }
        """#
}
