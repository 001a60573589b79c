import DatabaseObservation
import Foundation
import Testing

/// Observations that begin and end all the time, and databases that are closed and released meanwhile: the values that were delivered, the
/// changes that were written, and the errors of observations that could not begin.
@Suite(.timeLimit(.minutes(20))) struct StormTests {
    private final class Token: Sendable {}

    /// The number of changes that a value contains: each appends a dot to the first name.
    private static func changeCount(_ names: [String]) throws -> Int {
        try #require(names.count == 2 && names[0].hasPrefix("Arthur") && names[1] == "Barbara", "\(names)")
        let dots = names[0].dropFirst("Arthur".count)
        try #require(dots.allSatisfy { $0 == "." }, "\(names)")
        return dots.count
    }

    /// Expects states of the database in their order.
    private static func expectStates(_ values: [[String]], sourceLocation: SourceLocation = #_sourceLocation) throws {
        let counts = try values.map(changeCount)
        #expect(counts == counts.sorted(), sourceLocation: sourceLocation)
    }

    /// Starts an observation in a random way, and ends it in a random way.
    ///
    /// - Returns: the number of delivered values.
    private func observe(
        _ writer: any DatabaseWriter, _ token: Token, _ fetchCount: Locked<Int>, _ generator: inout SeededGenerator
    ) async throws -> Int {
        let base = ValueObservation.tracking { db in
            withExtendedLifetime(token) {}
            fetchCount.increment()
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
            for try await value in base.identified(by: "names").map({ $0 }).values(in: writer) {
                values.append(value)
                break
            }
            #expect(values.all.count == 1)
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
        try Self.expectStates(values.all)
        return values.all.count
    }

    /// Waits for accesses that were scheduled before.
    private func settle(_ writer: any DatabaseWriter) async throws {
        for _ in 0..<10 {
            try await writer.write { _ in }
            try await writer.read { _ in }
        }
    }

    @Test(arguments: Kind.allCases, 0..<4)
    func `After a storm of starts and cancellations, all changes are written, nothing is observed, and nothing is retained`(
        _ kind: Kind, _ seed: Int
    ) async throws {
        weak var releasedToken: Token?
        weak var releasedWriter: (any DatabaseWriter)?
        let folder = try TemporaryFolder()
        do {
            let writer = try ValueObservationTests.open(kind, folder)
            let token = Token()
            releasedToken = token
            releasedWriter = writer
            let fetchCount = Locked(0)
            let valueCount = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(seed * 100 + number))
                        var valueCount = 0
                        for _ in 0..<25 { valueCount += try await observe(writer, token, fetchCount, &generator) }
                        return valueCount
                    }
                }
                group.addTask {
                    for _ in 0..<100 {
                        try await writer.execute("UPDATE player SET score = score + 1; UPDATE player SET name = name || '.' WHERE id = 1")
                    }
                    return 0
                }
                return try await group.reduce(0, +)
            }
            // Each sequence delivers a value.
            #expect(valueCount > 0)
            let (names, scores) = try await writer.read { db in
                (try db.texts("SELECT name FROM player ORDER BY id"), try db.texts("SELECT CAST(score AS TEXT) FROM player"))
            }
            #expect(try Self.changeCount(names) == 100)
            #expect(scores == ["100", "100"])
            // Nothing is fetched.
            try await settle(writer)
            let before = fetchCount.value
            try await writer.execute("UPDATE player SET name = name || '.' WHERE id = 1")
            try await settle(writer)
            #expect(fetchCount.value == before)
            // The database can still be observed.
            let values = Collector<[String]>()
            let cancellable = await Scheduler.queue.start(ValueObservationTests.names, in: writer, values)
            try await writer.execute("DELETE FROM player")
            await values.wait(last: [])
            cancellable.cancel()
        }
        await waitForRelease { releasedToken }
        await waitForRelease { releasedWriter }
    }

    @Test(arguments: Kind.allCases, Scheduler.allCases)
    func `A database that the program releases while it is observed lives until the observation ends`(
        _ kind: Kind, _ scheduler: Scheduler
    ) async throws {
        let folder = try TemporaryFolder()
        weak var released: (any DatabaseWriter)?
        let values = Collector<[String]>()
        var cancellable: AnyDatabaseCancellable?
        do {
            let writer = try kind.open(folder.path("db.sqlite"))
            try await writer.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            released = writer
            cancellable = await scheduler.start(ValueObservationTests.names, in: writer, values)
        }
        await values.wait(count: 1)
        do {
            let writer = try #require(released)
            try await writer.execute("INSERT INTO player (name) VALUES ('Arthur')")
        }
        #expect(await values.wait(last: ["Arthur"]) == [[], ["Arthur"]])
        cancellable?.cancel()
        await waitForRelease { released }
    }

    @Test(arguments: Kind.allCases, 0..<3)
    func `A database that is closed while observations begin and end has all changes, and refuses observations`(
        _ kind: Kind, _ seed: Int
    ) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let isClosed = Locked(false)
        let written = Locked(0)
        let delivered = Collector<[[String]]>()
        let refusals = try await withThrowingTaskGroup(of: ResultCode?.self) { group in
            for number in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed * 10 + number))
                    while true {
                        let wasClosed = isClosed.value
                        var values: [[String]] = []
                        do {
                            for try await names in ValueObservationTests.names.values(in: writer) {
                                values.append(names)
                                if Bool.random(using: &generator) { break }
                                try await writer.execute("UPDATE player SET name = name || '.' WHERE id = 1")
                                written.increment()
                            }
                        } catch let error as DatabaseError {
                            if wasClosed { return values.isEmpty ? error.resultCode : nil }
                            #expect(error.resultCode == .SQLITE_MISUSE)
                        }
                        try Self.expectStates(values)
                        if !values.isEmpty { delivered.append(values) }
                        if wasClosed { return nil }
                    }
                }
            }
            // The later seeds let values be delivered first.
            for _ in 0..<(seed * 100) { await Task.yield() }
            await delivered.wait(count: seed)
            while true {
                // Statements of running accesses keep it open.
                do {
                    try writer.close()
                    break
                } catch {
                    #expect((error as? DatabaseError)?.resultCode == .SQLITE_BUSY)
                    await Task.yield()
                }
            }
            isClosed.value = true
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals == Array(repeating: .SQLITE_MISUSE, count: 4))
        if kind != .memory {
            let names = try await kind.open(folder.path("db.sqlite")).read { try $0.texts("SELECT name FROM player ORDER BY id") }
            #expect(try Self.changeCount(names) == written.value)
        }
    }
}
