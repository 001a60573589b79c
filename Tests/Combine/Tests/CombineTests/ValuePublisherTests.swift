import Combine
import DatabaseObservation
import Dispatch
import Foundation
import Testing

private func makeQueue() throws -> DatabaseQueue {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    return queue
}

extension DatabaseWriter {
    fileprivate func insert(_ count: Int = 1) throws {
        for _ in 0..<count { try write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } }
    }
}

/// The number of rows, and the number of fetches.
private struct Observed {
    let fetches = Locked(0)
    let failsAt: Int?

    init(failsAt: Int? = nil) { self.failsAt = failsAt }

    var observation: ValueObservation<ValueReducers.Fetch<Int>> {
        ValueObservation.tracking { [fetches, failsAt] db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")!
            fetches.increment()
            if count == failsAt { throw TestError() }
            return count
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ValuePublisherTests {
    let queue = DispatchQueue.named("values")

    @Test
    func `Values follow the database, on the scheduler, until the subscription is cancelled`() async throws {
        let database = try makeQueue()
        let observed = Observed()
        let publisher = observed.observation.publisher(in: database, scheduling: .async(onQueue: queue))
        #expect(observed.fetches.value == 0)
        let recorder = Recorder<Int>()
        publisher.subscribe(recorder)
        for count in 0...3 {
            #expect(await recorder.events.wait(count: count + 1).last == "value \(count) on values")
            try database.insert()
        }
        await recorder.events.wait(count: 5)
        recorder.cancel()
        try database.insert()
        await queue.drain()
        #expect(recorder.events.all.count == 5)
    }

    @Test
    func `By default, values come on the main actor; with .immediate, the first one before the subscription returns`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Int>()
        Observed().observation.publisher(in: database).subscribe(recorder)
        #expect(await recorder.events.wait(count: 1) == ["value 0 on main"])
        recorder.cancel()
        await MainActor.run {
            let recorder = Recorder<Int>()
            Observed().observation.publisher(in: database, scheduling: .immediate).subscribe(recorder)
            #expect(recorder.events.all == ["value 0 on main"])
            recorder.cancel()
        }
    }

    @Test
    func `Nothing is fetched without demand, and changes in the meantime lead to one fetch, of the latest value`() async throws {
        let database = try makeQueue()
        let observed = Observed()
        let recorder = Recorder<Int>(demand: .none)
        observed.observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(recorder)
        try database.insert()
        await queue.drain()
        #expect(observed.fetches.value == 0)

        recorder.request(.max(1))
        #expect(await recorder.events.wait(count: 1) == ["value 1 on values"])
        let fetches = observed.fetches.value
        try database.insert(5)
        await queue.drain()
        #expect(observed.fetches.value == fetches)
        #expect(recorder.events.all.count == 1)

        recorder.request(.max(2))
        #expect(await recorder.events.wait(count: 2) == ["value 1 on values", "value 6 on values"])
        #expect(observed.fetches.value == fetches + 1)
        try database.insert()
        #expect(await recorder.events.wait(count: 3).last == "value 7 on values")
        try database.insert()
        await queue.drain()
        #expect(recorder.events.all.count == 3)
        recorder.request(.unlimited)
        #expect(await recorder.events.wait(count: 4).last == "value 8 on values")
        try database.insert()
        #expect(await recorder.events.wait(count: 5).last == "value 9 on values")
    }

    @Test
    func `A subscriber can demand one value with each that it receives`() async throws {
        let database = try makeQueue()
        let values = Collector<Int>()
        let subscriber = Repeating { values.append($0) }
        Observed().observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(subscriber)
        for count in 0...4 {
            #expect(await values.wait(count: count + 1).last == count)
            try database.insert()
        }
        subscriber.cancel()
    }

    @Test
    func `The error of a fetch is the failure, on the scheduler, and ends the subscription`() async throws {
        let database = try makeQueue()
        let observed = Observed(failsAt: 1)
        let recorder = Recorder<Int>()
        observed.observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(recorder)
        await recorder.events.wait(count: 1)
        try database.insert()
        #expect(await recorder.events.wait(count: 2) == ["value 0 on values", "failed: the test's error on values"])
        let fetches = observed.fetches.value
        recorder.request(.max(1))
        try database.insert()
        await queue.drain()
        #expect(observed.fetches.value == fetches)
        #expect(recorder.events.all.count == 2)
    }

    @Test
    func `Closing the database is a failure, even without demand`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Int>(demand: .max(1))
        Observed().observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(recorder)
        await recorder.events.wait(count: 1)
        try database.close()
        #expect(await recorder.events.wait(count: 2).last?.hasPrefix("failed: SQLite error 21") == true)
    }

    @Test
    func `A subscription that is cancelled when it begins observes nothing`() async throws {
        let database = try makeQueue()
        let observed = Observed()
        observed.observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(Refusal())
        await MainActor.run { observed.observation.publisher(in: database, scheduling: .immediate).subscribe(Refusal()) }
        DatabaseRegionObservation(tracking: .fullDatabase).publisher(in: database).subscribe(Refusal())
        try database.insert()
        await queue.drain()
        #expect(observed.fetches.value == 0)
    }

    @Test(arguments: ["cancel", "fail", "forget"])
    func `Nothing is left of a subscription that was cancelled, has failed, or was never demanded`(of end: String) async throws {
        let database = try makeQueue()
        weak var token: Token?
        weak var released: Recorder<Int>?
        try await {
            let captured = Token()
            token = captured
            let observation = ValueObservation.tracking { db in
                withExtendedLifetime(captured) {}
                let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t")!
                if count > 0 { throw TestError() }
                return count
            }
            let recorder = Recorder<Int>(demand: end == "cancel at once" ? .none : .unlimited)
            released = recorder
            observation.publisher(in: database, scheduling: .async(onQueue: queue)).subscribe(recorder)
            switch end {
            case "cancel":
                await recorder.events.wait(count: 1)
                recorder.cancel()
            case "fail":
                await recorder.events.wait(count: 1)
                try database.insert()
                await recorder.events.wait(count: 2)
            default:
                recorder.cancel()
            }
        }()
        // Accesses and deliveries that have begun have a reference until they end.
        try await database.write { _ in }
        await queue.drain()
        try await database.write { _ in }
        #expect(token == nil)
        #expect(released == nil)
    }

    @Test
    func `Subscribers of a shared observation get the same values, each as it demands them`() async throws {
        let database = try makeQueue()
        let observed = Observed()
        let shared = observed.observation.shared(in: database, scheduling: .async(onQueue: queue))
        let all = Recorder<Int>()
        let few = Recorder<Int>(demand: .max(1))
        let publisher = shared.publisher()
        publisher.subscribe(all)
        publisher.subscribe(few)
        await all.events.wait(count: 1)
        #expect(await few.events.wait(count: 1) == ["value 0 on values"])
        for count in 1...3 {
            try database.insert()
            await all.events.wait { $0.last == "value \(count) on values" }
        }
        #expect(few.events.all.count == 1)
        few.request(.max(1))
        #expect(await few.events.wait(count: 2).last == "value 3 on values")
        few.cancel()
        try database.insert()
        #expect(await all.events.wait { $0.last == "value 4 on values" }.count <= 5)
        #expect(few.events.all.count == 2)
        all.cancel()
    }
}

@Suite(.timeLimit(.minutes(1))) struct RegionPublisherTests {
    @Test
    func `Transactions are published inside the access of the writer, whose connection can be used`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Database> { db in
            let counts = Result { try Int.fetchOne(db, sql: "SELECT count(*) FROM t")! }
            return "\((try? counts.get()) ?? -1)\(db.isInsideTransaction ? " inside" : "")"
        }
        DatabaseRegionObservation(tracking: .fullDatabase).publisher(in: database).subscribe(recorder)
        #expect(recorder.events.all == [])
        for count in 1...2 {
            try database.insert()
            // The writer's access ends after the subscriber has received the connection.
            #expect(recorder.events.all.count == count)
        }
        #expect(recorder.events.all == ["value 1", "value 2"])
        recorder.cancel()
        try database.insert()
        #expect(recorder.events.all.count == 2)
    }

    @Test
    func `Transactions that are not demanded are skipped`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Database>(demand: .none) { db in "\((try? Int.fetchOne(db, sql: "SELECT count(*) FROM t")) ?? -1)" }
        DatabaseRegionObservation(tracking: .fullDatabase).publisher(in: database).subscribe(recorder)
        try database.insert()
        recorder.request(.max(1))
        #expect(recorder.events.all == [])
        try database.insert(2)
        #expect(recorder.events.all == ["value 2"])
        recorder.request(.max(1))
        #expect(recorder.events.all == ["value 2"])
        try database.insert(2)
        #expect(recorder.events.all == ["value 2", "value 4"])
    }

    @Test
    func `Regions that can't be determined, and closing the database, are failures`() async throws {
        let database = try makeQueue()
        let recorder = Recorder<Database> { _ in "" }
        DatabaseRegionObservation(tracking: SQLRequest<Int>(sql: "SELECT * FROM missing")).publisher(in: database).subscribe(recorder)
        #expect(await recorder.events.wait(count: 1).first?.contains("no such table: missing") == true)

        let open = Recorder<Database>(demand: .none) { _ in "" }
        DatabaseRegionObservation(tracking: .fullDatabase).publisher(in: database).subscribe(open)
        try database.close()
        #expect(await open.events.wait(count: 1).first?.hasPrefix("failed: SQLite error 21") == true)
        #expect(recorder.events.all.count == 1)
    }

    @Test
    func `Nothing is left of a subscription whose subscriber is released by a cancellation`() async throws {
        let database = try makeQueue()
        weak var released: Recorder<Database>?
        try {
            let recorder = Recorder<Database> { _ in "" }
            released = recorder
            DatabaseRegionObservation(tracking: .fullDatabase).publisher(in: database).subscribe(recorder)
            try database.insert()
            recorder.cancel()
        }()
        #expect(released == nil)
    }
}

/// Demands a value with each that it receives.
private final class Repeating: Subscriber, Sendable {
    private let subscription = Locked<(any Subscription)?>(nil)
    private let onValue: @Sendable (Int) -> Void

    init(_ onValue: @escaping @Sendable (Int) -> Void) { self.onValue = onValue }

    func receive(subscription: any Subscription) {
        self.subscription.value = subscription
        subscription.request(.max(1))
    }

    func receive(_ input: Int) -> Subscribers.Demand {
        onValue(input)
        return .max(1)
    }

    func receive(completion: Subscribers.Completion<any Error>) {}

    func cancel() { subscription.take()?.cancel() }
}
