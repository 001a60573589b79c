import Foundation
import Strata
import Testing

/// Random requests with aggregates of associations, filters and joins give the rows of plain SQL that is written by hand.
///
/// A run is made of a seed and a number of requests, which a failure names: each request has a seed of its own.
@Suite("Random associations", .timeLimit(.minutes(60)))
struct RandomAssociationTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    private static let count = environment["STRATA_REQUESTS"].flatMap { Int($0) } ?? 300

    /// The number of requests for the same rows.
    private static let requestsPerDatabase = 20

    @Test
    func `Requests with associations give the rows of plain SQL`() throws {
        print("random associations: STRATA_SEED=\(Self.seed) STRATA_REQUESTS=\(Self.count)")
        var (found, orders) = (0, 0)
        var queue = try DatabaseQueue()
        for index in 0..<Self.count {
            if index.isMultiple(of: Self.requestsPerDatabase) {
                queue = try DatabaseQueue()
                try queue.write { db in
                    try db.execute(sql: AssociationModel.schema)
                    var random = SeededGenerator(seed: Self.seed &+ UInt64(index))
                    try AssociationModel.fill(db, &random)
                }
            }
            var random = SeededGenerator(seed: (Self.seed &+ UInt64(index)) &* 0x9E37_79B9)
            let sample = RandomAssociationRequest(&random)
            do {
                let count = try queue.read { db in try Self.check(sample, db) }
                found += count
                if sample.isOrdered, count > 1 { orders += 1 }
            } catch {
                Issue.record("seed \(Self.seed), request \(index): \(error)")
                return
            }
        }
        // Most requests have rows.
        #expect(found > Self.count && orders > 0)
    }

    private struct Difference: Error, CustomStringConvertible {
        var description: String
    }

    /// - Returns: the number of rows.
    private static func check(_ sample: RandomAssociationRequest, _ db: Database) throws -> Int {
        func lines(_ rows: [[DatabaseValue]]) -> [String] {
            let lines = rows.map { $0.map(\.description).joined(separator: ", ") }
            return sample.isOrdered ? lines : lines.sorted()
        }
        let rows = try sample.request.fetchAll(db).map { row in
            try sample.values.map { scope, column in
                guard let scope else { return try row.decode(DatabaseValue.self, forKey: column) }
                return try row.scopesTree[scope]?.decode(DatabaseValue.self, forKey: column) ?? .null
            }
        }
        let expected = try Row.fetchAll(db, sql: sample.sql).map { Array($0.databaseValues) }
        let (found, wanted) = (lines(rows), lines(expected))
        if found != wanted {
            throw Difference(
                description: """
                    the rows differ
                    \(try sample.request.sql(db))
                    \(found.joined(separator: "\n"))
                    \(sample.sql)
                    \(wanted.joined(separator: "\n"))
                    """)
        }
        let count = try sample.request.fetchCount(db)
        if count != rows.count {
            throw Difference(description: "\(count) instead of \(rows.count) rows are counted:\n\(try sample.request.sql(db))")
        }
        if try sample.request.isEmpty(db) != rows.isEmpty { throw Difference(description: "isEmpty: \(try sample.request.sql(db))") }
        return rows.count
    }
}
