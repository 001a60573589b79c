import CSQLiteShims
import Foundation
import SQLiteDriver
import Testing

/// Interruptions by `interrupt()` and by the cancellation of a task, at any moment of a statement.
@Suite struct InterruptionTests {
    enum Kind: CaseIterable { case memory, queue, pool }

    /// Work that keeps statements of SQLite's own, of a virtual table or of the program running beside its statement.
    enum Work: CaseIterable {
        case optimize, merge, rebuild, search, insertIntoTextIndex, rtree, function, attached, blob, alter, vacuum, returning
    }

    private static let count = 2000

    private func makeWriter(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        let attached = folder.path("attached.sqlite")
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; ATTACH DATABASE '\(attached)' AS other")
            // The connection retains the function.
            nonisolated(unsafe) let connection = Unmanaged.passUnretained(db)
            db.add(
                function: DatabaseFunction("total", argumentCount: 0) { _ in
                    try connection.takeUnretainedValue().integers("SELECT sum(id) FROM doc").first
                })
        }
        let writer: any DatabaseWriter =
            switch kind {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .queue: try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
            case .pool: try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
            }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE doc (id INTEGER PRIMARY KEY, body TEXT);
                    INSERT INTO doc WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
                        SELECT i, hex(i * 7919) || ' quick ' || hex(i) FROM n;
                    CREATE VIRTUAL TABLE ft USING fts5(body, content = 'doc', content_rowid = 'id');
                    INSERT INTO ft (ft, rank) VALUES ('pgsz', 100), ('automerge', 0), ('crisismerge', 1000);
                    INSERT INTO ft (rowid, body) SELECT id, body FROM doc;
                    CREATE VIRTUAL TABLE box USING rtree(id, a, b);
                    INSERT INTO box SELECT id, id, id + 10 FROM doc;
                    CREATE TABLE other.t (a);
                    INSERT INTO other.t SELECT id FROM doc;
                    CREATE TABLE blob (id INTEGER PRIMARY KEY, content BLOB);
                    INSERT INTO blob VALUES (1, zeroblob(1000));
                    """)
            for index in 0..<60 { try db.execute(sql: "CREATE VIEW v\(index) AS SELECT body, id FROM doc WHERE id > \(index)") }
        }
        return writer
    }

    /// Gives the full-text index something to merge.
    private static func addSegments(_ db: Database) throws {
        for segment in 0..<20 {
            try db.execute(sql: "INSERT INTO ft (rowid, body) SELECT id + \(segment * 10000), body FROM doc WHERE id < 100")
        }
    }

    /// Does the work inside a transaction.
    private static func perform(_ work: Work, _ db: Database) throws {
        switch work {
        case .optimize: try db.execute(sql: "INSERT INTO ft (ft) VALUES ('optimize')")
        case .merge: try db.execute(sql: "INSERT INTO ft (ft, rank) VALUES ('merge', -500)")
        case .rebuild: try db.execute(sql: "INSERT INTO ft (ft) VALUES ('rebuild')")
        case .search: _ = try db.integers("SELECT rowid FROM ft WHERE ft MATCH 'quick' ORDER BY rank")
        case .insertIntoTextIndex:
            try db.execute(sql: "INSERT INTO doc (body) SELECT body FROM doc LIMIT 300")
            try db.execute(sql: "INSERT INTO ft (rowid, body) SELECT id, body FROM doc WHERE id > \(Self.count)")
        case .rtree:
            try db.execute(sql: "UPDATE box SET b = b + 1 WHERE id % 3 = 0")
            _ = try db.integers("SELECT count(*) FROM box WHERE a < 500 AND b > 20")
        case .function: _ = try db.integers("SELECT total() FROM doc LIMIT 100")
        case .attached: try db.execute(sql: "UPDATE other.t SET a = a + 1; DELETE FROM other.t WHERE a % 17 = 0")
        case .blob:
            // The program's own handle, which must stay usable.
            var blob: OpaquePointer?
            guard sqlite3_blob_open(db.sqliteConnection, "main", "blob", "content", 1, 0, &blob) == SQLITE_OK else {
                throw DatabaseError(resultCode: db.lastErrorCode)
            }
            defer { sqlite3_blob_close(blob) }
            try db.execute(sql: "UPDATE doc SET body = body || 'x'")
        case .alter:
            try db.execute(sql: "ALTER TABLE doc ADD COLUMN extra; ALTER TABLE doc RENAME COLUMN extra TO more")
            try db.execute(sql: "ALTER TABLE doc DROP COLUMN more; ALTER TABLE other.t RENAME TO u; ALTER TABLE other.u RENAME TO t")
        case .vacuum: break
        case .returning: _ = try db.integers("INSERT INTO doc (body) SELECT body FROM doc WHERE id < 500 RETURNING id")
        }
    }

    @Test(arguments: Kind.allCases, Work.allCases)
    func `A cancelled or interrupted access leaves a connection that can be used`(_ kind: Kind, _ work: Work) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        let roundCount = ProcessInfo.processInfo.environment["STRATA_INTERRUPTIONS"].flatMap { Int($0) } ?? 8
        var random = SystemRandomNumberGenerator()
        var interruptedCount = 0
        for round in 0..<roundCount {
            let isCancelling = round.isMultiple(of: 2)
            if work == .optimize || work == .merge { try await writer.writeWithoutTransaction(Self.addSegments) }
            let before = try await writer.read(Self.state)
            let hasBegun = Semaphore("the work has begun")
            let task = Task {
                if work == .vacuum {
                    hasBegun.signal()
                    return try await writer.vacuum()
                }
                try await writer.write { db in
                    hasBegun.signal()
                    try Self.perform(work, db)
                }
            }
            await hasBegun.signalled()
            let delay = UInt32.random(in: 0..<UInt32(round % 10 + 1) * 400, using: &random)
            await onAThread { _ = usleep(delay) }
            if isCancelling { task.cancel() } else { writer.interrupt() }
            var isInterrupted = false
            do {
                try await task.value
            } catch is CancellationError where isCancelling {
                isInterrupted = true
            } catch let error as DatabaseError where !isCancelling && error.resultCode == .SQLITE_INTERRUPT {
                isInterrupted = true
            } catch {
                Issue.record("\(work) in round \(round): \(error)")
            }
            // The connections can be used, and an interrupted transaction has changed nothing.
            let after = try await writer.read(Self.state)
            if isInterrupted { #expect(after == before) }
            if isInterrupted { interruptedCount += 1 }
            let isOpen = try await writer.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO doc (body) VALUES ('after'); DELETE FROM doc WHERE body = 'after'")
                return db.isInsideTransaction
            }
            #expect(!isOpen)
        }
        try await writer.write { try $0.execute(sql: "INSERT INTO ft (ft) VALUES ('rebuild')") }
        #expect(try await writer.read { try $0.texts("PRAGMA integrity_check") } == ["ok"])
        try writer.close()
        print("\(kind), \(work): \(interruptedCount) of \(roundCount) interrupted")
    }

    @Test(arguments: Kind.allCases, ["optimize", "rebuild"])
    func `A task that is cancelled after a full-text command rolls back`(_ kind: Kind, _ command: String) async throws {
        let folder = try TemporaryFolder()
        let writer = try makeWriter(kind, folder)
        try await writer.writeWithoutTransaction(Self.addSegments)
        let task = Task {
            try await writer.write { db in
                try db.execute(sql: "INSERT INTO doc (body) VALUES ('new'); INSERT INTO ft (ft) VALUES ('\(command)')")
                // Before 3.52, the table's handle for blobs is a running statement until the transaction ends.
                var runningCount = 0
                var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
                while statement != nil {
                    runningCount += Int(sqlite3_stmt_busy(statement))
                    statement = sqlite3_next_stmt(db.sqliteConnection, statement)
                }
                #expect(runningCount == (SQLiteLibrary.current.versionNumber < 3_052_000 ? 1 : 0))
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await writer.write { try $0.integers("SELECT count(*) FROM doc WHERE body = 'new'") } == [0])
        try writer.close()
    }

    /// What the work changes.
    private static func state(_ db: Database) throws -> [Int64] {
        try db.integers("SELECT count(*) FROM doc") + db.integers("SELECT total(length(body)) FROM doc")
            + db.integers("SELECT total(a) FROM other.t") + db.integers("SELECT total(b) FROM box")
    }

    @Test
    func `An interruption does not concern statements that begin later`() throws {
        let queue = try DatabaseQueue()
        queue.interrupt()
        try queue.write { db in
            queue.interrupt()
            try db.execute(sql: "CREATE TABLE t (a)")
            queue.interrupt()
            #expect(try db.tableExists("t"))
            let statement = try db.makeStatement(sql: "SELECT 1 UNION ALL SELECT 2")
            #expect(try statement.step())
            queue.interrupt()
            // Another statement is running.
            let error = #expect(throws: DatabaseError.self) { _ = try db.integers("SELECT 1") }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
            #expect(throws: DatabaseError.self) { try statement.step() }
            #expect(try db.integers("SELECT 3") == [3])
        }
    }

    @Test
    func `A statement that has succeeded is not reported as interrupted, and a savepoint keeps its changes`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); CREATE TABLE number (i); INSERT INTO number VALUES (1), (2), (3)")
            // Interrupts when the last row is read.
            db.add(
                function: DatabaseFunction("interruptAfter", argumentCount: 2) { [weak queue] values in
                    if values[0] == values[1] { queue?.interrupt() }
                    return values[0]
                })
        }
        for _ in 0..<50 {
            try queue.writeWithoutTransaction { db in
                let before = try db.integers("SELECT count(*) FROM t")[0]
                for _ in 0..<7 { _ = try db.integers("SELECT i FROM number") }
                let error = #expect(throws: DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO t SELECT interruptAfter(i, 3) FROM number")
                }
                #expect(error?.resultCode == .SQLITE_INTERRUPT)
                #expect(try db.integers("SELECT count(*) FROM t") == [before])
                try db.execute(sql: "INSERT INTO t SELECT i FROM number")
                #expect(try db.integers("SELECT count(*) FROM t") == [before + 3])
            }
        }
    }

    @Test(arguments: [true, false])
    func `A slow function is the last thing that an interrupted statement calls`(_ isAggregate: Bool) async throws {
        let queue = try DatabaseQueue()
        let count = Box(0)
        let task = Task {
            try await queue.read { db in
                db.add(
                    function: DatabaseFunction("slow", argumentCount: 1) { values in
                        count.value += 1
                        if count.value == 5 { withUnsafeCurrentTask { $0?.cancel() } }
                        return values[0]
                    })
                return try db.integers(
                    "WITH n(i) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) SELECT \(isAggregate ? "sum(slow(i))" : "slow(i)") FROM n"
                )
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.value == 5)
    }
}
