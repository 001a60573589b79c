import Strata
import Testing

// sample: One question at each height 3

// sample: One question at each height 5

@Suite(.page)
struct StrataChoosingALayerSamples {
    // sample: One question at each height 7

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (name TEXT PRIMARY KEY, score INTEGER NOT NULL);
                    INSERT INTO player VALUES ('Craig', 200), ('Barbara', 750), ('Arthur', 1000);
                    """)
        }
        return queue
    }

    @Test
    func `Each layer answers the same question`() throws {
        try makeQueue().write { db in
            do {
                // sample: One question at each height 1
                #expect(names == ["Arthur", "Barbara"])
            }
            do {
                // sample: One question at each height 2
                #expect(names == ["Arthur", "Barbara"])
            }
            do {
                // sample: One question at each height 4
                #expect(players.map(\.score) == [1000, 750])
            }
            do {
                // sample: One question at each height 6
                #expect(players.map(\.name) == ["Arthur", "Barbara"])
            }
            // sample: One question at each height 8
            #expect(scores.map(\.name) == ["Arthur", "Barbara", "Diane"])
        }
    }
}
