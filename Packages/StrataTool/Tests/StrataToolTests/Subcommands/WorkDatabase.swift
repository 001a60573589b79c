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

        """

    static let settings = """
        public
        singular
        column people.id      PersonID
        column *.person_id    PersonID
        column people.tags    json [String]
        column people.notes   json [String: [Int]]
        column jobs.token     lowercase UUID
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
