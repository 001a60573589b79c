import DqliteCluster
import Foundation
import Strata
import Testing

/// Observations deliver each state once, over every kind of database.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ObservationMatrixTests {
    /// Ways to change a database, without those that need an attached one.
    static let changes = ObservedChange.all.filter { !$0.sql.contains("other.") }

    /// An observation of a query, with the number of its fetches.
    private final class Observed: Sendable {
        let values = Collector<[String]>()
        let fetches = Locked(0)
        private let cancellable = Locked<AnyDatabaseCancellable?>(nil)

        init(_ query: String, in writer: any DatabaseWriter) {
            let observation = ValueObservation.tracking { [fetches] db in
                fetches.withLock { $0 += 1 }
                return try String.fetchAll(db, sql: query)
            }
            let started = observation.start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values"))) {
                Issue.record($0)
            } onChange: { [values] in
                values.append($0)
            }
            cancellable.withLock { $0 = started }
        }

        func wait(count: Int) async { await values.wait { $0.count >= count } }
        func wait(last: [String]) async { await values.wait { $0.last == last } }
        func cancel() { cancellable.value?.cancel() }
    }

    /// Waits until the accesses that observations have scheduled are over.
    private func settle(_ writer: any DatabaseWriter) async throws {
        for _ in 0..<10 {
            try await writer.write { _ in }
            try await writer.read { _ in }
        }
    }

    @Test(arguments: DatabaseKind.all, changes)
    func `Each change is fetched once, and delivered once`(_ kind: DatabaseKind, _ change: ObservedChange) async throws {
        let writer = try TestDatabase(kind, schema: ObservedChange.schema)
        let observed = Observed(change.query, in: writer.writer)
        await observed.wait(count: 1)
        try await settle(writer.writer)
        let first = observed.fetches.value
        try await writer.writer.write { try $0.execute(sql: change.sql) }
        let expected = try await writer.writer.read { try String.fetchAll($0, sql: change.query) }
        #expect(expected != observed.values.all[0])
        await observed.wait(last: expected)
        try await settle(writer.writer)
        #expect(observed.values.all.count == 2)
        #expect(observed.fetches.value == first + 1)
        observed.cancel()
    }

    @Test(arguments: DatabaseKind.all, changes)
    func `A change that is rolled back is not fetched`(_ kind: DatabaseKind, _ change: ObservedChange) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        let writer = database.writer
        let observed = Observed(change.query, in: writer)
        await observed.wait(count: 1)
        try await settle(writer)
        let first = observed.fetches.value
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
        await #expect(throws: TestError.self) {
            try await writer.write { db in
                try db.execute(sql: change.sql)
                throw TestError()
            }
        }
        try await settle(writer)
        #expect(observed.fetches.value == first)
        try await writer.write { try $0.execute(sql: change.sql) }
        await observed.wait(count: 2)
        try await settle(writer)
        #expect(observed.values.all.count == 2)
        #expect(observed.fetches.value == first + 1)
        observed.cancel()
    }

    @Test(arguments: DatabaseKind.all)
    func `An observation that starts after commits rests`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        for number in 0..<5 {
            try await database.writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["n\(number)"]) }
        }
        let observed = Observed("SELECT name FROM player ORDER BY id", in: database.writer)
        await observed.wait(count: 1)
        try await settle(database.writer)
        #expect(observed.values.all.count == 1)
        #expect(observed.fetches.value <= 2)
        observed.cancel()
    }

    @Test(arguments: DatabaseKind.all)
    func `Commits at all times are fetched once at most, and the last value contains all of them`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        let writer = database.writer
        let observed = (0..<4).map { _ in Observed("SELECT CAST(count(*) AS TEXT) FROM player", in: writer) }
        let commitCount = 40
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<(commitCount / 4) {
                        try await writer.write {
                            try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["\(task)-\(number)"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for each in observed {
            await each.wait(last: ["\(commitCount + 2)"])
            try await settle(writer)
            #expect(each.fetches.value <= commitCount + 2)
            let counts = each.values.all.compactMap { Int($0[0]) }
            #expect(counts == Array(Set(counts)).sorted(), "states come in their order, and once each: \(counts)")
            each.cancel()
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `After many starts and cancellations, nothing is fetched`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        let writer = database.writer
        let fetches = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for round in 0..<10 {
                        let observation = ValueObservation.tracking { db in
                            fetches.withLock { $0 += 1 }
                            return try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
                        }
                        if (number + round).isMultiple(of: 2) {
                            for try await value in observation.values(in: writer) where !value.isEmpty { break }
                        } else {
                            observation.start(in: writer, scheduling: .async(onQueue: .global())) {
                                Issue.record($0)
                            } onChange: { _ in
                            }.cancel()
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 { try await writer.write { try $0.execute(sql: "UPDATE player SET name = name || '.' WHERE id = 1") } }
            }
            try await group.waitForAll()
        }
        try await settle(writer)
        let before = fetches.value
        try await writer.write { try $0.execute(sql: "DELETE FROM player") }
        try await settle(writer)
        #expect(fetches.value == before)
        // The database can still be observed.
        let observed = Observed("SELECT name FROM player", in: writer)
        await observed.wait(last: [])
        observed.cancel()
    }

    @Test(arguments: DatabaseKind.all)
    func `A closed database ends its observations with an error`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        let errors = Collector<String>()
        let values = Collector<Int>()
        let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT count(*) FROM player") ?? 0 }
            .start(in: database.writer, scheduling: .async(onQueue: .global())) {
                errors.append("\($0)")
            } onChange: {
                values.append($0)
            }
        await values.wait { !$0.isEmpty }
        try await settle(database.writer)
        try database.writer.close()
        await errors.wait { !$0.isEmpty }
        #expect(errors.all.count == 1)
        cancellable.cancel()
    }
}
