import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// The error log belongs to the process, and must be set before SQLite is used. So each test runs in a process of its own.
@Suite struct ErrorLogTests {
    @Test
    func `Errors are logged`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            Database.logError = { code, message in
                FileHandle.standardError.write(Data("log: \(code): \(message)\n".utf8))
            }
            let queue = try DatabaseQueue()
            _ = try? queue.read { try $0.values("SELECT oops") }
            // It can be replaced and removed once SQLite runs.
            Database.logError = { _, message in
                FileHandle.standardError.write(Data("other log: \(message)\n".utf8))
            }
            _ = try? queue.read { try $0.values("SELECT alas") }
            Database.logError = nil
            _ = try? queue.read { try $0.values("SELECT silence") }
        }
        let message = result?.message ?? ""
        #expect(message.contains("log: 1 (SQL logic error): no such column: oops"), "\(message)")
        #expect(message.contains("other log: no such column: alas"), "\(message)")
        #expect(!message.contains("silence"), "\(message)")
    }

    @Test
    func `Statements that prevent a database from closing are logged`() async {
        await #expect(processExitsWith: .success) {
            let messages = Box<[String]>([])
            Database.logError = { code, message in messages.value.append("\(code.rawValue) \(message)") }
            let queue = try DatabaseQueue()
            let statements = Box<[Statement]>([])
            try queue.read { db in
                for sql in ["SELECT 1", "SELECT 2"] { statements.value.append(try db.makeStatement(sql: sql)) }
            }
            precondition((try? queue.close()) == nil)
            let unfinalized = messages.value.filter { $0.contains("unfinalized statement") }
            precondition(Set(unfinalized).isSuperset(of: ["5 unfinalized statement: SELECT 1", "5 unfinalized statement: SELECT 2"]))
            statements.value = []
            try queue.close()
            precondition(messages.value.filter { $0.contains("unfinalized statement") } == unfinalized)
        }
    }

    @Test
    func `A blob handle that prevents a database from closing is logged`() async {
        await #expect(processExitsWith: .success) {
            let messages = Box<[String]>([])
            Database.logError = { code, message in messages.value.append("\(code.rawValue) \(message)") }
            let queue = try DatabaseQueue()
            let blob = Box<OpaquePointer?>(nil)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a BLOB); INSERT INTO t VALUES (1, zeroblob(10))")
                precondition(sqlite3_blob_open(db.sqliteConnection, "main", "t", "a", 1, 0, &blob.value) == SQLITE_OK)
            }
            precondition((try? queue.close()) == nil)
            precondition(messages.value.contains("5 unfinalized blob handle"))
            sqlite3_blob_close(blob.value)
            try queue.close()
        }
    }

    @Test
    func `Setting the log too late is reported`() async {
        await #expect(processExitsWith: .success) {
            _ = try DatabaseQueue()
            let calls = Box<[ResultCode]>([])
            Database.logError = { code, message in
                precondition(message.contains("before opening any database"))
                calls.value.append(code)
            }
            precondition(calls.value == [.SQLITE_MISUSE])
            precondition(Database.logError == nil)
            // It can still be set to nil.
            Database.logError = nil
            _ = try? DatabaseQueue().read { try $0.values("SELECT oops") }
            precondition(calls.value.count == 1)
        }
    }

    @Test
    func `Where other code has used SQLite before, the log is set if SQLite accepts it, and the refusal names the cause otherwise`() async {
        await #expect(processExitsWith: .success) {
            // As a framework of the system would: its connection stays open.
            let other = Box<OpaquePointer?>(nil)
            precondition(sqlite3_open(":memory:", &other.value) == SQLITE_OK)
            let calls = Box<[(code: ResultCode, message: String)]>([])
            Database.logError = { code, message in calls.value.append((code, message)) }
            if sqlite3_libversion_number() >= 3_042_000 {
                precondition(calls.value.isEmpty && Database.logError != nil)
            } else {
                precondition(calls.value.map(\.code) == [.SQLITE_MISUSE])
                precondition(calls.value[0].message.contains("other code in this process"))
                precondition(calls.value[0].message.contains(String(cString: sqlite3_libversion())))
                precondition(Database.logError == nil)
            }
            let queue = try DatabaseQueue()
            calls.value = []
            _ = try? queue.read { try $0.values("SELECT oops") }
            precondition(calls.value.contains { $0.message.contains("oops") } == (Database.logError != nil))
            // The other connection has outlived it.
            precondition(sqlite3_exec(other.value, "CREATE TABLE t (a); SELECT * FROM t", nil, nil, nil) == SQLITE_OK)
            precondition(sqlite3_close(other.value) == SQLITE_OK)
        }
    }
}
