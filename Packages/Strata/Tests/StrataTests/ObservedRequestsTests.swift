import Foundation
import Strata
import Testing

/// Observations of requests, which are identified by their SQL and their arguments.
@Suite(.timeLimit(.minutes(20))) struct ObservedRequestsTests {
    struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var score: Int

        static let marks = hasMany(Mark.self)
    }

    struct Mark: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var playerId: Int64
    }

    struct PlayerWithMarks: Decodable, FetchableRecord, Equatable {
        var player: Player
        var marks: [Mark]
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL);
                    CREATE TABLE mark (id INTEGER PRIMARY KEY, playerId INTEGER NOT NULL REFERENCES player);
                    INSERT INTO player VALUES (1, 'Arthur', 100), (2, 'Barbara', 200);
                    INSERT INTO mark VALUES (1, 1);
                    """)
        }
        return queue
    }

    /// Returns how many fetches a change causes while two observations run.
    private func fetchCount<First, Second>(
        of first: ValueObservation<First>, _ second: ValueObservation<Second>, in queue: DatabaseQueue
    ) async throws -> Int where First.Value: Sendable, Second.Value: Sendable {
        let fetches = Locked(0)
        var firsts = first.values(in: queue).makeAsyncIterator()
        var seconds = second.values(in: queue).makeAsyncIterator()
        _ = try await firsts.next()
        _ = try await seconds.next()
        try await queue.writeWithoutTransaction { db in
            db.trace { event in
                if "\(event)".hasPrefix("SELECT"), "\(event)".contains("FROM \"player\"") { fetches.increment() }
            }
            try db.execute(sql: "INSERT INTO player (name, score) VALUES ('Craig', 300)")
        }
        _ = try await firsts.next()
        _ = try await seconds.next()
        try await queue.writeWithoutTransaction { $0.trace(nil) }
        return fetches.value
    }

    @Test
    func `Observations of equal requests share one fetch, and those with other arguments do not`() async throws {
        let queue = try makeQueue()
        func best(_ score: Int) -> QueryInterfaceRequest<Player> { Player.filter(Column("score") > score) }
        #expect(try await fetchCount(of: .trackingAll(best(150)), .trackingAll(best(150)), in: queue) == 1)
        #expect(try await fetchCount(of: .trackingAll(best(150)), .trackingAll(best(151)), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingCount(best(150)), .trackingCount(best(150)), in: queue) == 1)
        let first = Player.order(Column("score").desc)
        #expect(try await fetchCount(of: .trackingOne(first), .trackingOne(first), in: queue) == 1)
        let names = Player.select(Column("name"), as: String.self)
        #expect(try await fetchCount(of: .trackingAll(names), .trackingAll(names), in: queue) == 1)
    }

    @Test
    func `An observation of a request that is already observed begins with what its task has written`() async throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.path("a.sqlite"))
        try await pool.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL)")
        }
        let all = Player.order(Column("id"))
        // They don't ask for their second value.
        var players = ValueObservation.trackingAll(all).values(in: pool).makeAsyncIterator()
        var counts = ValueObservation.trackingCount(all).values(in: pool).makeAsyncIterator()
        #expect(try await players.next() == [])
        #expect(try await counts.next() == 0)
        for number in 1...5 {
            let player = Player(id: Int64(number), name: "", score: 0)
            try await pool.write { try player.insert($0) }
            var iterator = ValueObservation.trackingAll(all).values(in: pool).makeAsyncIterator()
            #expect(try await iterator.next()?.last == player)
            var count = ValueObservation.trackingCount(all).values(in: pool).makeAsyncIterator()
            #expect(try await count.next() == number)
        }
    }

    @Test
    func `Each form delivers what the request fetches, and follows changes`() async throws {
        let queue = try makeQueue()
        var all = ValueObservation.trackingAll(Player.order(Column("id"))).values(in: queue).makeAsyncIterator()
        var one = ValueObservation.trackingOne(Player.filter(key: 3)).values(in: queue).makeAsyncIterator()
        var count = ValueObservation.trackingCount(Player.all()).values(in: queue).makeAsyncIterator()
        var name = ValueObservation.trackingOne(Player.select(max(Column("name")), as: String.self)).values(in: queue).makeAsyncIterator()
        #expect(try await all.next()?.map(\.id) == [1, 2])
        #expect(try await one.next() == .some(nil))
        #expect(try await count.next() == 2)
        #expect(try await name.next() == "Barbara")
        let craig = Player(id: 3, name: "Craig", score: 300)
        try await queue.write { try craig.insert($0) }
        #expect(try await all.next()?.last == craig)
        #expect(try await one.next() == craig)
        #expect(try await count.next() == 3)
        #expect(try await name.next() == "Craig")
    }

    @Test
    func `Requests that differ in their rows, their limits or their type don't share fetches`() async throws {
        struct Name: Decodable, FetchableRecord, Equatable { var name: String }
        let queue = try makeQueue()
        let all = Player.order(Column("id"))
        #expect(try await fetchCount(of: .trackingAll(all.limit(1)), .trackingAll(all.limit(2)), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingAll(all.limit(1)), .trackingAll(all.limit(1, offset: 1)), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingAll(all), .trackingAll(all.asRequest(of: Name.self)), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingAll(all), .trackingAll(all.reversed()), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingAll(all), .trackingOne(all), in: queue) == 2)
        #expect(try await fetchCount(of: .trackingAll(all), .trackingCount(all), in: queue) == 2)
        func typed(_ value: any DatabaseValueConvertible) -> SQLRequest<String> {
            SQLRequest(sql: "SELECT name || typeof(?) FROM \"player\"", arguments: [value])
        }
        #expect(try await fetchCount(of: .trackingAll(typed(1)), .trackingAll(typed(1)), in: queue) == 1)
        for other: any DatabaseValueConvertible in [1.0, "1", Data("1".utf8)] {
            #expect(try await fetchCount(of: .trackingAll(typed(1)), .trackingAll(typed(other)), in: queue) == 2)
        }
    }

    @Test
    func `Requests with associations don't share fetches, because their SQL does not determine how rows are decoded`() async throws {
        let queue = try makeQueue()
        let with = ValueObservation.trackingAll(
            Player.order(Column("id")).including(all: Player.marks).asRequest(of: PlayerWithMarks.self))
        let others = ValueObservation.trackingAll(
            Player.order(Column("id")).including(all: Player.marks.filter(Column("id") > 1)).asRequest(of: PlayerWithMarks.self))
        #expect(try await fetchCount(of: with, with, in: queue) == 2)
        #expect(try await fetchCount(of: with, others, in: queue) == 2)
        var all = with.values(in: queue).makeAsyncIterator()
        var some = others.values(in: queue).makeAsyncIterator()
        let first = try await all.next()?.first
        #expect(first?.marks.map(\.id) == [1])
        let other = try await some.next()?.first
        #expect(other?.marks == [])
    }

    @Test
    func `The error of a request that does not fit the schema ends the observation`() async throws {
        let queue = try DatabaseQueue()
        await #expect(throws: DatabaseError.self) {
            for try await _ in ValueObservation.trackingAll(Player.all()).values(in: queue) { Issue.record("a value") }
        }
    }

    @Test
    func `An observation that is cancelled while its request is compared delivers nothing`() async throws {
        let queue = try makeQueue()
        let (began, continuation) = AsyncStream.makeStream(of: Void.self)
        let latch = Semaphore("the test lets the write end")
        queue.asyncWriteWithoutTransaction { _ in
            continuation.yield()
            latch.wait()
        }
        for await _ in began { break }
        let cancellable = ValueObservation.trackingAll(Player.all()).start(in: queue, scheduling: .async(onQueue: .global())) { _ in
            Issue.record("an error")
        } onChange: { _ in
            Issue.record("a value")
        }
        cancellable.cancel()
        latch.signal()
        #expect(try await queue.read { try Player.fetchCount($0) } == 2)
    }
}
