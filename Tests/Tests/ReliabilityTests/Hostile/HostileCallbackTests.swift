import Foundation
import Strata
import Testing

/// Code that the database calls, and that does what it should not: each ends in an error, and the connection can still be used.
@Suite("Hostile callbacks", .timeLimit(.minutes(10)))
struct HostileCallbackTests {
    let folder: TemporaryFolder
    let path: String

    enum Kind: CaseIterable { case memory, queue, pool }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func makeWriter(_ kind: Kind, _ configuration: Configuration = Configuration()) throws -> any DatabaseWriter {
        let writer: any DatabaseWriter =
            switch kind {
            case .memory: try DatabaseQueue(configuration: configuration)
            case .queue: try DatabaseQueue(path: path, configuration: configuration)
            case .pool: try DatabasePool(path: path, configuration: configuration)
            }
        try writer.write { try Player.makeTable($0) }
        return writer
    }

    /// Expects that the database reads, writes, has no open transaction, is sound, and can be closed.
    private func expectSound(_ writer: any DatabaseWriter, playerCount: Int) throws {
        try writer.writeWithoutTransaction { (db) throws in
            #expect(!db.isInsideTransaction)
            #expect(try Player.fetchCount(db) == playerCount)
            #expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"])
        }
        try writer.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
        #expect(try writer.read { try Player.fetchAll($0).count } == playerCount)
        try writer.close()
    }

    // MARK: - Observers

    /// An observer that does something with the database in one of its callbacks.
    final class Meddler: TransactionObserver {
        enum Callback: CaseIterable { case change, willCommit, didCommit, didRollback }

        private let callback: Callback
        private let body: () throws -> Void
        /// What the calls threw; nil for a call that threw nothing.
        private(set) var errors: [(any Error)?] = []

        init(_ callback: Callback, _ body: @escaping () throws -> Void) {
            self.callback = callback
            self.body = body
        }

        private func meddle(_ callback: Callback) {
            // Once: the callback's own changes would call it again.
            guard callback == self.callback, errors.isEmpty else { return }
            errors.append(nil)
            do { try body() } catch { errors[0] = error }
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) { meddle(.change) }
        func databaseWillCommit() throws { meddle(.willCommit) }
        func databaseDidCommit(_ db: Database) { meddle(.didCommit) }
        func databaseDidRollback(_ db: Database) { meddle(.didRollback) }
    }

    @Test(arguments: Kind.allCases)
    func `An observer that uses the connection before the end of a transaction gets an error`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        for callback in [Meddler.Callback.change, .willCommit] {
            for sql in [
                "INSERT INTO player (name, score) VALUES ('meddler', 1)", "SELECT * FROM player", "COMMIT", "ROLLBACK", "SAVEPOINT s",
                "DROP TABLE player", "CREATE TABLE other (a)",
            ] {
                try writer.writeWithoutTransaction { (db) throws in
                    let meddler = Meddler(callback) { try db.execute(sql: sql) }
                    db.add(transactionObserver: meddler)
                    try db.inTransaction {
                        try db.execute(sql: "UPDATE player SET score = score + 1")
                        return .commit
                    }
                    db.remove(transactionObserver: meddler)
                    let error = meddler.errors.first as? DatabaseError
                    #expect(error?.resultCode == .SQLITE_MISUSE, "\(callback), \(sql): \(meddler.errors)")
                    // The transaction is whole.
                    #expect(try Player.fetchCount(db) == 3)
                    #expect(try !db.tableExists("other"))
                }
            }
        }
        try expectSound(writer, playerCount: 3)
    }

    @Test(arguments: Kind.allCases, [Meddler.Callback.didCommit, .didRollback])
    func `An observer may write after the end of a transaction`(_ kind: Kind, _ callback: Meddler.Callback) throws {
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { (db) throws in
            let meddler = Meddler(callback) {
                try db.inTransaction {
                    try db.execute(sql: "INSERT INTO player (name, score) VALUES ('meddler', 1)")
                    return .commit
                }
            }
            db.add(transactionObserver: meddler)
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = score + 1")
                return callback == .didCommit ? .commit : .rollback
            }
            #expect(meddler.errors.count == 1 && meddler.errors[0] == nil, "\(meddler.errors)")
        }
        try expectSound(writer, playerCount: 4)
    }

    @Test(arguments: Kind.allCases, Meddler.Callback.allCases)
    func `An observer that begins another access gets an error`(_ kind: Kind, _ callback: Meddler.Callback) throws {
        let writer = try makeWriter(kind)
        let meddler = Meddler(callback) { try writer.write { try $0.execute(sql: "DELETE FROM player") } }
        writer.add(transactionObserver: meddler)
        try writer.writeWithoutTransaction { (db) throws in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = score + 1")
                return callback == .didRollback ? .rollback : .commit
            }
        }
        #expect((meddler.errors.first as? DatabaseError)?.resultCode == .SQLITE_MISUSE)
        writer.remove(transactionObserver: meddler)
        try expectSound(writer, playerCount: 3)
    }

    // MARK: - Functions, aggregates, collations

    @Test(arguments: Kind.allCases)
    func `A function that uses the database reentrantly gets an error, or its statement is its own`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        let connection = Box<Database?>(nil)
        // An access, which is refused.
        let access = DatabaseFunction("access", argumentCount: 0) { _ in
            try writer.write { _ in }
            return nil
        }
        // Statements of the connection, which calls the function again, up to a depth.
        let depth = DatabaseFunction("depth", argumentCount: 1) { values in
            guard let db = connection.value, let number = Int.fromDatabaseValue(values[0]), number < 40 else { return 0 }
            let inner = try Int.fetchOne(db, sql: "SELECT depth(?)", arguments: [number + 1]) ?? 0
            return inner + 1
        }
        let end = DatabaseFunction("endTransaction", argumentCount: 0) { _ in
            try connection.value?.execute(sql: "ROLLBACK")
            return nil
        }
        let drop = DatabaseFunction("dropTable", argumentCount: 0) { _ in
            try connection.value?.execute(sql: "DROP TABLE player")
            return nil
        }
        try writer.writeWithoutTransaction { (db) throws in
            for function in [access, depth, end, drop] { db.add(function: function) }
            connection.value = db
            defer { connection.value = nil }
            #expect(expectError(.SQLITE_MISUSE) { try db.execute(sql: "SELECT access()") }?.message?.contains("reentrant") == true)
            #expect(try Int.fetchOne(db, sql: "SELECT depth(0)") == 40)
            #expect(try Int.fetchAll(db, sql: "SELECT depth(38) FROM player") == [2, 2, 2])
            // The table is being read.
            #expect(throws: DatabaseError.self) { try db.execute(sql: "SELECT dropTable() FROM player") }
            #expect(throws: (any Error).self) {
                try db.inTransaction {
                    try db.execute(sql: "UPDATE player SET score = 0 WHERE endTransaction() IS NULL")
                    return .commit
                }
            }
            #expect(!db.isInsideTransaction)
            #expect(try Int.fetchAll(db, sql: "SELECT score FROM player ORDER BY id") == [100, 200, 300])
        }
        try expectSound(writer, playerCount: 3)
    }

    private struct Sum: DatabaseAggregate {
        var count = 0
        mutating func step(_ values: [DatabaseValue]) throws {
            count += 1
            if count == 2 { throw TestError() }
        }
        func finalize() throws -> Int? { count }
    }

    @Test(arguments: Kind.allCases)
    func `A function, an aggregate and a record that throw undo their statement`(_ kind: Kind) throws {
        struct Refusing: FetchableRecord {
            init(row: Row) throws { if try row.decode(Int.self, forKey: "id") == 2 { throw TestError() } }
        }
        let writer = try makeWriter(kind)
        try writer.writeWithoutTransaction { (db) throws in
            db.add(
                function: DatabaseFunction("refuse", argumentCount: 1) { values in
                    if values[0] == 2.databaseValue { throw TestError() }
                    return values[0]
                })
            db.add(function: DatabaseFunction("refuseSum", argumentCount: 1, aggregate: Sum.self))
            for sql in [
                "UPDATE player SET score = refuse(id)", "DELETE FROM player WHERE refuse(id) > 0",
                "INSERT INTO player (name, score) SELECT name, refuse(id) FROM player",
                "UPDATE player SET score = (SELECT refuseSum(id) FROM player)",
            ] {
                #expect(throws: DatabaseError.self) { try db.execute(sql: sql) }
                #expect(!db.isInsideTransaction)
            }
            #expect(throws: TestError.self) { try Refusing.fetchAll(db, sql: "SELECT * FROM player") }
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
        }
        try expectSound(writer, playerCount: 3)
    }

    @Test(arguments: Kind.allCases)
    func `A collation that contradicts itself harms nothing but the order`(_ kind: Kind) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            let random = Box(SeededGenerator(seed: 1))
            db.add(
                collation: DatabaseCollation("dice") { _, _ in
                    [.ascending, .same, .descending].randomElement(using: &random.value)!
                })
        }
        let writer = try makeWriter(kind, configuration)
        try writer.write { (db) throws in
            for number in 0..<300 {
                try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?)", arguments: ["\(number)", number])
            }
            let names = try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY name COLLATE dice")
            #expect(names.count == 303 && Set(names).count == 303)
        }
        try expectSound(writer, playerCount: 303)
    }

    // MARK: - Other callbacks

    @Test(arguments: [Kind.memory, .queue])
    func `A trace and a busy callback that begin an access get an error`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        let errors = Box<[any Error]>([])
        let isTracing = Box(false)
        try writer.writeWithoutTransaction { (db) throws in
            db.trace { _ in
                if isTracing.value { return }
                isTracing.value = true
                defer { isTracing.value = false }
                do { try writer.write { _ in } } catch { errors.value.append(error) }
            }
            #expect(try Player.fetchCount(db) == 3)
            db.trace(options: [])
        }
        #expect(!errors.value.isEmpty && errors.value.allSatisfy { ($0 as? DatabaseError)?.resultCode == .SQLITE_MISUSE })
        try expectSound(writer, playerCount: 3)
    }

    @Test
    func `A busy callback that begins an access gets an error`() throws {
        let first = try makeWriter(.queue)
        let errors = Box<[any Error]>([])
        let second = Box<DatabaseQueue?>(nil)
        var configuration = Configuration()
        configuration.busyMode = .callback { number in
            do { try second.value?.write { _ in } } catch { errors.value.append(error) }
            return number < 2
        }
        second.value = try DatabaseQueue(path: path, configuration: configuration)
        try first.writeWithoutTransaction { (db) throws in
            try db.inTransaction {
                try db.execute(sql: "DELETE FROM player WHERE id = 1")
                expectError(.SQLITE_BUSY) { try second.value?.write { try $0.execute(sql: "DELETE FROM player") } }
                return .commit
            }
        }
        #expect(errors.value.count == 3 && errors.value.allSatisfy { ($0 as? DatabaseError)?.resultCode == .SQLITE_MISUSE })
        try second.value?.close()
        // The database keeps its callback, which keeps the database.
        second.value = nil
        try expectSound(first, playerCount: 2)
    }

    @Test
    func `A preparation that leaves a transaction open, or begins an access, opens nothing`() throws {
        _ = try makeWriter(.queue)
        let other = Box<DatabaseQueue?>(nil)
        for prepare in [
            { try $0.execute(sql: "BEGIN IMMEDIATE; DELETE FROM player") },
            { _ = try $0.makeStatement(sql: "DELETE FROM nothing") },
            { _ in throw TestError() },
        ] as [@Sendable (Database) throws -> Void] {
            var configuration = Configuration()
            configuration.prepareDatabase(prepare)
            #expect(throws: (any Error).self) { other.value = try DatabaseQueue(path: path, configuration: configuration) }
            #expect(throws: (any Error).self) { _ = try DatabasePool(path: folder.path("pool.sqlite"), configuration: configuration) }
            expectUnlocked(path)
        }
        #expect(try DatabaseQueue(path: path).read { try Player.fetchCount($0) } == 3)
    }
}
