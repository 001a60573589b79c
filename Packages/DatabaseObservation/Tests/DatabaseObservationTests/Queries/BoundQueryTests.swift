import DatabaseObservation
import Testing

@Suite struct BoundQueryTests {
    private struct Mistake: Error {}

    private static func names(above score: Int64) -> SQLQuery<String, [String]> {
        SQLQuery("SELECT name FROM player WHERE score > :score ORDER BY name", arguments: ["score": score])
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: "CREATE TABLE player (name TEXT NOT NULL, score INTEGER); INSERT INTO player VALUES ('Arthur', 1), ('Barbara', 2)")
        }
        return queue
    }

    @Test
    func `A bound query fetches, and follows the database`() async throws {
        let queue = try makeQueue()
        let query = Self.names(above: 1).bound(to: queue)
        #expect(try await query.fetch() == ["Barbara"])
        let rename = SQLCommand<Int>("UPDATE player SET name = :name", arguments: ["name": "Craig"]).bound(to: queue)
        var states: [[String]] = []
        for try await names in query.values() {
            states.append(names)
            if states.count == 2 { break }
            #expect(try await rename.execute() == 2)
        }
        #expect(states == [["Barbara"], ["Craig"]])
    }

    @Test
    func `A query and a command are replaced by values or errors, without a database`() async throws {
        let constant = BoundQuery.constant(["Diane"])
        #expect(try await constant.fetch() == ["Diane"])
        var states: [[String]] = []
        for try await names in BoundQuery.changing([], ["Diane"], ["Diane", "Elena"]).values() {
            states.append(names)
            if states.count == 3 { break }
        }
        #expect(states == [[], ["Diane"], ["Diane", "Elena"]])
        let failing = BoundQuery<[String]>.failing(Mistake())
        await #expect(throws: Mistake.self) { try await failing.fetch() }
        await #expect(throws: Mistake.self) { for try await _ in failing.values() {} }
        #expect(try await BoundCommand.constant(3).execute() == 3)
        await #expect(throws: Mistake.self) { try await BoundCommand<Int>.failing(Mistake()).execute() }
    }
}
