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

    @Test
    func `The specification's example runs on a cluster`() throws {
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

    @Test
    func `Random requests have the same results on a cluster and in a local database`() throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_SEED"] ?? "") ?? UInt64.random(in: 0..<1_000_000)
        let cluster = try Self.nodes!.open(database: "random")
        let local = try DatabaseQueue()
        for writer in [cluster, local] as [any DatabaseWriter] {
            try writer.write { db in try RandomClusterRequests.fill(db, seed: seed) }
        }
        var random = RandomClusterRequests(seed: seed)
        var rowCount = 0
        for step in 0..<300 {
            let request = random.request()
            func rows(_ reader: any DatabaseReader) throws -> [String] {
                try reader.read { db in
                    let rows = try request.fetchAll(db)
                    // With a cursor, which the next request interrupts.
                    let first = try request.fetchOne(db)
                    return rows.map(\.debugDescription) + [first?.debugDescription ?? "none", "\(try request.fetchCount(db))"]
                }
            }
            let expected = try rows(local)
            let sql = try local.read { db in try request.sql(db) }
            #expect(try rows(cluster) == expected, "seed \(seed), step \(step): \(sql)")
            rowCount += expected.count - 2
        }
        #expect(rowCount > 300)
    }
}
