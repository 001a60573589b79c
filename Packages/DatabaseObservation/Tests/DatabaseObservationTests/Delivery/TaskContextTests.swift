import DatabaseObservation
import Foundation
import Testing

private enum Request {
    @TaskLocal static var name = "none"
}

/// The properties of its task that a closure of an observation sees.
private struct Seen: Equatable, Sendable {
    let name: String
    let priority: TaskPriority

    static var current: Seen { Seen(name: Request.name, priority: Task.currentPriority) }
}

@Suite(.timeLimit(.minutes(20))) struct TaskContextTests {
    private static let observation = ValueObservation.tracking { db in
        (Seen.current, try db.texts("SELECT name FROM player ORDER BY id").count)
    }.map { (fetch: $0.0, map: Seen.current, count: $0.1) }

    @Test(arguments: Kind.allCases, [("a", TaskPriority.high), ("b", .low)])
    func `Fetches and transformations have the task-local values and the priority of the iterating task`(
        _ kind: Kind, _ request: (name: String, priority: TaskPriority)
    ) async throws {
        let (name, priority) = request
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let task = Task(priority: priority) {
            try await Request.$name.withValue(name) {
                var iterator = Self.observation.values(in: writer).makeAsyncIterator()
                var seen: [Seen] = []
                for _ in 0..<10 {
                    guard let value = try await iterator.next() else { break }
                    seen += [value.fetch, value.map]
                    try await writer.execute("INSERT INTO player (name) VALUES ('x')")
                }
                return seen
            }
        }
        // No task with another priority waits for this one, because that would raise its priority.
        let result = Collector<[Seen]>()
        Task(priority: priority) { result.append((try? await task.value) ?? []) }
        let seen = await result.wait(count: 1)[0]
        #expect(seen.count == 20)
        #expect(seen.allSatisfy { $0.name == name }, "\(seen)")
        #expect(seen.allSatisfy { $0.priority == priority }, "\(seen)")
    }

    @Test(arguments: Kind.allCases, Scheduler.allCases)
    func `An observation of a task has its task-local values, with all schedulers`(_ kind: Kind, _ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let values = Collector<[String]>()
        let observation = Self.observation.map { [$0.fetch.name, $0.map.name, Request.name, "\($0.count)"] }
        let cancellable = await Request.$name.withValue("task") { await scheduler.start(observation, in: writer, values) }
        await values.wait(count: 1)
        try await writer.execute("DELETE FROM player")
        let all = await values.wait { $0.last?.last == "0" }
        #expect(all.allSatisfy { $0.dropLast() == ["task", "task", "task"] }, "\(all)")
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `The search for an identity, and the fetch that follows, have the task-local values of the task`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let names = Collector<String>()
        let observation = Self.observation.identified { _ -> Int? in
            names.append(Request.name)
            return 1
        }
        try await Request.$name.withValue("task") {
            for try await value in observation.values(in: writer) {
                #expect(value.fetch.name == "task")
                break
            }
        }
        #expect(names.all == ["task"])
    }

    @Test
    func `An observation of a snapshot has the task-local values of the task`() async throws {
        let folder = try TemporaryFolder()
        let pool = try #require(try ValueObservationTests.open(.pool, folder) as? DatabasePool)
        let sequence = Self.observation.values(in: try pool.makeSnapshot())
        try await Request.$name.withValue("task") {
            for try await value in sequence {
                #expect(value.fetch.name == "task")
                break
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `Without a task, there are none`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let values = Collector<String>()
        let cancellables = Collector<AnyDatabaseCancellable>()
        Thread.detachNewThread {
            cancellables.append(
                Self.observation.start(in: writer, scheduling: .async(onQueue: .global())) {
                    Issue.record($0)
                } onChange: {
                    values.append($0.fetch.name)
                })
        }
        await values.wait(count: 1)
        try await writer.execute("DELETE FROM player")
        #expect(await values.wait(count: 2) == ["none", "none"])
        for cancellable in await cancellables.wait(count: 1) { cancellable.cancel() }
    }
}
