import Strata
import Testing

/// What a program shows to its users when a constraint fails.
@Suite struct ConstraintErrorTests {
    struct Account: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var email: String
        var age: Int?
    }

    private func makeAccounts() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.create(table: "account") { t in
                t.primaryKey("id", .integer)
                t.column("email", .text).notNull().unique()
                t.column("age", .integer).check { $0 >= 18 }
            }
            try Account(id: 1, email: "arthur@example.com", age: 30).insert(db)
        }
        return queue
    }

    /// The field of a form to mark.
    private func field(inserting account: Account) throws -> [String]? {
        let queue = try makeAccounts()
        do {
            try queue.write { try account.insert($0) }
            return nil
        } catch let error as DatabaseError {
            return error.constraint?.columns
        }
    }

    @Test
    func `The columns of a constraint are columns of the record`() throws {
        #expect(try field(inserting: Account(id: 2, email: "barbara@example.com", age: 20)) == nil)
        #expect(try field(inserting: Account(id: 1, email: "barbara@example.com", age: 20)) == ["id"])
        #expect(try field(inserting: Account(id: 2, email: "arthur@example.com", age: 20)) == ["email"])
        #expect(try field(inserting: Account(id: 2, email: "barbara@example.com", age: 17)) == ["age"])
    }

    @Test
    func `A record that refers to a missing one`() throws {
        let queue = try makeDatabase()
        let error = #expect(throws: DatabaseError.self) {
            try queue.write { db in
                var player = Player(id: nil, teamId: 42, name: "Dora", score: 0)
                try player.insert(db)
            }
        }
        #expect(error?.constraint?.kind == .foreignKey)
        // SQLite names neither the table nor the columns.
        #expect(error?.constraint?.table == nil)
    }
}
