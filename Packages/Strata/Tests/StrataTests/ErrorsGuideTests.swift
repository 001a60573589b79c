import Strata
import Testing

@Suite("Samples of the guide Errors")
struct ErrorsGuideTests {
    func register(_ name: String, in db: Database) throws -> String {
        do {
            try db.execute(sql: "INSERT INTO user (name) VALUES (?)", arguments: [name])
            return "Welcome, \(name)."
        } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {
            return "The name \(name) is taken."
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let columns = error.constraint?.columns?.joined(separator: ", ")
            return "Wrong: \(columns ?? "a value")."
        }
    }

    private struct User: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
    }

    private func withUsers(_ body: (Database) throws -> Void) throws {
        var configuration = Configuration()
        #if DEBUG
            configuration.publicStatementArguments = true
        #endif
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(
                sql: "CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE CHECK (name <> ''))")
            try body(db)
        }
    }

    @Test("Violated constraints are told apart")
    func constraints() throws {
        try withUsers { db in
            try #expect(register("Ada", in: db) == "Welcome, Ada.")
            try #expect(register("Ada", in: db) == "The name Ada is taken.")
            try #expect(register("", in: db) == "Wrong: name.")
            try #expect(User.fetchCount(db) == 1)
        }
    }

    @Test("A missing row is an error with its key")
    func missing() throws {
        try withUsers { db in
            var printed: [String] = []
            func print(_ text: String) { printed.append(text) }
            do {
                let user = try User.find(db, key: 42)
                print(user.name)
            } catch RecordError.recordNotFound(let table, let key) {
                print("There is no \(table) with \(key).")
            }
            #expect(printed == ["There is no user with [\"id\": 42]."])
        }
    }

    @Test("A value that does not fit is an error that shows the row")
    func values() throws {
        try withUsers { db in
            var printed: [String] = []
            func print(_ error: RowDecodingError) { printed.append(error.description) }
            do {
                _ = try User.fetchAll(db, sql: "SELECT 1 AS id, NULL AS name")
            } catch let error as RowDecodingError {
                // could not decode String from column 1 "name": its value is NULL
                // - row: [id:1 name:NULL] - SQL: `SELECT 1 AS id, NULL AS name`
                print(error)
            }
            #expect(
                printed == [
                    #"could not decode String from column 1 "name": its value is NULL - row: [id:1 name:NULL]"#
                        + " - SQL: `SELECT 1 AS id, NULL AS name`"
                ])
        }
    }

    @Test("An error says what to do")
    func descriptions() throws {
        try withUsers { db in
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT * FROM bok") }
            #expect(
                error?.description == "SQLite error 1 (SQLITE_ERROR): no such table: bok - while executing `SELECT * FROM bok`."
                    + " Check the spelling, and that the schema was created in this database file.")
        }
    }
}
