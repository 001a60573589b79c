import DatabaseObservation
import Foundation
import Testing

/// The first values of observations that share their fetches with others, which have begun before.
@Suite(.timeLimit(.minutes(20))) struct FirstValueTests {
    /// How observations share their fetches.
    enum Sharing: CaseIterable {
        case known, found, shared, sharedAndFound

        typealias Start = @Sendable () -> AsyncValueObservation<[String]>

        func observe<Reducer>(
            _ observation: ValueObservation<Reducer>, _ writer: any DatabaseWriter
        ) -> Start where Reducer.Value == [String] {
            func values(_ writer: some DatabaseWriter) -> Start {
                switch self {
                case .known:
                    return { observation.identified(by: "names").values(in: writer) }
                case .found:
                    return { observation.identified { _ in 1 }.values(in: writer) }
                case .shared:
                    let shared = observation.shared(in: writer, scheduling: .task)
                    return { shared.values() }
                case .sharedAndFound:
                    let shared = observation.identified { _ in 1 }.map { $0 }.shared(in: writer, scheduling: .task)
                    return { shared.values() }
                }
            }
            return values(writer)
        }
    }

    @Test(arguments: Kind.allCases, Sharing.allCases)
    func `The first value contains what its task has committed, while another observer is busy with an older value`(
        _ kind: Kind, _ sharing: Sharing
    ) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let start = sharing.observe(ValueObservationTests.names, writer)
        // It does not ask for its second value.
        var busy = start().makeAsyncIterator()
        #expect(try await busy.next()?.count == 2)
        for number in 3...12 {
            try await writer.execute("INSERT INTO player (name) VALUES ('\(number)')")
            var iterator = start().makeAsyncIterator()
            #expect(try await iterator.next()?.count == number)
        }
        #expect(try await busy.next()?.count == 12)
    }

    @Test(arguments: Kind.allCases, Sharing.allCases)
    func `The first value contains what its task has committed during a fetch for others`(_ kind: Kind, _ sharing: Sharing) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let latch = Guard()
        let fetched = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            let names = try db.texts("SELECT name FROM player ORDER BY id")
            fetched.append(names.count)
            // On a queue, the write would wait for the fetch.
            if kind == .pool, names.count == 3 { latch.wait() }
            return names
        }
        let start = sharing.observe(observation, writer)
        let values = Collector<[String]>()
        let first = Task { for try await names in start() { values.append(names) } }
        await values.wait(count: 1)
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        await fetched.wait { $0.contains(3) }
        try await writer.execute("INSERT INTO player (name) VALUES ('Dora')")
        var iterator = start().makeAsyncIterator()
        Task {
            // The identity is found, and the fetch of the others continues.
            _ = try? await writer.read { _ in }
            latch.open()
        }
        #expect(try await iterator.next()?.count == 4)
        await values.wait { $0.last?.count == 4 }
        first.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `A current value is not fetched again for observations that begin after commits elsewhere`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        try await writer.execute("CREATE TABLE other (x)")
        let fetches = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts("SELECT name FROM player ORDER BY id")
        }.identified(by: 1)
        let values = Collector<[String]>()
        let first = await Scheduler.queue.start(observation, in: writer, values)
        await values.wait(count: 1)
        // From here on, the writer reports its commits.
        try await writer.execute("INSERT INTO player (name) VALUES ('Craig')")
        await values.wait { $0.last?.count == 3 }
        let count = fetches.all.count
        for number in 0..<10 {
            try await writer.execute("INSERT INTO other VALUES (\(number))")
            var iterator = observation.values(in: writer).makeAsyncIterator()
            #expect(try await iterator.next()?.count == 3)
        }
        #expect(fetches.all.count == count)
        #expect(values.all.last?.count == 3)
        first.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `A fetch that finds the last value again serves the observations that wait for it`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let observation = ValueObservationTests.names.removeDuplicates().identified(by: 1)
        var busy = observation.values(in: writer).makeAsyncIterator()
        #expect(try await busy.next()?.count == 2)
        for _ in 0..<10 {
            try await writer.execute("UPDATE player SET name = name")
            var iterator = observation.values(in: writer).makeAsyncIterator()
            #expect(try await iterator.next()?.count == 2)
        }
        try await writer.execute("DELETE FROM player")
        #expect(try await busy.next() == [])
    }

    @Test
    @MainActor func `With .immediate, a subscriber of a shared observation gets no value from before its own commit`() async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(.pool, folder)
        let fetches = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        let shared = observation.shared(in: writer, scheduling: .immediate)
        func start(_ values: Collector<[String]>) -> AnyDatabaseCancellable {
            shared.start {
                Issue.record($0)
            } onChange: {
                values.append($0)
            }
        }
        let (first, second) = (Collector<[String]>(), Collector<[String]>())
        /// Returns with the first subscriber waiting for the main thread.
        func writeAndStart() throws -> [AnyDatabaseCancellable] {
            let cancellable = start(first)
            #expect(first.all.map(\.count) == [2])
            let count = fetches.all.count
            try writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Craig')") }
            // The fetch that follows has taken its snapshot before the second change.
            yieldThread(until: "the fetch after the first change") { fetches.all.count > count }
            try writer.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('Dora')") }
            return [cancellable, start(second)]
        }
        let cancellables = try writeAndStart()
        await second.wait(count: 1)
        #expect(second.all.first?.count == 4)
        await first.wait { $0.last?.count == 4 }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test(arguments: Kind.allCases, Sharing.allCases)
    func `Tasks that write and then observe see their writes first`(_ kind: Kind, _ sharing: Sharing) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let start = sharing.observe(ValueObservationTests.names, writer)
        let first = Task { for try await _ in start() {} }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for round in 0..<25 {
                        let name = "\(task) \(round)"
                        try await writer.execute("INSERT INTO player (name) VALUES ('\(name)')")
                        var iterator = start().makeAsyncIterator()
                        let names = try await iterator.next()
                        #expect(names?.contains(name) == true)
                    }
                }
            }
            try await group.waitForAll()
        }
        first.cancel()
    }
}

/// A latch that opens once, for all that wait.
private final class Guard: Sendable {
    private let semaphore = Semaphore("the guard is opened")

    func open() { semaphore.signal() }

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
