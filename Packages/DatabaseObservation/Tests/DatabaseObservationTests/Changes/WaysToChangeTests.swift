import DatabaseObservation
import Foundation
import Testing

/// All kinds of databases, schedulers and ways to change a database. ReliabilityTests has the same for changes by another process.
@Suite(.timeLimit(.minutes(20))) struct WaysToChangeTests {
    private func open(_ kind: Kind, _ folder: TemporaryFolder) throws -> any DatabaseWriter {
        var configuration = Configuration()
        let other = kind == .memory ? ":memory:" : folder.path("other.sqlite")
        if kind != .memory {
            try DatabaseQueue(path: other).writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        }
        configuration.prepareDatabase { db in try db.execute(sql: "ATTACH DATABASE ? AS other", arguments: [other]) }
        let writer = try kind.open(folder.path("db.sqlite"), configuration)
        try writer.write { try $0.execute(sql: ObservedChange.schema + "CREATE TABLE other.score (name TEXT);") }
        return writer
    }

    @Test(arguments: Kind.allCases, ObservedChange.all)
    func `All ways to change a database are observed`(_ kind: Kind, _ change: ObservedChange) async throws {
        for scheduler in Scheduler.allCases {
            let folder = try TemporaryFolder()
            let writer = try open(kind, folder)
            let query = change.query
            let values = Collector<[String]>()
            let cancellable = await scheduler.start(.tracking { try $0.texts(query) }, in: writer, values)
            await values.wait(count: 1)
            try await writer.execute(change.sql)
            let expected = try await writer.read { try $0.texts(query) }
            #expect(expected != values.all[0])
            let all = await values.wait(last: expected)
            #expect(all.count == 2, "\(scheduler)")
            cancellable.cancel()
        }
    }

    @Test(arguments: Kind.allCases, ObservedChange.all)
    func `A change that is rolled back is not observed`(_ kind: Kind, _ change: ObservedChange) async throws {
        let folder = try TemporaryFolder()
        let writer = try open(kind, folder)
        let query = change.query
        let fetches = Collector<Int>()
        let values = Collector<[String]>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts(query)
        }
        let cancellable = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(count: 1)
        try await writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: change.sql)
                return .rollback
            }
        }
        try await writer.write { db in
            try db.inSavepoint {
                try db.execute(sql: change.sql)
                return .rollback
            }
        }
        #expect(throws: TestError.self) {
            try writer.write { db in
                try db.execute(sql: change.sql)
                throw TestError()
            }
        }
        try await writer.execute(change.sql)
        await values.wait(count: 2)
        #expect(values.all.count == 2)
        #expect(fetches.all.count == 2)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `Changes that the program notifies of are fetched`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try open(kind, folder)
        let values = Collector<[String]>()
        let cancellable = await Scheduler.queue.start(.tracking { try $0.texts("SELECT name FROM player") }, in: writer, values)
        await values.wait(count: 1)
        for count in 2...5 {
            try await writer.writeWithoutTransaction { try $0.notifyChanges(in: .fullDatabase) }
            await values.wait(count: count)
        }
        cancellable.cancel()
    }
}
