import Persistence
import Testing

/// A word, which knows its key: an immutable struct.
private struct Word: PersistableRecord {
    let text: String
    let count: Int
    func encode(to container: inout PersistenceContainer) {
        container["text"] = text
        container["count"] = count
    }
    static let createTable = "CREATE TABLE word (text TEXT PRIMARY KEY, count INTEGER)"
}

private let insertion = #"INSERT INTO "player" ("id", "name", "score") VALUES "#

@Suite struct BatchTests {
    private func players(_ names: String...) -> [Player] { names.map { Player(name: $0, score: 1) } }

    @Test
    func `A batch is inserted in place, in one transaction`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            var players = players("Arthur", "Barbara")
            let sql = try db.statements { try players.insertAll(db) }
            #expect(
                sql == [
                    "BEGIN IMMEDIATE TRANSACTION", insertion + "(NULL, 'Arthur', 1)", insertion + "(NULL, 'Barbara', 1)",
                    "COMMIT TRANSACTION",
                ])
            #expect(players.map(\.id) == [1, 2])
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur'", "2 'Barbara'"])
        }
    }

    @Test
    func `A batch inside a transaction is a savepoint`() throws {
        try withDatabase(Player.createTable) { db throws in
            var players = players("Arthur")
            let sql = try db.statements { try players.insertAll(db) }
            #expect(sql == ["SAVEPOINT strata", insertion + "(NULL, 'Arthur', 1)", "RELEASE SAVEPOINT strata"])
        }
    }

    @Test
    func `A batch of constants is inserted, and returned with what it has become`() throws {
        try withDatabase(Player.createTable) { db throws in
            let players = try ["Arthur", "Barbara"].lazy.map { Player(name: $0) }.insertedAll(db)
            #expect(players.map(\.id) == [1, 2])
            let saved = try (players + [Player(name: "Craig")]).savedAll(db)
            #expect(saved.map(\.id) == [1, 2, 3])
        }
    }

    @Test
    func `Records that don't change come from any sequence`() throws {
        try withDatabase(Word.createTable) { db throws in
            try ["a", "b"].lazy.map { Word(text: $0, count: 1) }.insertAll(db)
            let words = [Word(text: "a", count: 2), Word(text: "c", count: 2)]
            try words.saveAll(db)
            #expect(try db.rows("SELECT * FROM word") == ["'a' 2", "'b' 1", "'c' 2"])
            try words.upsertAll(db, doUpdate: { _ in [Column("count") += 10] })
            try AnySequence(words).upsertAll(db, onConflict: ["text"], doUpdate: { _ in [Column("count") += 10] })
            #expect(try db.rows("SELECT * FROM word") == ["'a' 22", "'b' 1", "'c' 22"])
            try words.updateAll(db)
            var variable = words
            try variable.insertAll(db, onConflict: .ignore)
            try variable.updateAll(db, columns: ["count"])
            try variable.saveAll(db)
            try variable.upsertAll(db)
            #expect(try words.deleteAll(db) == 2)
            #expect(try words.deleteAll(db) == 0)
            #expect(try db.rows("SELECT * FROM word") == ["'b' 1"])
            try [Word]().insertAll(db)
        }
    }

    @Test
    func `A batch is updated, saved, upserted and deleted in place`() throws {
        try withDatabase(Player.createTable) { db throws in
            var players = try players("Arthur", "Barbara").insertedAll(db)
            for index in players.indices { players[index].score = 2 }
            try players.updateAll(db)
            #expect(try db.rows("SELECT score FROM player") == ["2", "2"])
            for index in players.indices { (players[index].score, players[index].name) = (3, "x") }
            try players.updateAll(db, columns: ["score"])
            try players.updateAll(db, columns: [Column("score")])
            let columns: [any ColumnExpression] = [Column("score")]
            try players.updateAll(db, columns: columns)
            #expect(try db.rows("SELECT name, score FROM player") == ["'Arthur' 3", "'Barbara' 3"])
            players = [Player(id: 1, name: "Arthur", score: 4), Player(name: "Craig", score: 4)]
            try players.saveAll(db)
            #expect(players.map(\.id) == [1, 3])
            players = [Player(name: "Craig", score: 5), Player(name: "David", score: 5)]
            let sql = try db.statements { try players.upsertAll(db, onConflict: ["name"]) }
            #expect(sql.count == 4)
            #expect(players.map(\.id) == [3, 4])
            #expect(try db.rows("SELECT id, score FROM player") == ["1 4", "2 3", "3 5", "4 5"])
            #expect(try players.deleteAll(db) == 2)
            let constants = players
            #expect(throws: RecordError.self) { try constants.updateAll(db) }
        }
    }

    @Test
    func `A batch fails whole, and the connection can be used`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            _ = try Player(name: "Craig").inserted(db)
            var players = players("Arthur", "Craig", "Barbara")
            let error = #expect(throws: DatabaseError.self) { try players.insertAll(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(!db.isInsideTransaction)
            // Nothing of it stays, in the database or in the records.
            #expect(players.allSatisfy { $0.id == nil })
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Craig'"])
            // Inside a transaction, earlier changes stay.
            try db.inTransaction {
                _ = try Player(name: "David").inserted(db)
                #expect(throws: DatabaseError.self) { try players.insertAll(db) }
                #expect(throws: RecordError.self) { try [Player(id: 1, name: "C"), Player(id: 9, name: "N")].updateAll(db) }
                #expect(db.isInsideTransaction)
                return .commit
            }
            #expect(try db.rows("SELECT name FROM player") == ["'Craig'", "'David'"])
            try players.insertAll(db, onConflict: .ignore)
            #expect(players.map(\.id) == [3, nil, 4])
            players[0].name += "!"
            // A conflict that rolls back the transaction.
            players.append(Player(name: "Craig"))
            for index in players.indices { players[index].id = nil }
            #expect(throws: DatabaseError.self) { try players.insertAll(db, onConflict: .rollback) }
            #expect(try Player.fetchCount(db) == 4)
            #expect(!db.isInsideTransaction)
        }
    }

    @Test
    func `Progress is reported after each record, and can cancel the batch`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            var steps: [Int] = []
            var players = players("Arthur", "Barbara", "Craig")
            try players.insertAll(db) { steps.append($0) }
            #expect(steps == [1, 2, 3])
            #expect(throws: TestError.self) {
                try players.deleteAll(db) { if $0 == 2 { throw TestError() } }
            }
            #expect(try Player.fetchCount(db) == 3)
            steps = []
            try players.updateAll(db, columns: ["score"]) { steps.append($0) }
            try players.updateAll(db) { steps.append($0) }
            try players.saveAll(db) { steps.append($0) }
            try players.upsertAll(db, progress: { steps.append($0) })
            _ = try players.savedAll(db) { steps.append($0) }
            #expect(steps == [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3])
        }
    }

    @Test
    func `A batch calls the callbacks of each record in turn, with its row id`() throws {
        final class Log { var entries: [String] = [] }
        final class Observed: PersistableRecord {
            static let databaseTableName = "player"
            let log: Log
            let name: String
            var id: Int64?
            init(_ name: String, _ log: Log) { (self.name, self.log) = (name, log) }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            func willInsert(_ db: Database) throws {
                log.entries.append("will \(name), with \(try Player.fetchCount(db)) there")
            }
            func didInsert(_ inserted: InsertionSuccess) {
                id = inserted.rowID
                log.entries.append("did \(name): \(inserted.rowID)")
            }
        }
        try withDatabase(Player.createTable) { db throws in
            let log = Log()
            let records = [Observed("A", log), Observed("B", log)]
            try records.insertAll(db)
            #expect(records.map(\.id) == [1, 2])
            #expect(log.entries == ["will A, with 0 there", "did A: 1", "will B, with 1 there", "did B: 2"])
        }
    }
}
