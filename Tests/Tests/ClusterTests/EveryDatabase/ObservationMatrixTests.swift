import DqliteCluster
import Foundation
import Strata
import Testing

/// Observations deliver each state once, over every kind of database.
@Suite(.serialized, .timeLimit(.minutes(20))) struct ObservationMatrixTests {
    /// A change of a database of a kind.
    struct ChangeOfKind: Sendable, CustomTestStringConvertible {
        let kind: DatabaseKind
        let change: ObservedChange
        var testDescription: String { "\(kind): \(change.sql)" }

        /// Opens a database, with an attached one if the change needs it.
        func open() throws -> TestDatabase {
            guard change.needsAttachedDatabase else { return try TestDatabase(kind, schema: ObservedChange.schema) }
            return try TestDatabase(kind, attachingOther: true, schema: ObservedChange.schema + "CREATE TABLE other.score (name TEXT);")
        }
    }

    /// All changes. A cluster refuses to attach databases.
    static let changes = DatabaseKind.all.flatMap { kind in
        ObservedChange.all.filter { kind != .cluster || !$0.needsAttachedDatabase }.map { ChangeOfKind(kind: kind, change: $0) }
    }

    /// An observation of a query, with the number of its fetches.
    private final class Observed: Sendable {
        let values = Collector<[String]>()
        let fetches = Locked(0)
        private let cancellable = Locked<AnyDatabaseCancellable?>(nil)

        init(_ query: String, in writer: any DatabaseWriter, _ scheduler: Scheduler = .queue) async {
            let observation = ValueObservation.tracking { [fetches] db in
                fetches.withLock { $0 += 1 }
                return try String.fetchAll(db, sql: query)
            }
            cancellable.value = await scheduler.start(observation, in: writer, values)
        }

        func wait(count: Int) async { await values.wait(count: count) }
        func wait(last: [String]) async { await values.wait(last: last) }
        func cancel() { cancellable.value?.cancel() }
    }

    /// Waits until the accesses that observations have scheduled are over.
    private func settle(_ writer: any DatabaseWriter) async throws {
        for _ in 0..<10 {
            try await writer.write { _ in }
            try await writer.read { _ in }
        }
    }

    /// All changes with all schedulers. What differs between them does not depend on nodes, so that a cluster has one of them.
    static let scheduledChanges = changes.flatMap { change in
        (change.kind == .cluster ? [.queue] : Scheduler.allCases).map { (change, $0) }
    }

    @Test(arguments: scheduledChanges)
    func `Each change is fetched once, and delivered once`(_ changeOfKind: ChangeOfKind, _ scheduler: Scheduler) async throws {
        let change = changeOfKind.change
        let writer = try changeOfKind.open()
        let observed = await Observed(change.query, in: writer.writer, scheduler)
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

    @Test(arguments: changes)
    func `A change that is rolled back is not fetched`(_ changeOfKind: ChangeOfKind) async throws {
        let change = changeOfKind.change
        let database = try changeOfKind.open()
        let writer = database.writer
        let observed = await Observed(change.query, in: writer)
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
    func `Changes that the program notifies of are fetched`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        let observed = await Observed("SELECT name FROM player ORDER BY id", in: database.writer)
        await observed.wait(count: 1)
        for count in 2...5 {
            try await database.writer.writeWithoutTransaction { try $0.notifyChanges(in: .fullDatabase) }
            await observed.wait(count: count)
        }
        #expect(observed.values.all == Array(repeating: ["Arthur", "Barbara"], count: 5))
        observed.cancel()
    }

    @Test(arguments: DatabaseKind.all)
    func `An observation that starts after commits rests`(_ kind: DatabaseKind) async throws {
        let database = try TestDatabase(kind, schema: ObservedChange.schema)
        for number in 0..<5 {
            try await database.writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES (?)", arguments: ["n\(number)"]) }
        }
        let observed = await Observed("SELECT name FROM player ORDER BY id", in: database.writer)
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
        var observed: [Observed] = []
        for _ in 0..<4 { observed.append(await Observed("SELECT CAST(count(*) AS TEXT) FROM player", in: writer)) }
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
        let observed = await Observed("SELECT name FROM player", in: writer)
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
