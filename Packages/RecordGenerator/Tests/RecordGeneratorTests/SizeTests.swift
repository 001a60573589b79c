import Foundation
import Testing

@testable import RecordGenerator

/// The work for files grows with their size, and not with its square.
///
/// The measure is the time of the processor that the thread uses, which does not count waits for other threads. Each size counts with the
/// fastest of several runs, in turn.
@Suite(.serialized) struct SizeTests {
    /// Returns the processor time of the thread, in nanoseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    /// Returns how many times as long a body takes for eight times the size.
    private static func growth(_ size: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        var times = [Double.infinity, Double.infinity]
        for _ in 0..<3 {
            for (index, size) in [size, 8 * size].enumerated() {
                let start = processorTime()
                try body(size)
                times[index] = min(times[index], processorTime() - start)
            }
        }
        return times[1] / times[0]
    }

    private static let schema = SourceText("CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);", file: "schema.sql")

    private static func compile(_ sql: String) throws {
        let set = try QuerySet([SourceText(sql, file: "Queries.sql")], schema: schema, settings: RecordSettings())
        #expect(set.outputs.count == 2)
    }

    @Test
    func `Eight times as many statements take eight times as long`() throws {
        // A long comment makes the file large, so that what depends on its size counts.
        let comment = "-- \(String(repeating: "x", count: 2000))\n"
        let growth = try Self.growth(10) { count in
            try Self.compile((0..<count).map { "\(comment)-- name: query\($0)\nSELECT name FROM team WHERE id = :id;\n" }.joined())
        }
        #expect(growth < 12)
    }
}
