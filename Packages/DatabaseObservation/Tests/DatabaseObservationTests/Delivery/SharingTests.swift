import DatabaseObservation
import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct SharingTests {
    /// The names of players, and a collector of the fetches.
    private func countedNames() -> (observation: ValueObservation<ValueReducers.Fetch<[String]>>, fetches: Collector<Int>) {
        let fetches = Collector<Int>()
        let observation = ValueObservation.tracking { db in
            fetches.append(1)
            return try db.texts("SELECT name FROM player ORDER BY id")
        }
        return (observation, fetches)
    }

    @Test(arguments: Kind.allCases)
    func `Subscribers of a shared observation get the last value first, and then each one`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let (observation, fetches) = countedNames()
        let shared = observation.shared(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "values")))
        let values = (0..<3).map { _ in Collector<[String]>() }
        var cancellables: [AnyDatabaseCancellable] = []
        for collector in values {
            cancellables.append(
                shared.start {
                    Issue.record($0)
                } onChange: {
                    collector.append($0)
                })
            await collector.wait(last: ["Arthur", "Barbara"])
        }
        try await writer.execute("DELETE FROM player WHERE id = 1")
        for collector in values { await collector.wait(last: ["Barbara"]) }
        var iterator = shared.values().makeAsyncIterator()
        #expect(try await iterator.next() == ["Barbara"])
        let count = fetches.all.count
        try await writer.execute("DELETE FROM player")
        #expect(try await iterator.next() == [])
        for collector in values { await collector.wait(last: []) }
        #expect(fetches.all.count == count + 1)
        cancellables.forEach { $0.cancel() }
    }

    @Test(arguments: Kind.allCases, [SharedValueObservationExtent.whileObserved, .observationLifetime])
    func `A shared observation ends with its last subscriber, or when it is released`(
        _ kind: Kind, _ extent: SharedValueObservationExtent
    ) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let events = Collector<String>()
        let observation = ValueObservationTests.names.handleEvents(
            willStart: { events.append("start") }, didCancel: { events.append("cancel") })
        do {
            let shared = observation.shared(in: writer, scheduling: .task, extent: extent)
            for _ in 0..<2 {
                let values = Collector<[String]>()
                let cancellable = shared.start {
                    Issue.record($0)
                } onChange: {
                    values.append($0)
                }
                await values.wait(count: 1)
                cancellable.cancel()
            }
            #expect(events.all == (extent == .whileObserved ? ["start", "cancel", "start", "cancel"] : ["start"]))
        }
        #expect(events.all.last == "cancel")
    }

    @Test
    @MainActor func `A shared observation with .immediate delivers the first value before start returns`() throws {
        let folder = try TemporaryFolder()
        let shared = ValueObservationTests.names.shared(in: try ValueObservationTests.open(.pool, folder), scheduling: .immediate)
        for _ in 0..<2 {
            let values = Collector<[String]>()
            let cancellable = shared.start {
                Issue.record($0)
            } onChange: {
                values.append($0)
            }
            #expect(values.all == [["Arthur", "Barbara"]])
            withExtendedLifetime(cancellable) {}
        }
    }

    @Test(arguments: Kind.allCases)
    func `A slow subscriber of a shared observation holds up no other, and gets the last value`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let shared = ValueObservationTests.names.shared(in: writer, scheduling: .task)
        var slow = shared.values().makeAsyncIterator()
        #expect(try await slow.next()?.count == 2)
        let fast = Collector<[String]>()
        let cancellable = shared.start {
            Issue.record($0)
        } onChange: {
            fast.append($0)
        }
        for number in 1...5 {
            try await writer.execute("INSERT INTO player (name) VALUES ('\(number)')")
            await fast.wait { $0.last?.last == "\(number)" }
        }
        #expect(try await slow.next()?.count == 7)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `A subscriber of a shared observation gets the last value after a fetch has repeated it`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let (observation, fetches) = countedNames()
        let shared = observation.identified(by: "names").removeDuplicates().shared(in: writer, scheduling: .task)
        let values = (0..<2).map { _ in Collector<[String]>() }
        let start = { (values: Collector<[String]>) in shared.start(onError: { Issue.record($0) }, onChange: { values.append($0) }) }
        let first = start(values[0])
        await values[0].wait(last: ["Arthur", "Barbara"])
        let count = fetches.all.count
        try await writer.execute("UPDATE player SET name = name")
        await fetches.wait(count: count + 1)
        let second = start(values[1])
        await values[1].wait(last: ["Arthur", "Barbara"])
        [first, second].forEach { $0.cancel() }
    }

    @Test
    func `After an error, the next subscription observes again`() async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(.pool, folder)
        let shared = ValueObservation.tracking { try $0.integer("SELECT count(*) FROM other") }.shared(in: writer, scheduling: .task)
        let errors = Collector<String>()
        let failed = shared.start {
            errors.append("\($0)")
        } onChange: { _ in
            Issue.record("a value")
        }
        await errors.wait(count: 1)
        try await writer.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
        for try await value in shared.values() {
            #expect(value == 0)
            break
        }
        failed.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `Observations of the same identity share one fetch, and reduce and deliver for themselves`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let (observation, fetches) = countedNames()
        let names = Collector<[String]>()
        let counts = Collector<Int>()
        let first = await Scheduler.queue.start(observation.identified(by: 1), in: writer, names)
        await names.wait(count: 1)
        #expect(fetches.all.count >= 1)
        let begun = fetches.all.count
        let second = await Scheduler.task.start(observation.identified(by: 1).map(\.count), in: writer, counts)
        var iterator = observation.identified(by: 1).values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == ["Arthur", "Barbara"])
        await counts.wait(count: 1)
        #expect(fetches.all.count == begun)
        try await writer.execute("DELETE FROM player WHERE id = 2")
        await names.wait(last: ["Arthur"])
        await counts.wait(last: 1)
        #expect(try await iterator.next() == ["Arthur"])
        #expect(fetches.all.count == begun + 1)

        // Another identity, also one of another type, is another observation.
        var cancellables = [first, second]
        for (index, other) in [observation.identified(by: 2), observation.identified(by: 1.0)].enumerated() {
            let others = Collector<[String]>()
            cancellables.append(await Scheduler.queue.start(other, in: writer, others))
            await others.wait(count: 1)
            #expect(fetches.all.count == begun + 2 + index)
        }
        for cancellable in cancellables { cancellable.cancel() }
    }

    @Test
    func `Observations of the same identity observe different databases apart, and start again after the last one ended`() async throws {
        let folder = try TemporaryFolder()
        let (observation, fetches) = countedNames()
        let identified = observation.identified(by: "names").removeDuplicates()
        for number in 1...3 {
            let writer = try ValueObservationTests.open(.memory, folder)
            try await writer.execute("UPDATE player SET name = '\(number)'")
            for _ in 0..<2 {
                for try await names in identified.values(in: writer) {
                    #expect(names == ["\(number)", "\(number)"])
                    break
                }
            }
            #expect(fetches.all.count == 2 * number)
        }
    }

    @Test
    func `With .immediate, an identified observation is the same as without its identity`() async throws {
        let folder = try TemporaryFolder()
        let pool = try #require(try ValueObservationTests.open(.pool, folder) as? DatabasePool)
        let events = Collector<String>()
        let observation = ValueObservationTests.names.changes { $0 }
            .handleEvents(willStart: { events.append("start") }, didCancel: { events.append("cancel") })
            .identified(by: "names")
        let changes = Collector<ListChanges<String>>()
        let cancellable = await Scheduler.immediate.start(observation, in: pool, changes)
        #expect(changes.all.last?.insertions.map(\.element) == ["Arthur", "Barbara"])
        try await pool.execute("DELETE FROM player WHERE id = 1")
        await changes.wait(count: 2)
        #expect(changes.all.last?.insertions == [] && changes.all.last?.deletions.map(\.element) == ["Arthur"])
        cancellable.cancel()
        #expect(events.all == ["start", "cancel"])

        let errors = Collector<String>()
        let failing = observation.map { _ -> Int in throw TestError() }
        _ = await Scheduler.immediate.start(failing, in: pool, Collector(), errors: errors)
        #expect(errors.all == ["TestError()"])
    }

    @Test(arguments: Scheduler.allCases)
    func `An identified observation of a snapshot is the same as without its identity`(_ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let pool = try #require(try ValueObservationTests.open(.pool, folder) as? DatabasePool)
        let events = Collector<String>()
        let observation = ValueObservationTests.names.changes { $0 }
            .handleEvents(willStart: { events.append("start") }, didCancel: { events.append("cancel") })
            .identified(by: "names")
        let changes = Collector<ListChanges<String>>()
        let cancellable = await scheduler.start(observation, in: try pool.makeSnapshot(), changes)
        #expect(await changes.wait(count: 1).last?.elements == ["Arthur", "Barbara"])
        cancellable.cancel()
        #expect(events.all == ["start", "cancel"])
    }

    @Test(arguments: Kind.allCases, [Scheduler.queue, .immediate])
    func `An identified observation can require write access`(_ kind: Kind, _ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        var observation = ValueObservation.tracking { db in
            try db.execute(sql: "UPDATE player SET score = 7")
            return try db.integer("SELECT score FROM player")
        }.identified(by: "score")
        observation.requiresWriteAccess = true
        let values = Collector<Int64?>()
        let cancellable = await scheduler.start(observation.map { $0 }, in: writer, values)
        await values.wait(last: 7)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func `An identity is found in the database, and without one nothing is shared`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let (observation, fetches) = countedNames()
        let shared = observation.identified { db in try db.integer("SELECT count(*) FROM player") }
        let alone = observation.identified { _ in String?.none }
        var iterators = (0..<2).map { _ in shared.values(in: writer).makeAsyncIterator() }
        for index in iterators.indices { #expect(try await iterators[index].next() == ["Arthur", "Barbara"]) }
        var count = fetches.all.count
        try await writer.execute("DELETE FROM player WHERE id = 2")
        for index in iterators.indices { #expect(try await iterators[index].next() == ["Arthur"]) }
        #expect(fetches.all.count == count + 1)

        // The identity has changed.
        iterators.append(shared.values(in: writer).makeAsyncIterator())
        #expect(try await iterators[2].next() == ["Arthur"])
        for _ in 0..<2 {
            count = fetches.all.count
            iterators.append(alone.values(in: writer).makeAsyncIterator())
            #expect(try await iterators[iterators.count - 1].next() == ["Arthur"])
            #expect(fetches.all.count > count)
        }
        count = fetches.all.count
        try await writer.execute("DELETE FROM player")
        for index in iterators.indices { #expect(try await iterators[index].next() == []) }
        #expect(fetches.all.count == count + 4)
    }

    @Test(arguments: Kind.allCases)
    func `Requests whose arguments differ only by type, or by the bytes of a blob, share nothing`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let arguments: [DatabaseValue] = [
            1.databaseValue, 1.0.databaseValue, "1".databaseValue, Data([1]).databaseValue, Data([2]).databaseValue,
        ]
        func observe(_ argument: DatabaseValue) -> AsyncValueObservation<[String]>.Iterator {
            let sql = "SELECT quote(?) || count(*) FROM player"
            return ValueObservation.trackingAll(SQLRequest<String>(sql: sql, arguments: [argument])).values(in: writer).makeAsyncIterator()
        }
        var iterators = arguments.map(observe)
        for (count, sql) in [(2, "DELETE FROM player WHERE id = 2"), (1, "DELETE FROM player"), (0, "SELECT 1")] {
            var values: [[String]?] = []
            for index in iterators.indices { values.append(try await iterators[index].next()) }
            #expect(values == ["1\(count)", "1.0\(count)", "'1'\(count)", "X'01'\(count)", "X'02'\(count)"].map { [$0] })
            try await writer.execute(sql)
        }
    }

    @Test(arguments: Kind.allCases, Scheduler.allCases.filter { $0 != .immediate })
    func `An error of the identity ends the observation`(_ kind: Kind, _ scheduler: Scheduler) async throws {
        let folder = try TemporaryFolder()
        let writer = try ValueObservationTests.open(kind, folder)
        let events = Collector<String>()
        let values = Collector<[String]>()
        let errors = Collector<String>()
        let observation = countedNames().observation
            .identified { _ -> Int? in throw TestError() }
            .handleEvents(
                willStart: { events.append("start") }, didFail: { _ in events.append("fail") }, didCancel: { events.append("cancel") })
        let cancellable = await scheduler.start(observation, in: writer, values, errors: errors)
        #expect(await errors.wait(count: 1) == ["TestError()"])
        cancellable.cancel()
        #expect(events.all == ["start", "fail"])
        #expect(values.all == [])
        await #expect(throws: TestError.self) {
            for try await _ in observation.values(in: writer) { Issue.record("a value") }
        }
    }

    @Test(arguments: Kind.allCases, [false, true])
    func `An observation that is cancelled before or while its identity is found fetches nothing and releases the database`(
        _ kind: Kind, _ isBegun: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let events = Collector<String>()
        let (base, fetches) = countedNames()
        weak var released: (any DatabaseWriter)?
        do {
            let writer = try ValueObservationTests.open(kind, folder)
            released = writer
            let begun = Semaphore("the identity is being read")
            let latch = Semaphore("the test lets the identity be read")
            let isOver = Semaphore("the write after the cancellation has run")
            if !isBegun {
                // The identity waits for its turn. A pool reads immediately.
                writer.asyncWriteWithoutTransaction { _ in latch.wait() }
            }
            let observation = base.identified { _ -> Int? in
                begun.signal()
                latch.wait()
                latch.signal()
                return 1
            }.handleEvents(
                willStart: { events.append("start") }, didFail: { _ in events.append("fail") },
                didCancel: { events.append("cancel") })
            let cancellable = observation.start(in: writer, scheduling: .async(onQueue: .global())) { _ in
                Issue.record("an error")
            } onChange: { _ in
                Issue.record("a value")
            }
            // The thread of this test is not one of the cooperative pool's while it waits.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    if isBegun { begun.wait() }
                    cancellable.cancel()
                    latch.signal()
                    writer.asyncWriteWithoutTransaction { _ in isOver.signal() }
                    isOver.wait()
                    continuation.resume()
                }
            }
            latch.signal()
            #expect(try await writer.read { try $0.integer("SELECT count(*) FROM player") } == 2)
        }
        await waitForRelease { released }
        #expect(fetches.all.count == 0)
        #expect(events.all == ["start", "cancel"])
    }
}
