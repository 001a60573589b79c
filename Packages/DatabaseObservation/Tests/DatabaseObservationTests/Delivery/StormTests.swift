import DatabaseObservation
import Foundation
import Testing

/// Observations that begin and end all the time, and databases that are closed and released meanwhile.
@Suite(.timeLimit(.minutes(20))) struct StormTests {
    private final class Token: Sendable {}

    /// Waits until an object is released.
    private func waitForRelease(_ object: () -> AnyObject?) async -> Bool {
        for _ in 0..<1_000_000 {
            if object() == nil { return true }
            await Task.yield()
        }
        return false
    }

    /// Starts an observation in a random way, and ends it in a random way.
    private func observe(_ writer: any DatabaseWriter, _ token: Token, _ generator: inout SeededGenerator) async throws {
        let base = ValueObservation.tracking { db in
            withExtendedLifetime(token) {}
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        let values = Collector<[String]>()
        let waits = Bool.random(using: &generator)
        let yields = Int.random(in: 0..<20, using: &generator)
        func pause() async {
            if waits { await values.wait(count: 1) }
            for _ in 0..<yields { await Task.yield() }
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let scheduler = Scheduler.allCases.randomElement(using: &generator)!
            let cancellable = await scheduler.start(base, in: writer, values)
            await pause()
            cancellable.cancel()
        case 1:
            // Released.
            let cancellable = await Scheduler.concurrentQueue.start(base.map { $0 }, in: writer, values)
            await pause()
            withExtendedLifetime(cancellable) {}
        case 2:
            let task = Task {
                for try await value in base.map({ $0 }).values(in: writer) { values.append(value) }
            }
            await pause()
            task.cancel()
            try await task.value
        case 3:
            for try await value in base.identified(by: "names").map({ $0 }).values(in: writer) where !value.isEmpty { break }
        case 4:
            let shared = base.shared(in: writer, scheduling: .task, extent: .observationLifetime)
            let cancellable = shared.start(onError: { Issue.record($0) }, onChange: { values.append($0) })
            await pause()
            cancellable.cancel()
        default:
            let cancellable = DatabaseRegionObservation(tracking: .fullDatabase).start(in: writer) {
                Issue.record($0)
            } onChange: { _ in
                withExtendedLifetime(token) {}
            }
            for _ in 0..<yields { await Task.yield() }
            cancellable.cancel()
        }
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `After a storm of starts and cancellations, nothing is observed, and nothing is retained`(_ kind: Kind, _ seed: Int) async throws {
        weak var releasedToken: Token?
        weak var releasedWriter: (any DatabaseWriter)?
        let folder = try TemporaryFolder()
        do {
            let writer = try ValueObservationTests.open(kind, folder)
            let token = Token()
            releasedToken = token
            releasedWriter = writer
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(seed * 100 + number))
                        for _ in 0..<25 { try await observe(writer, token, &generator) }
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        try await writer.execute("UPDATE player SET score = score + 1; UPDATE player SET name = name || '.' WHERE id = 1")
                    }
                }
                try await group.waitForAll()
            }
            // The database can still be observed.
            let values = Collector<[String]>()
            let cancellable = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values)
            try await writer.execute("DELETE FROM player")
            await values.wait(last: [])
            cancellable.cancel()
        }
        #expect(await waitForRelease { releasedToken })
        #expect(await waitForRelease { releasedWriter })
    }

    @Test(arguments: Kind.allCases)
    func `A database that the program releases while it is observed lives until the observation ends`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        for scheduler in Scheduler.allCases {
            weak var released: (any DatabaseWriter)?
            let values = Collector<[String]>()
            var cancellable: AnyDatabaseCancellable?
            do {
                let writer = try kind.open(folder.path("\(scheduler).sqlite"))
                try await writer.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
                released = writer
                cancellable = await scheduler.start(ValueObservationTests.names, in: writer, values)
            }
            await values.wait(count: 1)
            do {
                let writer = try #require(released)
                try await writer.execute("INSERT INTO player (name) VALUES ('Arthur')")
            }
            await values.wait(last: ["Arthur"])
            cancellable?.cancel()
            #expect(await waitForRelease { released })
        }
    }

    @Test(arguments: Kind.allCases, 0..<3)
    func `A database can be closed while observations begin and end`(_ kind: Kind, _ seed: Int) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let isClosed = Collector<Bool>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed * 10 + number))
                    while true {
                        let hasBegun = isClosed.all.isEmpty
                        do {
                            for try await _ in ValueObservationTests.names.map(\.count).values(in: writer) {
                                if Bool.random(using: &generator) { break }
                                try await writer.execute("UPDATE player SET name = name || '.' WHERE id = 1")
                            }
                        } catch is DatabaseError {
                            // The database is closed.
                        }
                        if !hasBegun { return }
                    }
                }
            }
            group.addTask {
                for _ in 0..<(seed * 100) { await Task.yield() }
                while true {
                    // Statements of running accesses keep it open.
                    do {
                        try writer.close()
                        break
                    } catch {
                        await Task.yield()
                    }
                }
                isClosed.append(true)
            }
            try await group.waitForAll()
        }
    }
}
