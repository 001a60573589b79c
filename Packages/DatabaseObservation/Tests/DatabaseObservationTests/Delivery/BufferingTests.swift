import DatabaseObservation
import Testing

/// The values that a sequence keeps while its loop is busy.
@Suite(.timeLimit(.minutes(20))) struct BufferingTests {
    struct Case: CustomTestStringConvertible {
        let policy: AsyncValueObservation<Int64>.BufferingPolicy
        /// What the loop gets after the values 0 to 4.
        let values: [Int64]
        var fetchesAll = true

        var testDescription: String { "\(policy)" }
    }

    @Test(
        arguments: Kind.allCases,
        [
            Case(policy: .onDemand, values: [0, 4], fetchesAll: false), Case(policy: .unbounded, values: [0, 1, 2, 3, 4]),
            Case(policy: .bufferingOldest(2), values: [0, 1]), Case(policy: .bufferingNewest(2), values: [3, 4]),
            Case(policy: .bufferingNewest(1), values: [4]),
        ])
    func `A busy loop gets the values that its buffering policy keeps, and then those that follow`(_ kind: Kind, _ test: Case) async throws
    {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        try await writer.execute("CREATE TABLE number (value INTEGER NOT NULL); INSERT INTO number VALUES (0)")
        let fetches = Collector<Int64>()
        let observation = ValueObservation.tracking { db in
            let value = try db.integer("SELECT value FROM number") ?? -1
            fetches.append(value)
            return value
        }.removeDuplicates()
        var iterator = observation.values(in: writer, bufferingPolicy: test.policy).makeAsyncIterator()
        await fetches.wait(last: 0)
        for number in 1...4 {
            try await writer.execute("UPDATE number SET value = \(number)")
            if test.fetchesAll { await fetches.wait(last: Int64(number)) }
        }
        if test.fetchesAll {
            // The next fetch begins when the buffer has the last value.
            try await writer.execute("UPDATE number SET value = 4")
            await fetches.wait { values in values.count { $0 == 4 } == 2 }
        }
        for value in test.values { #expect(try await iterator.next() == value) }
        #expect(fetches.all.contains(2) == test.fetchesAll)
        try await writer.execute("UPDATE number SET value = 5")
        #expect(try await iterator.next() == 5)
    }

    @Test(arguments: Kind.allCases)
    func `Copies of an iterator that wait at the same time all get a value`(_ kind: Kind) async throws {
        let folder = try TemporaryFolder()
        let writer = try kind.open(folder.path("database.sqlite"))
        try await writer.execute("CREATE TABLE number (value INTEGER NOT NULL); INSERT INTO number VALUES (0)")
        let observation = ValueObservation.tracking { db in try db.integer("SELECT value FROM number") ?? -1 }
        var iterator = observation.values(in: writer).makeAsyncIterator()
        #expect(try await iterator.next() == 0)
        for round in 1...10 {
            nonisolated(unsafe) let original = iterator
            let waiting = (0..<2).map { _ in
                Task {
                    var copy = original
                    return try await copy.next()
                }
            }
            for _ in 0..<100 { await Task.yield() }
            let values = try await withThrowingTaskGroup(of: Int64?.self) { group in
                for task in waiting { group.addTask { try await task.value } }
                try await writer.execute("UPDATE number SET value = \(round)")
                let first = try await group.next() ?? nil
                try await writer.execute("UPDATE number SET value = -\(round)")
                return [first, try await group.next() ?? nil]
            }
            #expect(values == [Int64(round), -Int64(round)])
        }
    }
}
