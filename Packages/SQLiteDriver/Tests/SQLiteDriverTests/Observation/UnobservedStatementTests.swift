import CSQLiteShims
import SQLiteDriver
import Testing

/// Statements that run many times in a transaction, and whose changes are not observed.
@Suite struct UnobservedStatementTests {
    private final class Observer: TransactionObserver {
        private let table: String
        private(set) var questions = 0
        private(set) var log: [String] = []

        init(_ table: String) { self.table = table }

        func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
            questions += 1
            return kind.tableName == table
        }
        func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.tableName) \(event.rowID)") }
        func databaseDidChange(in changes: DatabaseRegion) { log.append("changes") }
        func databaseDidCommit(_ db: Database) { log.append("commit") }
        func databaseDidRollback(_ db: Database) { log.append("rollback") }

        func take() -> [String] {
            defer { log = [] }
            return log
        }
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE a (id INTEGER PRIMARY KEY, x); CREATE TABLE b (id INTEGER PRIMARY KEY, x); CREATE TABLE c (x)")
        }
        return queue
    }

    @Test
    func `Observers are asked once in a transaction`() throws {
        let queue = try makeQueue()
        let observer = Observer("b")
        queue.add(transactionObserver: observer, extent: .databaseLifetime)
        func insert() throws -> Int {
            let before = observer.questions
            try queue.write { db in
                for number in 0..<100 {
                    try db.cachedStatement(sql: "INSERT INTO a (x) VALUES (?)").execute(arguments: [number])
                    try db.cachedStatement(sql: "UPDATE a SET x = 1 WHERE x = ?").execute(arguments: [number])
                }
            }
            return observer.questions - before
        }
        #expect(try insert() < 20)
        #expect(try insert() > 0)
        #expect(observer.take() == ["commit", "commit"])
    }

    @Test
    func `In asynchronous accesses, too`() async throws {
        let queue = try makeQueue()
        let observer = Box(Observer("b"))
        queue.add(transactionObserver: observer.value, extent: .databaseLifetime)
        try await queue.write { db in
            for number in 0..<100 {
                try db.cachedStatement(sql: "INSERT INTO a (x) VALUES (?)").execute(arguments: [number])
                if number == 50 { try db.cachedStatement(sql: "INSERT INTO b (x) VALUES (1)").execute() }
            }
        }
        #expect(observer.value.questions < 20)
        #expect(observer.value.take() == ["insert b 1", "commit"])
    }

    @Test
    func `Observed statements between them are reported`() throws {
        let queue = try makeQueue()
        let observer = Observer("b")
        queue.add(transactionObserver: observer, extent: .databaseLifetime)
        try queue.write { db in
            for number in 1...3 {
                try db.cachedStatement(sql: "INSERT INTO a (x) VALUES (1)").execute()
                try db.cachedStatement(sql: "UPDATE a SET x = x + 1").execute()
                try db.cachedStatement(sql: "INSERT INTO b (x) VALUES (1)").execute()
                if number == 2 {
                    try db.inSavepoint {
                        try db.cachedStatement(sql: "INSERT INTO a (x) VALUES (1)").execute()
                        try db.cachedStatement(sql: "INSERT INTO b (x) VALUES (1)").execute()
                        return .rollback
                    }
                }
            }
        }
        #expect(observer.take() == ["insert b 1", "insert b 2", "insert b 3", "commit"])
    }

    @Test
    func `A statement that fails, and one that an observer is added for, are reported`() throws {
        let queue = try makeQueue()
        let first = Observer("b")
        let second = Observer("a")
        queue.add(transactionObserver: first, extent: .databaseLifetime)
        try queue.write { db in
            let statement = try db.cachedStatement(sql: "INSERT INTO a VALUES (?, 1)")
            for number in 1...3 { try statement.execute(arguments: [number]) }
            #expect(throws: DatabaseError.self) { try statement.execute(arguments: [1]) }
            try statement.execute(arguments: [4])
            db.add(transactionObserver: second, extent: .databaseLifetime)
            try statement.execute(arguments: [5])
            try statement.setArguments([6])
            #expect(try statement.step() == false)
        }
        #expect(first.take() == ["commit"])
        #expect(second.take() == ["insert a 5", "insert a 6", "commit"])
    }

    @Test(arguments: [true, false])
    func `A new trigger makes their changes known`(_ usesDriver: Bool) throws {
        let queue = try makeQueue()
        let observer = Observer("b")
        queue.add(transactionObserver: observer, extent: .databaseLifetime)
        try queue.write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO a (x) VALUES (1)")
            let other = try db.makeStatement(sql: "INSERT INTO c (x) VALUES (1)")
            for _ in 0..<3 {
                try statement.execute()
                try other.execute()
            }
            let sql = "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b (x) VALUES (NEW.x); END"
            if usesDriver {
                try db.execute(sql: sql)
            } else {
                #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
            }
            for _ in 0..<3 {
                try statement.execute()
                try other.execute()
            }
        }
        #expect(observer.take().filter { $0 != "changes" } == ["insert b 1", "insert b 2", "insert b 3", "commit"])
    }

    @Test
    func `A function that runs them leaves the changes of its own statement known`() throws {
        let queue = try makeQueue()
        let observer = Observer("b")
        queue.add(transactionObserver: observer, extent: .databaseLifetime)
        try queue.write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO a (x) VALUES (1)")
            for _ in 0..<2 { try statement.execute() }
            let nested = Nested(statement)
            let function = DatabaseFunction("nested", argumentCount: 1) { values in
                try nested.statement.execute()
                return values[0]
            }
            db.add(function: function)
            // The connection keeps the function, which keeps a statement of the connection.
            defer { db.remove(function: function) }
            try db.execute(sql: "INSERT INTO b (x) SELECT nested(id) FROM (SELECT 1 AS id UNION ALL SELECT 2)")
        }
        #expect(observer.take() == ["insert b 1", "insert b 2", "commit"])
    }

    /// `@unchecked Sendable`: the statement stays in the access.
    private final class Nested: @unchecked Sendable {
        let statement: Statement
        init(_ statement: Statement) { self.statement = statement }
    }
}
