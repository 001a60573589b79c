import SQLiteDriver
import Testing

@Suite struct LimitTests {
    @Test
    func `A limit is lowered for one connection, and raised up to the maximum of the build`() throws {
        try DatabaseQueue().write { db in
            let maximum = db.limit(.parameterCount)
            #expect(maximum >= 999 && db.maximumStatementArgumentCount == maximum)
            #expect(db.setLimit(.parameterCount, to: 2) == maximum)
            #expect(db.limit(.parameterCount) == 2 && db.maximumStatementArgumentCount == 2)
            _ = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT ?, ?, ?") }
            #expect(db.setLimit(.parameterCount, to: -1) == 2)
            db.setLimit(.parameterCount, to: .max)
            #expect(db.limit(.parameterCount) == maximum)
            #expect(db.limit(.compoundSelectCount) == 500 && db.limit(.expressionDepth) == 1_000)
            db.setLimit(.compoundSelectCount, to: 1)
            _ = #expect(throws: DatabaseError.self) { try db.makeStatement(sql: "SELECT 1 UNION SELECT 2") }
        }
        try DatabaseQueue().read { db in #expect(db.limit(.compoundSelectCount) == 500) }
    }
}
