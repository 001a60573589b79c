import Foundation
import Strata
import Testing

/// Upserts say what they did to the row. A file and a cluster find it out in different ways.
@Suite(.serialized)
struct UpsertMatrixTests {
    struct Item: Codable, Hashable, FetchableRecord, PersistableRecord, TableRecord {
        static let databaseTableName = "item"
        var name: String
        var kind: String?
        var score: Int
    }

    enum Table: String, CaseIterable {
        case withRowID = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT, score INTEGER)"
        case withoutRowID = "CREATE TABLE item (name TEXT PRIMARY KEY NOT NULL, kind TEXT, score INTEGER) WITHOUT ROWID"
        case nocase = "CREATE TABLE item (name TEXT COLLATE NOCASE UNIQUE NOT NULL, kind TEXT, score INTEGER)"
        case withTrigger = """
            CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT, score INTEGER);
            CREATE TABLE log (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TRIGGER inserted AFTER INSERT ON item BEGIN INSERT INTO log (name) VALUES (NEW.name); END;
            CREATE TRIGGER updated AFTER UPDATE ON item BEGIN INSERT INTO log (name) VALUES (NEW.name); END
            """
    }

    @Test(arguments: DatabaseKind.all, Table.allCases)
    func `Each upsert says whether the row is new, changed or as before`(_ kind: DatabaseKind, _ table: Table) throws {
        let database = try TestDatabase(kind, schema: table.rawValue)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = RandomClusterRequests(seed: seed)
        var rows: [String: Item] = [:]
        for step in 1...40 {
            let item = Item(
                name: random.pick(["a", "b", "é", table == .nocase ? "B" : "c"]), kind: random.pick([nil, "x", "y"]),
                score: random.number(0...2))
            let key = table == .nocase ? item.name.lowercased() : item.name
            let old = rows[key]
            var new = item
            let strategy: UpsertUpdateStrategy
            var condition: ((TableAlias<Item>) -> any SQLExpressible)?
            var isUpdated = true
            new.name = old?.name ?? item.name
            switch random.number(0...3) {
            case 0: strategy = .allColumns
            case 1:
                strategy = .allColumns.ifChanged
                isUpdated = old?.kind != new.kind || old?.score != new.score
            case 2:
                strategy = .columns(["score"]).ifChanged
                if let old { new.kind = old.kind }
                isUpdated = old?.score != new.score
            default:
                strategy = .columns(["score"])
                if let old { new.kind = old.kind }
                condition = { $0["score"] > Column("score") }
                isUpdated = old.map { item.score > $0.score } ?? true
            }
            let expected: UpsertOutcome = old == nil ? .inserted : isUpdated ? .updated : .unchanged
            if old == nil || isUpdated { rows[key] = new }
            let (outcome, all) = try database.writer.write { db in
                (
                    try item.upsertWithOutcome(db, onConflict: ["name"], updating: strategy, where: condition),
                    try Item.fetchSet(db)
                )
            }
            let comment: Comment = "seed \(seed), step \(step): \(item) where \(String(describing: old)) was"
            try #require(outcome == expected, comment)
            try #require(all == Set(rows.values), comment)
        }
    }

    @Test(arguments: DatabaseKind.all)
    func `An upsert without a target that could meet two keys says what it did, or refuses`(_ kind: DatabaseKind) throws {
        let database = try TestDatabase(
            kind, schema: "CREATE TABLE item (name TEXT UNIQUE, kind TEXT UNIQUE, score INTEGER); INSERT INTO item VALUES ('a', 'x', 1)")
        let item = Item(name: "b", kind: "x", score: 2)
        let outcome = Result { try database.writer.write { try item.upsertWithOutcome($0) } }
        let rows = try database.writer.read { try Item.fetchSet($0) }
        if kind == .cluster {
            #expect(throws: DatabaseError.self) { try outcome.get() }
            #expect(rows == [Item(name: "a", kind: "x", score: 1)])
        } else {
            #expect(try outcome.get() == .updated)
            #expect(rows == [item])
        }
    }
}
