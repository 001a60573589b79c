import SQLiteDriver
import Testing

@Suite struct TransactionObserverTests {
    /// Records its notifications.
    private final class Recorder: TransactionObserver {
        var log: [String] = []
        var observes: (DatabaseEventKind) -> Bool = { _ in true }
        var willCommit: () throws -> Void = {}
        var stopsAtFirstEvent = false

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { observes(eventKind) }

        func databaseDidChange() { log.append("change") }

        func databaseDidChange(with event: DatabaseEvent) {
            log.append("\(event.kind) \(event.tableName) \(event.rowID)")
            if stopsAtFirstEvent { stopObservingDatabaseChangesUntilNextTransaction() }
        }

        func databaseWillCommit() throws {
            log.append("will commit")
            try willCommit()
        }

        func databaseDidCommit(_ db: Database) { log.append("commit") }

        func databaseDidRollback(_ db: Database) { log.append("rollback") }

        func take() -> [String] {
            defer { log = [] }
            return log
        }
    }

    private func withRecorder(_ body: (DatabaseQueue, Recorder) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b)") }
        let recorder = Recorder()
        queue.add(transactionObserver: recorder)
        try body(queue, recorder)
    }

    @Test
    func `Inserts, updates and deletes are reported before the commit`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
                try db.execute(sql: "UPDATE t SET b = 'z' WHERE a = 2")
                try db.execute(sql: "DELETE FROM t WHERE a = 1")
            }
            #expect(
                recorder.take() == ["insert t 1", "insert t 2", "update t 2", "delete t 1", "will commit", "commit"])
        }
    }

    @Test
    func `Statements outside transactions are transactions of their own`() throws {
        try withRecorder { queue, recorder in
            try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
        }
    }

    @Test
    func `A rollback is reported`() throws {
        try withRecorder { queue, recorder in
            try queue.inTransaction { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                return .rollback
            }
            #expect(recorder.take() == ["insert t 1", "rollback"])
        }
    }

    @Test
    func `A statement that fails has no events`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO t VALUES (2, 'y'), (1, 'z')") }
            }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
        }
    }

    @Test
    func `Changes that OR FAIL keeps are reported`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR FAIL INTO t VALUES (2, 'y'), (1, 'z')") }
            }
            #expect(recorder.take() == ["insert t 1", "insert t 2", "will commit", "commit"])
        }
    }

    @Test
    func `Events of a savepoint wait until nothing can undo them`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                try db.execute(sql: "SAVEPOINT one")
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                #expect(recorder.log.isEmpty)
                try db.execute(sql: "SAVEPOINT two")
                try db.execute(sql: "INSERT INTO t VALUES (2, 'y')")
                try db.execute(sql: "ROLLBACK TO two")
                try db.execute(sql: "INSERT INTO t VALUES (3, 'y')")
                try db.execute(sql: "RELEASE two")
                #expect(recorder.log.isEmpty)
                try db.execute(sql: "RELEASE ONE")
                #expect(recorder.take() == ["insert t 1", "insert t 3"])
                try db.inSavepoint {
                    try db.execute(sql: "DELETE FROM t")
                    return .rollback
                }
                #expect(recorder.log.isEmpty)
            }
            #expect(recorder.take() == ["will commit", "commit"])
        }
    }

    @Test
    func `A savepoint outside transactions acts as a transaction`() throws {
        try withRecorder { queue, recorder in
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "SAVEPOINT one; INSERT INTO t VALUES (1, 'x'); RELEASE one")
            }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
        }
    }

    @Test
    func `An observer may refuse a commit`() throws {
        try withRecorder { queue, recorder in
            recorder.willCommit = { throw TestError() }
            #expect(throws: TestError.self) {
                try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            }
            #expect(recorder.take() == ["insert t 1", "will commit", "rollback"])
            #expect(throws: TestError.self) {
                try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            }
            recorder.willCommit = {}
            #expect(try queue.read { try $0.integers("SELECT count(*) FROM t") } == [0])
            recorder.log = []
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
        }
    }

    @Test
    func `Deletes of all rows are reported`() throws {
        try withRecorder { queue, recorder in
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y')") }
            recorder.log = []
            try queue.write { try $0.execute(sql: "DELETE FROM t") }
            #expect(recorder.take() == ["delete t 1", "delete t 2", "will commit", "commit"])
        }
    }

    @Test
    func `Deletes of all rows are reported by statements that are older than the observer`() throws {
        let queue = try DatabaseQueue()
        let recorder = Recorder()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            let statement = try db.makeStatement(sql: "DELETE FROM t")
            db.add(transactionObserver: recorder)
            try statement.execute()
        }
        #expect(recorder.take() == ["delete t 1", "delete t 2", "will commit", "commit"])
    }

    @Test
    func `Tables can still be dropped`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
                try db.execute(sql: "DROP TABLE t")
                #expect(try !db.tableExists("t"))
                try db.execute(sql: "CREATE VIEW v AS SELECT 1; DROP VIEW v")
            }
        }
    }

    @Test(arguments: [
        "INSERT INTO w VALUES (1)", "INSERT OR REPLACE INTO t VALUES (1, 'new')", "REPLACE INTO t VALUES (1, 'new')",
        "INSERT INTO r VALUES (1)", "INSERT INTO f VALUES ('text')", "UPDATE w SET a = 2", "DELETE FROM w",
        "INSERT INTO x VALUES (1)", "INSERT INTO y VALUES (1)", "INSERT INTO attached.w VALUES (1)",
        "INSERT INTO attached.r VALUES (1)", "INSERT INTO temporary VALUES (1)",
    ])
    func `Unreported changes are changes of the table`(_ sql: String) throws {
        let queue = try DatabaseQueue()
        let recorder = Recorder()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS attached;
                    CREATE TABLE attached.w (a PRIMARY KEY) WITHOUT ROWID;
                    CREATE TABLE attached.r (a UNIQUE ON CONFLICT REPLACE);
                    CREATE TEMP TABLE temporary (a UNIQUE ON CONFLICT REPLACE);
                    CREATE TABLE x (a);
                    CREATE TRIGGER replacing AFTER INSERT ON x BEGIN REPLACE INTO t VALUES (1, 'new'); END;
                    CREATE TABLE y (a);
                    CREATE TRIGGER keyed AFTER INSERT ON y BEGIN INSERT INTO w VALUES (7); END;
                    CREATE TABLE t (a INTEGER PRIMARY KEY, b);
                    CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID;
                    CREATE TABLE r (a UNIQUE ON CONFLICT REPLACE);
                    CREATE VIRTUAL TABLE f USING fts5(a);
                    INSERT INTO t VALUES (1, 'old');
                    """)
        }
        queue.add(transactionObserver: recorder)
        try queue.inTransaction { db in
            try db.execute(sql: sql)
            #expect(recorder.take().contains("change"))
            return .rollback
        }
        #expect(recorder.take() == ["rollback"])
        // The commit of a statement comes after its changes.
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        let log = recorder.take()
        #expect(log.filter { $0 == "change" }.count == 1)
        #expect(log.suffix(2) == ["will commit", "commit"])
    }

    @Test
    func `Reported changes are reported once`() throws {
        try withRecorder { queue, recorder in
            try queue.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x'); UPDATE t SET b = 'y'") }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit", "update t 1", "will commit", "commit"])
        }
    }

    @Test(arguments: [false, true])
    func `Unreported changes that a failed statement keeps are changes of the table`(_ isInTransaction: Bool) throws {
        try withRecorder { queue, recorder in
            try queue.write { try $0.execute(sql: "CREATE TABLE w (a PRIMARY KEY) WITHOUT ROWID; INSERT INTO w VALUES (1)") }
            recorder.log = []
            try queue.writeWithoutTransaction { db in
                if isInTransaction { try db.beginTransaction() }
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT INTO w VALUES (0), (1)") }
                #expect(recorder.take().contains("change") == false)
                expectError(.SQLITE_CONSTRAINT) { try db.execute(sql: "INSERT OR FAIL INTO w VALUES (2), (1)") }
                if isInTransaction { try db.commit() }
            }
            #expect(recorder.take() == ["change", "will commit", "commit"])
            #expect(try queue.read { try $0.integers("SELECT a FROM w") } == [1, 2])
        }
    }

    @Test
    func `Observers are notified of the events that they observe`() throws {
        try withRecorder { queue, recorder in
            try queue.write { try $0.execute(sql: "CREATE TABLE u (a, b)") }
            recorder.log = []
            recorder.observes = { $0 == .update(tableName: "u", columnNames: ["b"]) }
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1, 'x'); INSERT INTO u VALUES (1, 2)")
                try db.execute(sql: "UPDATE u SET a = 2; UPDATE u SET b = 3")
            }
            #expect(recorder.take() == ["update u 1", "will commit", "commit"])
        }
    }

    @Test
    func `An observer may pause until the next transaction`() throws {
        try withRecorder { queue, recorder in
            recorder.stopsAtFirstEvent = true
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y'); DELETE FROM t") }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y')") }
            #expect(recorder.take() == ["insert t 1", "will commit", "commit"])
        }
    }

    @Test
    func `An observer is removed with its last reference`() throws {
        let queue = try DatabaseQueue()
        weak var weakRecorder: Recorder?
        do {
            let recorder = Recorder()
            weakRecorder = recorder
            queue.add(transactionObserver: recorder)
        }
        #expect(weakRecorder == nil)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test
    func `An observer of the next transaction is retained until its end`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        weak var weakRecorder: Recorder?
        do {
            let recorder = Recorder()
            weakRecorder = recorder
            queue.add(transactionObserver: recorder, extent: .nextTransaction)
        }
        #expect(weakRecorder != nil)
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(weakRecorder == nil)
    }

    @Test
    func `An observer of the database is retained until it is closed`() throws {
        let queue = try DatabaseQueue()
        weak var weakRecorder: Recorder?
        do {
            let recorder = Recorder()
            weakRecorder = recorder
            queue.add(transactionObserver: recorder, extent: .databaseLifetime)
        }
        for _ in 0..<2 { try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS t (a)") } }
        #expect(weakRecorder?.log.filter { $0 == "commit" }.count == 2)
        try queue.close()
        #expect(weakRecorder == nil)
    }

    @Test
    func `A removed observer is not notified`() throws {
        try withRecorder { queue, recorder in
            queue.remove(transactionObserver: recorder)
            try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1, 'x')") }
            #expect(recorder.log.isEmpty)
        }
    }

    @Test
    func `Callbacks after the next transaction are called once`() throws {
        let queue = try DatabaseQueue()
        var log: [String] = []
        try queue.write { db in
            db.afterNextTransaction(onCommit: { _ in log.append("commit") }, onRollback: { _ in log.append("rollback") })
            try db.execute(sql: "CREATE TABLE t (a)")
        }
        try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(log == ["commit"])
        try queue.inTransaction { db in
            db.afterNextTransaction(onCommit: { _ in log.append("commit") }, onRollback: { _ in log.append("rollback") })
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return .rollback
        }
        #expect(log == ["commit", "rollback"])
    }

    @Test(
        arguments: [
            (["BEGIN", "COMMIT"], ["commit"]),
            (["BEGIN", "SELECT * FROM t", "END TRANSACTION"], ["commit"]),
            (["BEGIN IMMEDIATE", "COMMIT"], ["commit"]),
            (["BEGIN EXCLUSIVE", "INSERT INTO t VALUES (1, 'x')", "COMMIT"], ["commit"]),
            (["BEGIN", "ROLLBACK"], ["rollback"]),
            (["BEGIN IMMEDIATE", "ROLLBACK"], ["rollback"]),
            (["SAVEPOINT a", "RELEASE a"], ["commit"]),
            (["SAVEPOINT a", "SAVEPOINT b", "RELEASE b"], []),
            (["SAVEPOINT a", "SAVEPOINT b", "RELEASE a"], ["commit"]),
            (["SAVEPOINT a", "SAVEPOINT b", "COMMIT"], ["commit"]),
            (["SAVEPOINT a", "ROLLBACK TO a"], []),
            (["SAVEPOINT a", "ROLLBACK TO a", "RELEASE a"], ["commit"]),
            (["SAVEPOINT a", "INSERT INTO t VALUES (1, 'x')", "ROLLBACK TO a", "RELEASE a"], ["commit"]),
            (["SAVEPOINT a", "ROLLBACK"], ["rollback"]),
            (["INSERT INTO t VALUES (1, 'x')"], ["commit"]),
            (["SELECT * FROM t"], []),
            (["BEGIN", "PRAGMA defer_foreign_keys = 1", "INSERT INTO c VALUES (1)", "COMMIT"], []),
            (["BEGIN", "PRAGMA defer_foreign_keys = 1", "INSERT INTO c VALUES (1)", "COMMIT", "ROLLBACK"], ["rollback"]),
            (["BEGIN", "INSERT OR ROLLBACK INTO t VALUES (9, 'x')"], ["rollback"]),
        ] as [([String], [String])], [false, true])
    func `The end of any next transaction is reported`(
        _ end: (sql: [String], expected: [String]), _ isAddedInside: Bool
    ) throws {
        let (sql, expected) = end
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (9, 'y'); CREATE TABLE c (p REFERENCES t)")
        }
        var log: [String] = []
        try? queue.writeWithoutTransaction { db in
            func add() {
                db.afterNextTransaction(onCommit: { _ in log.append("commit") }, onRollback: { _ in log.append("rollback") })
            }
            if !isAddedInside { add() }
            for (index, statement) in sql.enumerated() {
                if isAddedInside, index == sql.count - 1 { add() }
                try? db.execute(sql: statement)
            }
            // This ends the transactions that are still open.
            #expect(log == expected)
            log = []
            if expected.isEmpty {
                try? db.rollback()
                try db.inTransaction(.deferred) { .commit }
                #expect(log.count == 1)
            } else {
                try db.inTransaction(.deferred) { .commit }
                #expect(log.isEmpty)
            }
        }
    }

    @Test
    func `A read transaction is the next one only for observers added inside it`() throws {
        let queue = try DatabaseQueue()
        var log: [String] = []
        func note(_ name: String, in db: Database) {
            db.afterNextTransaction(onCommit: { _ in log.append("\(name) commit") }, onRollback: { _ in log.append("\(name) rollback") })
        }
        try queue.writeWithoutTransaction { note("write", in: $0) }
        try queue.read { note("read", in: $0) }
        #expect(log == ["read commit"])
        #expect(throws: TestError.self) {
            try queue.read { db in
                note("failing read", in: db)
                throw TestError()
            }
        }
        #expect(log == ["read commit", "failing read rollback"])
        try queue.inTransaction(.deferred) { _ in .commit }
        #expect(log == ["read commit", "failing read rollback", "write commit"])
    }

    @Test
    func `Other observers are not notified of a transaction that writes nothing`() throws {
        try withRecorder { queue, recorder in
            try queue.inTransaction(.deferred) { _ in .commit }
            try queue.read { _ in }
            #expect(recorder.take().isEmpty)
        }
    }

    @Test
    func `Changes that observers can't see can be reported`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                let region = try db.makeStatement(sql: "SELECT b FROM t").databaseRegion
                try db.notifyChanges(in: region)
                try db.notifyChanges(in: .fullDatabase)
            }
            #expect(recorder.take().filter { $0 == "change" }.count == 2)
        }
    }

    @Test
    func `Returning rows does not hide events`() throws {
        try withRecorder { queue, recorder in
            try queue.write { db in
                let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1, 'x'), (2, 'y') RETURNING a")
                #expect(try statement.step())
                statement.reset()
            }
            #expect(recorder.take() == ["insert t 1", "insert t 2", "will commit", "commit"])
        }
    }
}

@Suite struct DatabaseRegionTests {
    @Test
    func `An event modifies the regions of its table`() throws {
        final class Recorder: TransactionObserver {
            var events: [DatabaseEvent] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { events.append(event.copy()) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let recorder = Recorder()
        let region = try DatabaseQueue().write { db in
            try db.execute(
                sql:
                    "CREATE TABLE player (id INTEGER PRIMARY KEY, name); CREATE TABLE team (id INTEGER PRIMARY KEY); CREATE TEMP TABLE player (id INTEGER PRIMARY KEY)"
            )
            db.add(transactionObserver: recorder)
            try db.execute(sql: "INSERT INTO main.player VALUES (1, 'x'); INSERT INTO temp.player VALUES (2); INSERT INTO team VALUES (3)")
            return try db.makeStatement(sql: "SELECT name FROM main.player").databaseRegion
        }
        #expect(recorder.events.map(\.rowID) == [1, 2, 3])
        #expect(recorder.events.map(\.databaseName) == ["main", "temp", "main"])
        #expect(recorder.events.map { region.isModified(by: $0) } == [true, false, false])
        #expect(recorder.events.allSatisfy { DatabaseRegion.fullDatabase.isModified(by: $0) && !DatabaseRegion().isModified(by: $0) })
    }

    @Test(arguments: [
        ("SELECT name FROM player", "player(name)"),
        ("SELECT * FROM player", "player(id,name,score)"),
        ("SELECT count(*) FROM player", "player()"),
        ("SELECT p.name FROM player p JOIN team USING (id)", "player(*),team(*)"),
        ("SELECT p.name FROM player p JOIN team t ON t.id = p.id", "player(id,name),team(id)"),
        ("SELECT * FROM best", "best(name),player(*)"),
        ("SELECT 1", "empty"),
        ("INSERT INTO player DEFAULT VALUES", "empty"),
    ])
    func `A statement knows what it reads`(_ sql: String, _ region: String) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name, score);
                    CREATE TABLE team (id INTEGER PRIMARY KEY);
                    CREATE VIEW best AS SELECT name FROM player WHERE score > 100;
                    """)
            let description = try db.makeStatement(sql: sql).databaseRegion.description
            #expect(description == region)
        }
    }

    @Test
    func `A region knows what modifies it`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name, score)")
            let region = try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
            #expect(region.isModified(byEventsOfKind: .insert(tableName: "player")))
            #expect(region.isModified(byEventsOfKind: .delete(tableName: "PLAYER")))
            #expect(region.isModified(byEventsOfKind: .update(tableName: "player", columnNames: ["NAME"])))
            #expect(!region.isModified(byEventsOfKind: .update(tableName: "player", columnNames: ["score"])))
            #expect(!region.isModified(byEventsOfKind: .insert(tableName: "team")))
            #expect(DatabaseRegion.fullDatabase.isModified(byEventsOfKind: .insert(tableName: "team")))
            #expect(DatabaseRegion().isEmpty)
            #expect(region.union(DatabaseRegion()) == region)
            #expect(region.union(.fullDatabase).isFullDatabase)
        }
    }
}
