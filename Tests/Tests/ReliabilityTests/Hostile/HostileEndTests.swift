import Foundation
import Strata
import Testing

/// Transactions that are left open, databases that are closed in use, and objects that are kept.
@Suite("Hostile ends", .timeLimit(.minutes(10)))
struct HostileEndTests {
    let folder: TemporaryFolder
    let path: String

    enum Kind: CaseIterable { case queue, pool }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    private func makeWriter(_ kind: Kind) throws -> any DatabaseWriter {
        let writer: any DatabaseWriter = kind == .queue ? try DatabaseQueue(path: path) : try DatabasePool(path: path)
        try writer.write { db in if try !db.tableExists("player") { try Player.makeTable(db) } }
        return writer
    }

    // MARK: - Transactions

    @Test(
        arguments: Kind.allCases,
        ["BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "SAVEPOINT a", "SAVEPOINT a; SAVEPOINT b; RELEASE b"])
    func `A transaction or a savepoint that is left open is an error, and is rolled back`(_ kind: Kind, _ begin: String) throws {
        let writer = try makeWriter(kind)
        let error = expectError(.SQLITE_MISUSE) {
            try writer.writeWithoutTransaction { (db) throws in
                try db.execute(sql: begin)
                _ = try Player.arthur.delete(db)
            }
        }
        #expect(error?.message?.isEmpty == false)
        expectUnlocked(path)
        // An error of the closure is what the caller gets.
        #expect(throws: TestError.self) {
            try writer.writeWithoutTransaction { (db) throws in
                try db.execute(sql: begin)
                _ = try Player.arthur.delete(db)
                throw TestError()
            }
        }
        expectUnlocked(path)
        #expect(try writer.read { try Player.fetchAll($0) } == [.arthur, .barbara, .craig])
        try writer.close()
    }

    @Test(arguments: Kind.allCases, ["COMMIT", "ROLLBACK", "END"])
    func `Ending the transaction of a write in its closure is an error`(_ kind: Kind, _ end: String) throws {
        let writer = try makeWriter(kind)
        #expect(throws: DatabaseError.self) {
            try writer.write { (db) throws in
                _ = try Player.arthur.delete(db)
                try db.execute(sql: end)
            }
        }
        expectUnlocked(path)
        #expect(try writer.read { try Player.fetchCount($0) } == (end == "ROLLBACK" ? 3 : 2))
        try writer.close()
    }

    @Test(arguments: Kind.allCases)
    func `A nested transaction is an error, and does not change the outer one`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        try writer.write { (db) throws in
            _ = try Player.arthur.delete(db)
            expectError(.SQLITE_ERROR) {
                try db.inTransaction {
                    _ = try Player.barbara.delete(db)
                    return .commit
                }
            }
            #expect(db.isInsideTransaction)
        }
        #expect(try writer.read { try Player.fetchAll($0) } == [.barbara, .craig])
        try writer.close()
    }

    // MARK: - Closing

    @Test(arguments: Kind.allCases)
    func `Closing while others read and write ends each access in a result or an error`(_ kind: Kind) throws {
        for round in 0..<20 {
            let writer = try makeWriter(kind)
            let started = Semaphore("each user has begun")
            let users = (0..<4).map { number in
                Parallel { () throws -> Int in
                    var count = 0
                    started.signal()
                    while true {
                        do {
                            if number == 0 {
                                try writer.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
                            } else {
                                let players = try writer.read { try Player.order(Column("id")).fetchAll($0) }
                                guard players.count == 3 else { throw TestError() }
                            }
                            count += 1
                        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                            // The database is closed.
                            return count
                        }
                    }
                }
            }
            for _ in users { started.wait() }
            for _ in 0..<(round * 37 % 200) { _ = try? writer.read { try Player.fetchCount($0) } }
            try writer.close()
            for user in users { _ = try user.wait() }
            expectUnlocked(path)
        }
    }

    @Test(arguments: Kind.allCases)
    func `Closing while an access holds a cursor waits for it, and a kept cursor prevents it`(_ kind: Kind) throws {
        let writer = try makeWriter(kind)
        let isReading = Semaphore("the read has begun")
        let goOn = Semaphore("the test lets the read end")
        let reader = Parallel {
            try writer.read { (db) throws in
                let cursor = try Player.fetchCursor(db)
                var names = [try cursor.next()?.name]
                isReading.signal()
                goOn.wait()
                while let player = try cursor.next() { names.append(player.name) }
                return names
            }
        }
        isReading.wait()
        let closing = Parallel { try writer.close() }
        // A pool refuses accesses as soon as it is being closed; accesses of a queue would wait for the reader.
        if kind == .pool { while (try? writer.read { _ in }) != nil {} }
        #expect(!closing.hasEnded)
        goOn.signal()
        #expect(try reader.wait() == ["Arthur", "Barbara", "Craig"])
        try closing.wait()

        let again = try makeWriter(kind)
        var kept: RecordCursor<Player>? = try again.writeWithoutTransaction { (db) throws in
            let cursor = try Player.fetchCursor(db)
            _ = try cursor.next()
            return cursor
        }
        expectUnlocked(path)
        expectError(.SQLITE_BUSY) { try again.close() }
        #expect(try again.read { try Player.fetchCount($0) } == 3)
        _ = consume kept
        kept = nil
        try again.close()
    }

    // MARK: - Kept objects

    /// What escapes from its access.
    enum Kept: CaseIterable, Sendable {
        case connection, statement, cursor, row, scope

        /// Returns something that uses the object.
        func use(_ db: Database) throws -> () throws -> Void {
            switch self {
            case .connection: return { _ = try Int.fetchOne(db, sql: "SELECT 1") }
            case .statement:
                let statement = try db.makeStatement(sql: "SELECT 1")
                return { _ = try statement.step() }
            case .cursor:
                let cursor = try Int.fetchCursor(db, sql: "SELECT 1")
                return { _ = try cursor.next() }
            case .row:
                let row = try Row.fetchCursor(db, sql: "SELECT 1 AS a").next()
                return { _ = try row?.decode(Int.self, forKey: "a") }
            case .scope:
                let row = try Row.fetchCursor(
                    db, sql: "SELECT 1 AS a, 2 AS b", adapter: ScopeAdapter(["s": SuffixRowAdapter(fromIndex: 1)])
                ).next()
                let scope = row?.scopes["s"]
                return { _ = try scope?.decode(Int.self, forKey: "b") }
            }
        }
    }

    @Test(arguments: Kept.allCases, [false, true])
    func `Objects kept after their access stop the program with a reason`(_ kept: Kept, _ isPool: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kept, isPool] in
            let folder = try TemporaryFolder()
            let path = folder.path("database.sqlite")
            let writer: any DatabaseWriter = isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            let use = try writer.read { Box(try kept.use($0)) }
            try use.value()
        }
        #expect(result?.message.contains("outside its") == true, "\(kept): \(result?.message ?? "")")
    }

    @Test(arguments: [Kept.connection, .statement, .cursor])
    func `An object that is used on another thread during its access stops the program`(_ kept: Kept) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kept] in
            try DatabaseQueue().read { (db) throws in
                let use = Box(try kept.use(db))
                let ended = Semaphore("the other thread has ended")
                Thread.detachNewThread {
                    try? use.value()
                    ended.signal()
                }
                ended.wait()
            }
        }
        #expect(result?.message.contains("on another thread") == true, "\(kept): \(result?.message ?? "")")
    }
}
extension HostileEndTests.Kept: Codable {}
