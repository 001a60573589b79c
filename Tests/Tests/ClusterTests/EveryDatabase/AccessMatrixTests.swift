import DqliteCluster
import Foundation
import Strata
import Testing

/// Errors, closing and reentrant accesses, over every kind of database.
@Suite(.serialized, .timeLimit(.minutes(20))) struct AccessMatrixTests {
    static let schema = """
        CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
        CREATE TABLE player (id INTEGER PRIMARY KEY, score INTEGER CHECK (score >= 0), team INTEGER REFERENCES team (id), b BLOB);
        CREATE TRIGGER refuses BEFORE INSERT ON player WHEN new.id = 13 BEGIN SELECT RAISE(ABORT, 'unlucky'); END;
        INSERT INTO team VALUES (1, 'Red');
        INSERT INTO player (id, score, team) VALUES (1, 1, 1);
        """

    // MARK: - Errors

    static let failures = [
        "INSERT INTO team (name) VALUES (?)", "INSERT INTO team VALUES (?, NULL)", "INSERT INTO player (score) VALUES (-length(?))",
        "INSERT INTO team VALUES (1, ? || '2')", "INSERT INTO player (id) VALUES (13 + (? IS NULL))",
        "INSERT INTO player (id, team) VALUES (2, length(?) + 99)", "SELECT abs(-9223372036854775808) FROM team WHERE name = ?",
        "SELECT json_extract(name, '$.a') FROM team WHERE name = ?",
    ]

    /// An error, as far as all kinds of databases promise the same.
    private func description(_ error: (any Error)?) -> String {
        guard let error = error as? DatabaseError else { return "\(String(describing: error))" }
        let constraint = String(describing: error.constraint)
        return "\(error.extendedResultCode) \(error.message ?? "") \(error.sql ?? "") \(String(describing: error.arguments)) \(constraint)"
    }

    @Test(arguments: failures, [true, false])
    func `Errors have the same code, message, SQL, arguments and constraint`(_ sql: String, _ areArgumentsPublic: Bool) throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = areArgumentsPublic
        var expected: String?
        for kind in DatabaseKind.all {
            let database = try TestDatabase(kind, configuration, schema: Self.schema)
            let accesses: [((Database) throws -> Void) throws -> Void] = [
                { try database.writer.write($0) }, { try database.writer.writeWithoutTransaction($0) },
            ]
            for access in accesses {
                let error = #expect(throws: DatabaseError.self) {
                    try access { db in
                        let statement = try db.makeStatement(sql: sql)
                        try statement.setArguments(["Red"])
                        while try statement.step() {}
                    }
                }
                let text = description(error)
                #expect(error?.description.contains("Red") == areArgumentsPublic, "\(kind)")
                if let expected { #expect(text == expected, "\(kind)") } else { expected = text }
            }
            #expect(try database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") } == 1)
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A failed statement leaves the transaction open, and the others are committed`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        try database.writer.write { (db) throws in
            try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue')")
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO team VALUES (3, 'Blue')") }
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT nothing FROM team") }
            #expect(db.isInsideTransaction)
            try db.execute(sql: "INSERT INTO team VALUES (4, 'Green')")
        }
        #expect(try database.writer.read { try Int.fetchAll($0, sql: "SELECT id FROM team ORDER BY id") } == [1, 2, 4])
    }

    @Test(arguments: DatabaseKind.all, ["DELETE FROM team", "CREATE TABLE u (a)", "DELETE FROM team RETURNING id"])
    func `Reads can't write`(_ kind: DatabaseKind, _ sql: String) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let error = #expect(throws: DatabaseError.self) { try database.writer.read { try $0.execute(sql: sql) } }
        #expect(error?.resultCode == .SQLITE_READONLY)
        if kind == .pool || kind == .cluster {
            let error = #expect(throws: DatabaseError.self) { try database.writer.unsafeRead { try $0.execute(sql: sql) } }
            #expect(error?.resultCode == .SQLITE_READONLY)
        }
        #expect(try database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") } == 1)
    }

    @Test(arguments: DatabaseKind.shared)
    func `A read-only database reads, and refuses to write`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let other = try database.openAgain(readonly: true)
        #expect(try other.read { try String.fetchAll($0, sql: "SELECT name FROM team") } == ["Red"])
        for sql in ["DELETE FROM team", "CREATE TABLE u (a)", "DELETE FROM team RETURNING id", "PRAGMA user_version = 3"] {
            let error = #expect(throws: DatabaseError.self) { try other.write { try $0.execute(sql: sql) } }
            #expect(error?.resultCode == .SQLITE_READONLY, "\(sql)")
            #expect(throws: DatabaseError.self) { try other.writeWithoutTransaction { try $0.execute(sql: sql) } }
        }
        try database.writer.write { try $0.execute(sql: "ALTER TABLE team ADD COLUMN c DEFAULT 3") }
        #expect(try other.read { try Row.fetchOne($0, sql: "SELECT * FROM team")?.count } == 3)
        try other.close()
    }

    @Test(arguments: DatabaseKind.all)
    func `A table that is being read can't be dropped, and stays`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); CREATE INDEX i ON t (a)")
        try database.writer.write { (db) throws in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            #expect(try statement.step())
            for sql in ["DROP TABLE t", "DROP INDEX i"] {
                let error = #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(error?.resultCode == .SQLITE_LOCKED)
            }
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 2)
            #expect(try !statement.step())
        }
        #expect(try database.writer.read { try Int.fetchAll($0, sql: "SELECT a FROM t") } == [1, 2])
        try database.writer.write { try $0.execute(sql: "DROP INDEX i; DROP TABLE t") }
        #expect(try !database.writer.read { try $0.tableExists("t") })
    }

    // MARK: - Closing

    @Test(arguments: DatabaseKind.all)
    func `Every callback of a closed database is called with an error`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind)
        let writer = database.writer
        try writer.close()
        let codes = Collector<ResultCode?>()
        let note: @Sendable (Result<Database, any Error>) -> Void = { result in
            if case .failure(let error) = result { codes.append((error as? DatabaseError)?.resultCode) } else { codes.append(nil) }
        }
        writer.asyncRead(note)
        writer.asyncUnsafeRead(note)
        writer.asyncBarrierWriteWithoutTransaction(note)
        writer.spawnConcurrentRead(note)
        writer.asyncWrite({ try $0.execute(sql: "SELECT 1") }) { db, result in note(result.map { db }) }
        writer.asyncWriteWithoutTransaction { db in note(Result { try db.execute(sql: "SELECT 1") }.map { db }) }
        await codes.wait { $0.count >= 6 }
        #expect(codes.all == Array(repeating: .SQLITE_MISUSE, count: 6))
        await #expect(throws: DatabaseError.self) { try await writer.read { _ in } }
        await #expect(throws: DatabaseError.self) { try await writer.write { _ in } }
    }

    @Test(arguments: DatabaseKind.all, [false, true])
    func `Closing inside an access is refused, and closes nothing`(_ kind: DatabaseKind, _ writes: Bool) throws {
        let database = try TestDatabase(kind)
        let writer = database.writer
        let error = #expect(throws: DatabaseError.self) {
            if writes { try writer.write { _ in try writer.close() } } else { try writer.read { _ in try writer.close() } }
        }
        #expect(error?.resultCode == .SQLITE_MISUSE)
        #expect(error?.message?.contains("not reentrant") == true)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
        #expect(try writer.write { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
    }

    @Test(arguments: DatabaseKind.all, [false, true])
    func `A database that could not be closed is still open`(_ kind: DatabaseKind, _ writes: Bool) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        var statement: Statement?
        let open: (Database) throws -> Void = { statement = try $0.makeStatement(sql: "SELECT name FROM team") }
        try writes ? writer.write(open) : writer.read(open)
        let error = #expect(throws: DatabaseError.self) { try writer.close() }
        #expect(error?.resultCode == .SQLITE_BUSY)
        statement = nil
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") } == 1)
        #expect(try writer.write { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") } == 1)
        withExtendedLifetime(statement) {}
        try writer.close()
        #expect(throws: DatabaseError.self) { try writer.read { _ in } }
    }

    // MARK: - Reentrance

    @Test(arguments: DatabaseKind.all)
    func `Nested accesses are refused, or see what they promise`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let isConcurrent = kind == .pool || kind == .cluster
        func count(_ db: Database) throws -> Int? { try Int.fetchOne(db, sql: "SELECT count(*) FROM team") }
        func expectRefusal(_ body: () throws -> Void) {
            let error = #expect(throws: DatabaseError.self) { try body() }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            #expect(error?.message?.contains("not reentrant") == true)
        }
        expectRefusal { try writer.read { _ in try writer.read { _ in } } }
        expectRefusal { try writer.write { _ in try writer.write { _ in } } }
        expectRefusal { try writer.write { _ in try writer.barrierWriteWithoutTransaction { _ in } } }
        if isConcurrent {
            try writer.write { (db) throws in
                try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue')")
                // Beside the write.
                #expect(try writer.read(count) == 1)
            }
            try writer.read { (db) throws in
                #expect(try count(db) == 2)
                try writer.write { try $0.execute(sql: "DELETE FROM team WHERE id = 2") }
                #expect(try count(db) == 2)
            }
        } else {
            expectRefusal { try writer.write { _ in try writer.read { _ in } } }
        }
        try writer.writeWithoutTransaction { (db) throws in
            try writer.unsafeReentrantWrite { try $0.beginTransaction() }
            #expect(db.isInsideTransaction)
            try writer.unsafeReentrantRead { try $0.execute(sql: "CREATE TABLE u (a)") }
            try db.commit()
            #expect(try db.tableExists("u"))
        }
        for begin in [{ try writer.unsafeReentrantWrite($0) }, { try writer.unsafeReentrantRead($0) }]
            as [((Database) throws -> Void) throws -> Void]
        {
            let error = #expect(throws: DatabaseError.self) { try begin { try $0.beginTransaction(.deferred) } }
            #expect(error?.resultCode == .SQLITE_MISUSE)
        }
        #expect(try writer.read(count) == 1)
        #expect(try writer.write(count) == 1)
    }

    @Test(arguments: DatabaseKind.all)
    func `A concurrent read sees what was just written, and no later write`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let counts = Collector<Int?>()
        let go = Semaphore("the write has ended")
        let isConcurrent = kind == .pool || kind == .cluster
        try await writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO team VALUES (2, 'Blue')")
            writer.spawnConcurrentRead { result in
                if isConcurrent { go.wait() }
                counts.append(try? Int.fetchOne(result.get(), sql: "SELECT count(*) FROM team"))
            }
            try db.execute(sql: "INSERT INTO team VALUES (3, 'Green')")
        }
        go.signal()
        await counts.wait { !$0.isEmpty }
        #expect(counts.all == [2])
    }

    @Test(arguments: DatabaseKind.all)
    func `No read runs during a barrier`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let readerCount = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask {
                    if index.isMultiple(of: 4) {
                        try await writer.barrierWriteWithoutTransaction { db in
                            #expect(readerCount.value == 0)
                            try db.execute(sql: "UPDATE team SET name = name || '.'")
                            #expect(readerCount.value == 0)
                        }
                    } else {
                        try await writer.read { db in
                            readerCount.withLock { $0 += 1 }
                            defer { readerCount.withLock { $0 -= 1 } }
                            try db.execute(sql: "SELECT * FROM team")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let expected = "Red" + String(repeating: ".", count: 15)
        #expect(try await writer.read { try String.fetchOne($0, sql: "SELECT name FROM team") } == expected)
    }

    // MARK: - Limits

    enum Form: CaseIterable {
        case blocking, awaited, callback
    }

    @Test(arguments: DatabaseKind.all, Form.allCases)
    func `An access whose time is over while it waits never runs, and the next one does`(_ kind: DatabaseKind, _ form: Form) async throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = AnyDatabaseWriter(database.writer)
        let (isBusy, isFree) = (Semaphore("the connection is busy"), Semaphore("the test frees the connection"))
        writer.asyncWriteWithoutTransaction { _ in
            isBusy.signal()
            isFree.wait()
        }
        await isBusy.signalled()
        let timeout = Duration.milliseconds(50)
        let insert: @Sendable (Database) throws -> Void = { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
        let results = Collector<Result<Void, any Error>>()
        switch form {
        case .blocking: results.append(await onAThread { Result { try writer.write(timeout: timeout, insert) } })
        case .awaited:
            let task = Task { try await writer.write(timeout: timeout, insert) }
            results.append(await task.result)
        case .callback: writer.asyncWrite(timeout: timeout, insert) { results.append($0) }
        }
        let error = await #expect(throws: DatabaseTimeoutError.self) { try await results.wait { !$0.isEmpty }.first?.get() }
        #expect(error?.phase == .waitingForConnection)
        isFree.signal()
        try await writer.write { try $0.execute(sql: "INSERT INTO team VALUES (3, 'Green')") }
        #expect(try await writer.read { try Int.fetchAll($0, sql: "SELECT id FROM team ORDER BY id") } == [1, 3])
        #expect(results.all.count == 1)
    }

    // MARK: - Where a cluster differs

    @Test(arguments: DatabaseKind.all)
    func `Only a cluster refuses what works on files`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(kind, schema: Self.schema)
        let writer = database.writer
        let local = try DatabaseQueue()
        let operations: [() throws -> Void] = [
            { try writer.backup(to: local) }, { try writer.erase() }, { try writer.vacuum() },
            { try writer.writeWithoutTransaction { try $0.execute(sql: "CREATE TEMP TABLE v (a)") } },
            { try writer.writeWithoutTransaction { try $0.execute(sql: "ATTACH ':memory:' AS other; DETACH other") } },
            { try writer.writeWithoutTransaction { try $0.execute(sql: "SAVEPOINT s; RELEASE s") } },
        ]
        for operation in operations {
            let result = Result { try operation() }
            if kind != .cluster {
                #expect(throws: Never.self) { try result.get() }
            } else {
                #expect(throws: DatabaseError.self) { try result.get() }
            }
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `A read sees the state of its beginning on a cluster, and of its first statement in a pool`(_ kind: DatabaseKind) throws {
        guard kind == .pool || kind == .cluster else { return }
        let database = try TestDatabase(kind, schema: Self.schema)
        let other = try database.openAgain()
        let count = try database.writer.read { db in
            try other.write { try $0.execute(sql: "INSERT INTO team VALUES (2, 'Blue')") }
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM team")
        }
        #expect(count == (kind == .cluster ? 1 : 2))
        #expect(try database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM team") } == 2)
        try other.close()
    }

    @Test(arguments: DatabaseKind.all)
    func `A deferred constraint that fails at the commit rolls back a transaction of a cluster only`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(
            kind,
            schema: """
                CREATE TABLE team (id INTEGER PRIMARY KEY);
                CREATE TABLE player (team INTEGER REFERENCES team (id) DEFERRABLE INITIALLY DEFERRED)
                """)
        try database.writer.writeWithoutTransaction { (db) throws in
            try db.beginTransaction()
            try db.execute(sql: "INSERT INTO player VALUES (1)")
            let error = #expect(throws: DatabaseError.self) { try db.commit() }
            #expect(error?.resultCode == .SQLITE_CONSTRAINT)
            #expect(db.isInsideTransaction == (kind != .cluster))
            try db.rollback()
        }
        let error = #expect(throws: DatabaseError.self) {
            try database.writer.write { try $0.execute(sql: "INSERT INTO player VALUES (1)") }
        }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        #expect(try database.writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") } == 0)
    }

    @Test(arguments: DatabaseKind.all)
    func `While rows are read outside a transaction, the schema stays, or a cluster says that it can't`(_ kind: DatabaseKind) throws {
        guard [.pool, .walQueue, .cluster].contains(kind) else { return }
        let database = try TestDatabase(kind, schema: "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2), (3, 4)")
        let other = try database.openAgain()
        try database.writer.unsafeRead { (db) throws in
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            #expect(try statement.step())
            try other.write { try $0.execute(sql: "ALTER TABLE t ADD COLUMN c") }
            if kind == .cluster {
                let error = #expect(throws: DatabaseError.self) { try Row.fetchOne(db, sql: "SELECT * FROM t") }
                #expect(error?.resultCode == .SQLITE_LOCKED)
            } else {
                #expect(try Row.fetchOne(db, sql: "SELECT * FROM t")?.count == 2)
            }
            #expect(try statement.step())
            #expect(statement.columnCount == 2)
            #expect(statement.int64(at: 1) == 4)
            #expect(try !statement.step())
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM t")?.count == 3)
        }
        try other.close()
    }
}
