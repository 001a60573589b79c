import CSQLiteShims
import SQLiteDriver
import Testing

@Suite struct FailureTests {
    private struct Failure: Error, CustomStringConvertible {
        let description = "the reason"
    }

    @Test
    func `Code that returns only a result code can give the reason of the failure`() throws {
        try DatabaseQueue().write { db throws in
            // A function that fails without a message.
            let code = sqlite3_create_function_v2(
                db.sqliteConnection, "fails", 1, SQLITE_UTF8, Unmanaged.passUnretained(db).toOpaque(),
                { context, _, values in
                    let db = Unmanaged<Database>.fromOpaque(sqlite3_user_data(context)!).takeUnretainedValue()
                    let full = DatabaseError(resultCode: .SQLITE_FULL, message: "no room")
                    let error: any Error = sqlite3_value_int(values?[0]) == 1 ? Failure() : full
                    sqlite3_result_error_code(context, db.resultCode(failingWith: error))
                }, nil, nil, nil)
            #expect(code == SQLITE_OK)
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT fails(1)") }
            #expect(error?.message == "the reason")
            #expect(error?.resultCode == .SQLITE_ERROR)
            #expect(error?.underlyingError is Failure)
            let full = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT fails(2)") }
            #expect(full?.message == "no room")
            #expect(full?.resultCode == .SQLITE_FULL)
            let next = #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT nonsense") }
            #expect(next?.message == "no such column: nonsense")
            #expect(next?.underlyingError == nil)
        }
    }
}
