import QueryInterface
import Testing

@Suite struct SchemaAtomicityTests {
    private struct Failure: Error {}

    @Test
    func `A table whose index can't be created is not created either`() throws {
        try withDatabase("CREATE TABLE team (name); CREATE INDEX player_on_name ON team (name)") { db throws in
            var message: String?
            let sql = try db.statements {
                message = try db.message {
                    try db.create(table: "player") { t in
                        t.column("score").indexed()
                        t.column("name").indexed()
                    }
                }
            }
            #expect(message == "index player_on_name already exists")
            #expect(
                sql == [
                    "SAVEPOINT strata", #"CREATE TABLE "player" ("score", "name")"#,
                    #"CREATE INDEX "player_on_score" ON "player" ("score")"#, "ROLLBACK TRANSACTION TO SAVEPOINT strata",
                    "RELEASE SAVEPOINT strata",
                ])
            #expect(try db.objectNames() == ["player_on_name", "team"])

            // The transaction continues, and the cached schema is correct.
            #expect(try !db.tableExists("player"))
            try db.create(table: "player") { $0.column("score").indexed() }
            #expect(try db.columns(in: "player").map(\.name) == ["score"])
        }
    }

    @Test
    func `Outside of a transaction, a table and its indexes are created in a single transaction`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE other (x); CREATE INDEX b_on_x ON other (x)")
            let sql = try db.statements { try db.create(table: "a") { $0.column("x").indexed() } }
            #expect(sql.first?.hasPrefix("BEGIN") == true && sql.last == "COMMIT TRANSACTION")
            #expect(try db.message { try db.create(table: "b") { $0.column("x").indexed() } } == "index b_on_x already exists")
            #expect(!db.isInsideTransaction)
            #expect(try db.objectNames() == ["a", "a_on_x", "b_on_x", "other"])
        }
    }

    @Test
    func `If the closure throws an error, no statement runs`() throws {
        try withEmptyDatabase { db throws in
            let sql = try db.statements {
                #expect(throws: Failure.self) {
                    try db.create(table: "a") { t in
                        t.column("x").indexed()
                        throw Failure()
                    }
                }
                #expect(throws: Failure.self) {
                    try db.create(table: "a") { t in
                        try t.primaryKey {
                            t.column("x")
                            throw Failure()
                        }
                    }
                }
                #expect(throws: Failure.self) {
                    try db.create(table: "a", ifNotExists: true) { t in
                        t.column("x")
                        throw Failure()
                    }
                }
            }
            #expect(sql.isEmpty)
        }
    }

    @Test
    func `A table that a statement reads can't be dropped`() throws {
        try withDatabase("CREATE TABLE player (name); INSERT INTO player VALUES ('Arthur'), ('Barbara')") { db throws in
            let cursor = try String.fetchCursor(db, sql: "SELECT name FROM player")
            _ = try cursor.next()
            let error = #expect(throws: DatabaseError.self) { try db.drop(table: "player") }
            #expect(error?.resultCode == .SQLITE_LOCKED)
            #expect(try cursor.next() == "Barbara")
        }
    }

    @Test
    func `A connection that can't write creates nothing`() throws {
        let queue = try DatabaseQueue()
        try queue.read { db in
            let error = #expect(throws: DatabaseError.self) { try db.create(table: "a") { $0.column("x").indexed() } }
            #expect(error?.resultCode == .SQLITE_READONLY)
        }
        #expect(try queue.read { try $0.objectNames() }.isEmpty)
    }

    @Test
    func `Other connections see schema changes`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path + "/test.sqlite")
        try pool.write { try $0.create(table: "player") { $0.primaryKey("id", .integer) } }
        #expect(try pool.read { try $0.columns(in: "player").map(\.name) } == ["id"])
        try pool.write { db in
            try db.alter(table: "player") { $0.add(column: "name", .text) }
            try db.execute(sql: "INSERT INTO player VALUES (1, 'Arthur')")
        }
        #expect(try pool.read { try $0.columns(in: "player").map(\.name) } == ["id", "name"])
        #expect(try pool.read { try Row.fetchAll($0, sql: "SELECT * FROM player") } == [["id": 1, "name": "Arthur"]])
    }
}
