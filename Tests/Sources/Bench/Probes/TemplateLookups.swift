import Strata

/// The number of columns of a ``Wide`` record.
private protocol Width: Sendable {
    static var count: Int { get }
}

private enum Four: Width { static let count = 4 }
private enum Fourteen: Width { static let count = 14 }
private enum Forty: Width { static let count = 40 }

/// A record that reads all columns of its table, which are integers.
private struct Wide<W: Width>: FetchableRecord, TableRecord {
    static var databaseTableName: String { "wide\(W.count)" }

    var sum: Int64 = 0

    init(row: Row) throws {
        for index in 0..<W.count { sum &+= try row.decode(Int64.self, atIndex: index) }
    }

    static func createTable(_ db: Database) throws {
        let columns = ["id INTEGER PRIMARY KEY"] + (1..<W.count).map { "c\($0) INTEGER NOT NULL" }
        try db.execute(sql: "CREATE TABLE \(databaseTableName) (\(columns.joined(separator: ", ")))")
        let values = (1..<W.count).map { "i + \($0)" }
        try db.execute(
            sql: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
                INSERT INTO \(databaseTableName) SELECT i, \(values.joined(separator: ", ")) FROM n
                """)
    }

    /// The nanoseconds of a lookup in some ways, by their names, in each round.
    static func measure(_ rounds: Int) throws -> [(name: String, times: [Double])] {
        let queue = try DatabaseQueue()
        try queue.write(createTable)
        let template = RequestTemplate { (id: Place<Int64>) in filter(Column("id") == id) }
        let sql = SQL(sql: "SELECT * FROM \(databaseTableName) WHERE id = :id")
        let ways: [(name: String, lookUp: (Database, Int64) throws -> Wide?)] = [
            ("fetchOne(key:)", { db, id in try fetchOne(db, key: id) }),
            ("a template", { db, id in try template(id).fetchOne(db) }),
            ("filter(…)", { db, id in try filter(Column("id") == id).fetchOne(db) }),
            ("a query of a file", { db, id in try SQLQuery<Wide, Wide?>(sql, arguments: ["id": id]).fetch(db) }),
        ]
        var results = ways.map { (name: $0.name, times: [Double]()) }
        let clock = ContinuousClock()
        for round in 0...rounds {
            for offset in ways.indices {
                let index = (round + offset) % ways.count
                var sum: Int64 = 0
                let time = try queue.read { db in
                    try clock.measure {
                        for number in 0..<5_000 { sum &+= try ways[index].lookUp(db, Int64(number * 7 % 1000 + 1))?.sum ?? 0 }
                    }
                }
                keep(sum)
                if round > 0 { results[index].times.append(time.milliseconds * 1e6 / 5_000) }
            }
        }
        return results
    }

    static func figures(_ rounds: Int) throws -> [Figure] {
        let results = try measure(rounds)
        let above = zip(results[1].times, results[0].times).map { $0 - $1 }.median
        return results.map { Figure(name: "\($0.name), \(W.count) columns", value: $0.times.median, unit: "ns") }
            + [Figure(name: "a template above fetchOne(key:), \(W.count) columns", value: above, unit: "ns", atMost: 200)]
    }
}

/// What one row costs by a template, beside other ways.
let templateLookups = Probe(name: "template-lookups", summary: "one row by its key, from tables of three widths in memory") { rounds in
    try Wide<Four>.figures(rounds) + Wide<Fourteen>.figures(rounds) + Wide<Forty>.figures(rounds)
}
