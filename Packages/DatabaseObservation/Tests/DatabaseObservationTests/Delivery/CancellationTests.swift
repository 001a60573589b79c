import DatabaseObservation
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    @Test(arguments: Kind.allCases)
    func `After a cancellation nothing is called`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let queue = DispatchQueue(label: "values")
        for _ in 0..<20 {
            let values = Collector<[String]>()
            let cancellable = ValueObservationTests.names.start(in: writer, scheduling: .async(onQueue: queue)) {
                Issue.record($0)
            } onChange: {
                values.append($0)
            }
            if Bool.random() { await values.wait(count: 1) }
            try await writer.execute("UPDATE player SET name = name || '!' WHERE id = 1")
            let count = queue.sync {
                cancellable.cancel()
                return values.all.count
            }
            try await writer.execute("UPDATE player SET name = name || '!' WHERE id = 1")
            queue.sync {}
            #expect(values.all.count == count)
        }
    }

    @Test(arguments: Kind.allCases)
    func `A released cancellable ends the observation, and releases what its closures retain`(_ kind: Kind) async throws {
        final class Token: Sendable {}
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        weak var released: Token?
        do {
            let token = Token()
            released = token
            let values = Collector<Int>()
            let observation = ValueObservation.tracking { db in
                withExtendedLifetime(token) {}
                return try db.texts("SELECT name FROM player").count
            }
            let cancellable = observation.start(in: writer, scheduling: .async(onQueue: .global())) { _ in
                withExtendedLifetime(token) {}
            } onChange: {
                withExtendedLifetime(token) {}
                values.append($0)
            }
            await values.wait(count: 1)
            withExtendedLifetime(cancellable) {}
        }
        // The last references go away when accesses that were requested before have ended.
        await waitForRelease { released }
    }

    @Test(arguments: Kind.allCases)
    func `An iteration ends when its task is cancelled, and the database is released`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        var writer: (any DatabaseWriter)? = try ValueObservationTests.open(kind, folder)
        let values = Collector<[String]>()
        let sequence = ValueObservationTests.names.values(in: writer!)
        let task = Task {
            for try await value in sequence { values.append(value) }
        }
        await values.wait(count: 1)
        task.cancel()
        try await task.value
        writer = nil
    }

    @Test(arguments: Kind.allCases)
    func `A loop that is left ends the observation`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let fetches = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts("SELECT name FROM player")
        }
        for try await _ in observation.values(in: writer) { break }
        let count = fetches.all.count
        try await writer.execute("DELETE FROM player")
        // A fetch would come before this access.
        for try await value in ValueObservationTests.names.values(in: writer) {
            #expect(value == [])
            break
        }
        #expect(fetches.all.count == count)
    }

    @Test(arguments: Kind.allCases, Scheduler.allCases)
    func `An error of a fetch ends the observation`(_ kind: Kind, _ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let values = Collector<[String]>()
        let errors = Collector<String>()
        let observation = ValueObservation.tracking { db in
            let names = try db.texts("SELECT name FROM player ORDER BY id")
            if names.isEmpty { throw TestError() }
            return names
        }
        let cancellable = await scheduler.start(observation, in: writer, values, errors: errors)
        await values.wait(count: 1)
        try await writer.execute("DELETE FROM player")
        await errors.wait(count: 1)
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        #expect(errors.all == ["TestError()"])
        #expect(values.all.last == ["Arthur", "Barbara"])
        cancellable.cancel()

        let firstErrors = Collector<String>()
        let first = await scheduler.start(.tracking { try $0.texts("SELECT nothing") }, in: writer, values, errors: firstErrors)
        await firstErrors.wait(count: 1)
        first.cancel()

        var iterator = observation.map(\.count).values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == 1)
        try await writer.execute("DELETE FROM player")
        await #expect(throws: TestError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test(arguments: Kind.allCases)
    func `Closing the database ends the observation with an error`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let values = Collector<[String]>()
        let errors = Collector<String>()
        let cancellable = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values, errors: errors)
        var iterator = ValueObservationTests.names.values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == ["Arthur", "Barbara"])
        await values.wait(count: 1)
        try await writer.barrierWriteWithoutTransaction { _ in }
        try writer.close()
        await errors.wait(count: 1)
        await #expect(throws: DatabaseError.self) {
            // A value may have been fetched before.
            while try await iterator.next() != nil {}
        }
        cancellable.cancel()
        let late = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values, errors: errors)
        await errors.wait(count: 2)
        late.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `The database is closed when it is released after its observations have ended`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        weak var released: (any DatabaseWriter)?
        do {
            let writer = try kind.open(folder.path("db.sqlite"))
            released = writer
            let values = Collector<Int>()
            let cancellable = await Scheduler.queue.start(.tracking { _ in 1 }, in: writer, values)
            await values.wait(count: 1)
            cancellable.cancel()
        }
        await waitForRelease { released }
    }
}
