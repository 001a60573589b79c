import Foundation
import Strata
import Testing

@Suite("Connections as GRDB's users write them")
struct DriverTests {
    private struct Mistake: Error {}

    @Test
    func `The error of a function keeps its code, and is the underlying error`() throws {
        let queue = try DatabaseQueue()
        try queue.write { db throws in
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) { _ in
                    throw DatabaseError(resultCode: ResultCode(rawValue: 1234), message: "custom")
                })
            db.add(function: DatabaseFunction("g", argumentCount: 1) { _ in throw Mistake() })
            let error = #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT f(?) ", arguments: [1]) }
            #expect(error?.extendedResultCode.rawValue == 1234)
            #expect(error?.message == "custom")
            #expect(error?.sql == "SELECT f(?)")
            #expect((error?.underlyingError as? DatabaseError)?.message == "custom")
            let other = #expect(throws: DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT g(?)", arguments: [1]) }
            #expect(other?.resultCode == .SQLITE_ERROR)
            #expect(other?.underlyingError is Mistake)
        }
    }

    @Test
    func `Public arguments are shown in traces`() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let queue = try DatabaseQueue(configuration: configuration)
        try queue.writeWithoutTransaction { db in
            var traced: [String] = []
            db.trace { traced.append("\($0)") }
            _ = try Int.fetchOne(db, sql: "SELECT ?", arguments: [1])
            #expect(traced == ["SELECT 1"])
        }
    }

    @Test
    func `A read-only pool opens a file of a queue, and leaves its journal mode`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")
        try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        var configuration = Configuration()
        configuration.readonly = true
        let pool = try DatabasePool(path: path, configuration: configuration)
        #expect(try pool.read { try Int.fetchOne($0, sql: "SELECT a FROM t") } == 1)
        #expect(try pool.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
    }

    @Test
    func `An error of a backup's progress is ignored when the copy is complete`() throws {
        let (source, destination) = (try makeDatabase(), try DatabaseQueue())
        try source.backup(to: destination, pagesPerStep: 1) { progress in
            if progress.isCompleted { throw Mistake() }
        }
        #expect(try destination.read { try Player.fetchCount($0) } == 3)
    }

    @Test
    func `Arguments of literals and scripts can be set later`() throws {
        try makeDatabase().write { db throws in
            let statement = try db.makeStatement(literal: "SELECT id FROM player WHERE name = ?")
            #expect(try Int.fetchOne(statement, arguments: ["Barbara"]) == 2)
            for name in ["Arthur", "Craig"] {
                let cached = try db.cachedStatement(literal: "SELECT id FROM player WHERE name = :name")
                // The arguments of the previous use are gone.
                #expect(throws: DatabaseError.self) { try Int.fetchOne(cached) }
                cached.arguments = ["name": name]
                #expect(try Int.fetchOne(cached) == (name == "Arthur" ? 1 : 3))
            }
            let scripts = [
                try db.allStatements(sql: "UPDATE player SET score = ?; UPDATE player SET name = ?"),
                try db.allStatements(literal: "UPDATE player SET score = ?; UPDATE player SET name = ?"),
            ]
            for statements in scripts {
                while let statement = try statements.next() { try statement.execute(arguments: ["7"]) }
                #expect(try Row.fetchAll(db, sql: "SELECT DISTINCT name, score FROM player").count == 1)
            }
            #expect(throws: DatabaseError.self) { try db.execute(literal: "UPDATE player SET score = ?") }
            #expect(throws: DatabaseError.self) { try db.makeStatement(literal: "SELECT ?, \(1)") }
            let request = SQLRequest<Int>(sql: "SELECT ?")
            #expect(throws: DatabaseError.self) { try request.fetchOne(db) }
        }
    }
}
