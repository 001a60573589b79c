import DqliteCluster
import Foundation
import Strata
import Testing

private struct Player: Codable, Equatable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "player"
    var id: Int64?
    var name: String
    var score: Int
    var createdAt: Date?
    var tags: [String] = []

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The upper layers on a cluster.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterRecordTests {
    static let nodes = DqliteNode.isAvailable ? try! NodeProcesses(count: 1) : nil

    private func migrate(_ writer: any DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("player") { db in
            try db.create(table: "player") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("score", .integer).notNull()
                t.column("createdAt", .datetime)
                t.column("tags", .jsonText).notNull()
            }
        }
        migrator.registerMigration("book") { db in
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("player", onDelete: .cascade)
                t.column("title", .text).notNull().unique()
            }
        }
        try migrator.migrate(writer)
    }

    @Test("The specification's example runs on a cluster")
    func fullExample() throws {
        let cluster = try Self.nodes!.open(database: "example")
        try migrate(cluster)
        try cluster.write { db in
            var player = Player(
                id: nil, name: "Arthur", score: 100, createdAt: Date(timeIntervalSince1970: 1_000_000_000), tags: ["a", "é"])
            try player.insert(db)
            #expect(player.id == 1)
            player.score = 200
            try player.update(db)
            #expect(try Player.fetchOne(db, id: 1) == player)
            try player.updateChanges(db) { $0.score = 300 }
            #expect(try Player.filter(Column("score") > 250).fetchCount(db) == 1)
            let saved = try Player(id: nil, name: "Barbara", score: 1).inserted(db)
            #expect(saved.id == 2)
            #expect(try Player.order(Column("id").desc).fetchAll(db).map(\.name) == ["Barbara", "Arthur"])
            try player.delete(db)
            #expect(try Player.fetchAll(db).map(\.name) == ["Barbara"])
        }
        let names = try cluster.read { db in try String.fetchAll(db, sql: "SELECT name FROM player") }
        #expect(names == ["Barbara"])
    }

    @Test("Random requests have the same results on a cluster and in a local database")
    func randomRequests() throws {
        let cluster = try Self.nodes!.open(database: "random")
        let local = try DatabaseQueue()
        for writer in [cluster, local] as [any DatabaseWriter] {
            try migrate(writer)
            try writer.write { db in
                for number in 0..<60 {
                    var player = Player(
                        id: nil, name: "Player \(number % 7)", score: number * 37 % 50,
                        createdAt: number % 3 == 0 ? nil : Date(timeIntervalSince1970: Double(number) * 1e6 + 0.5), tags: ["\(number)"])
                    try player.insert(db)
                    try db.execute(
                        sql: "INSERT INTO book (playerId, title) VALUES (?, ?)",
                        arguments: [number % 4 == 0 ? nil : player.id, "Title \(number)"])
                }
            }
        }
        let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_SEED"] ?? "") ?? UInt64.random(in: 0..<1_000_000)
        var random = Generator(state: seed)
        for step in 0..<100 {
            let sql = Self.randomQuery(&random)
            func rows(_ reader: any DatabaseReader) throws -> [String] {
                try reader.read { db in try Row.fetchAll(db, sql: sql).map { "\($0)" } }
            }
            #expect(try rows(cluster) == rows(local), "seed \(seed), step \(step): \(sql)")
            let threshold = Int.random(in: 0..<50, using: &random)
            let limit = Int.random(in: 1...20, using: &random)
            func players(_ reader: any DatabaseReader) throws -> [Player] {
                try reader.read { db in
                    try Player.filter(Column("score") >= threshold).order(Column("score").desc, Column("name"), Column("id")).limit(limit)
                        .fetchAll(db)
                }
            }
            #expect(try players(cluster) == players(local), "seed \(seed), step \(step)")
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static func randomQuery(_ random: inout Generator) -> String {
        let columns = [
            "id", "name", "score", "createdAt", "tags", "score * 1.5 AS x", "createdAt IS NULL AS isNew", "'text' AS \"a name\"", "NULL",
        ]
        let conditions = [
            "score > 20", "createdAt IS NOT NULL", "name LIKE '%3'", "id IN (SELECT playerId FROM book)", "score BETWEEN 5 AND 30",
            "id % 3 = 1",
        ]
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return "SELECT * FROM player WHERE \(conditions.randomElement(using: &random)!) ORDER BY score DESC, id LIMIT 10"
        case 1:
            let list = (0..<Int.random(in: 1...6, using: &random)).map { _ in columns.randomElement(using: &random)! }.joined(
                separator: ", ")
            return "SELECT \(list) FROM player WHERE \(conditions.randomElement(using: &random)!) ORDER BY name, id DESC"
        case 2:
            return "SELECT name, count(*), max(createdAt), avg(score) FROM player GROUP BY name HAVING count(*) > 1 ORDER BY 1"
        case 3:
            return "SELECT player.*, book.* FROM book LEFT JOIN player ON player.id = book.playerId ORDER BY book.id LIMIT 15"
        default:
            return
                "WITH best AS (SELECT * FROM player ORDER BY score DESC, id LIMIT 8) SELECT name, score FROM best UNION SELECT title, id FROM book ORDER BY 2, 1 LIMIT 12"
        }
    }
}
