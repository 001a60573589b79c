import Foundation
import Persistence
import Testing

@Suite struct ChangesTests {
    @Test
    func `Records are equal when they write the same`() throws {
        let arthur = Player(id: 1, name: "Arthur", score: 5)
        #expect(try arthur.databaseEquals(arthur))
        #expect(try !arthur.databaseEquals(Player(id: 1, name: "arthur", score: 5)))
        #expect(try !arthur.databaseEquals(Player(id: 1, name: "Arthur", score: nil)))
        // Names in any case and order, and values as SQLite compares them.
        let sheet = Sheet(["a": 1, "b": nil, "c": "text"])
        #expect(try sheet.databaseEquals(Sheet(["C": "text", "B": nil, "A": 1.0])))
        #expect(try sheet.databaseEquals(Sheet(["a": 2, "b": nil, "c": "text", "A": true])))
        #expect(try !sheet.databaseEquals(Sheet(["a": "1", "b": nil, "c": "text"])))
        #expect(try !sheet.databaseEquals(Sheet(["a": 1, "b": nil, "c": Data("text".utf8)])))
        #expect(try !sheet.databaseEquals(Sheet(["a": 1, "c": "text"])))
        #expect(try !sheet.databaseEquals(Sheet(["a": 1, "b": nil, "c": "text", "d": nil])))
        // What is not a number is NULL in SQLite.
        #expect(try Sheet(["a": Double.nan]).databaseEquals(Sheet(["a": Double.nan])))
        #expect(try Sheet(["a": Double.nan]).databaseEquals(Sheet(["a": nil])))
        // Texts that Swift holds for equal, and SQLite does not.
        #expect(try !Sheet(["a": "\u{e9}"]).databaseEquals(Sheet(["a": "e\u{301}"])))
        #expect(try Sheet([:]).databaseEquals(Sheet([:])))
    }

    @Test
    func `Changes are reported with the previous values`() throws {
        let old = Player(id: 1, name: "Arthur", score: nil)
        #expect(try old.databaseChanges(from: old) == [:])
        #expect(
            try Player(id: 1, name: "Barbara", score: 5).databaseChanges(from: old) == ["name": "Arthur".databaseValue, "score": .null])
        // Of another type: columns that only the other writes are none of this one's.
        let sheet = Sheet(["NAME": "Arthur", "score": 7, "other": 1])
        #expect(try old.databaseChanges(from: sheet) == ["id": .null, "score": 7.databaseValue])
        #expect(try old.databaseChanges(from: Sheet(["NAME": "Arthur", "id": 1])) == [:])
        var player = old
        #expect(try player.databaseChanges { $0.score = 3 } == ["score": .null])
        #expect(player.score == 3)
        #expect(try player.databaseChanges { $0.score = 3 } == [:])
    }

    @Test
    func `A variable of any kind of record keeps the changes of a closure`() throws {
        struct Word: PersistableRecord, FetchableRecord, Equatable {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
            init(row: Row) throws {
                id = try row.decode(forKey: "id")
                name = try row.decode(forKey: "name")
            }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
        }
        final class Entry: PersistableRecord {
            static let databaseTableName = "player"
            var name = "Arthur"
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                container["name"] = name
            }
        }
        try withDatabase(Player.createTable) { db throws in
            var word = Word(id: 1, name: "Arthur")
            try word.insert(db)
            #expect(try word.updateChanges(db) { $0.name = "Barbara" })
            #expect(word.name == "Barbara")
            // The next change is compared with the changed record.
            #expect(try !word.updateChanges(db) { $0.name = "Barbara" })
            #expect(try word.updateChangesAndFetch(db) { $0.name = "Craig" } == Word(id: 1, name: "Craig"))
            #expect(word.name == "Craig")
            #expect(try word.updateChangesAndFetch(db, as: Word.self) { $0.name = "David" } == Word(id: 1, name: "David"))
            #expect(word.name == "David")
            let length = try word.updateChangesAndFetch(db, selection: [Column("name")], fetch: { try String.fetchOne($0) }) {
                $0.name = "Eve"
            }
            #expect(length == "Eve" && word.name == "Eve")
            #expect(try word.databaseChanges { $0.name = "Fay" } == ["name": "Eve".databaseValue])
            #expect(word.name == "Fay")
            // A constant, and an object.
            let constant = word
            #expect(try constant.updateChanges(db) { $0.name = "Gus" })
            #expect(constant.name == "Fay")
            let entry = Entry()
            #expect(try entry.updateChanges(db) { $0.name = "Hal" })
            #expect(try entry.databaseChanges { $0.name = "Ian" } == ["name": "Hal".databaseValue])
            #expect(entry.name == "Ian")
        }
    }

    @Test
    func `A column that the other record does not write counts as NULL`() throws {
        try withDatabase(Player.createTable) { db throws in
            let player = try Player(name: "Arthur", score: nil).inserted(db)
            try db.execute(sql: "UPDATE player SET score = 7")
            // The score is not known to have changed.
            let narrower = Sheet(["id": player.id, "name": "Barbara"])
            var sql = try db.statements { () throws in #expect(try player.updateChanges(db, from: narrower)) }
            #expect(sql == [#"UPDATE "player" SET "name" = 'Arthur' WHERE "id" = 1"#])
            #expect(try player.databaseChanges(from: narrower) == ["name": "Barbara".databaseValue])
            var scored = player
            scored.score = 8
            sql = try db.statements { () throws in #expect(try scored.updateChanges(db, from: narrower)) }
            #expect(sql == [#"UPDATE "player" SET "name" = 'Arthur', "score" = 8 WHERE "id" = 1"#])
        }
        #expect(try !Sheet(["a": nil, "b": 1]).databaseEquals(Sheet(["b": 1, "c": nil])))
    }

    @Test
    func `A record as a dictionary: of a column that is set twice the last value counts`() throws {
        let dictionary = try Sheet(["a": 1, "b": nil, "A": 2]).databaseDictionary
        #expect(dictionary == ["a": 2.databaseValue, "b": .null])
    }

    @Test
    func `A value that can't be stored can't be compared`() throws {
        let sheet = Sheet(["a": UInt64.max])
        #expect(throws: (any Error).self) { try sheet.databaseEquals(Sheet(["a": 1])) }
        #expect(throws: (any Error).self) { try Sheet(["a": 1]).databaseChanges(from: sheet) }
        #expect(throws: (any Error).self) { try sheet.databaseDictionary }
        var other = Sheet(["a": 1])
        #expect(throws: TestError.self) { try other.databaseChanges { _ in throw TestError() } }
    }

    @Test
    func `Only what has changed is updated`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            let old = player
            try db.expect([]) { () throws in #expect(try !player.updateChanges(db, from: old)) }
            player.score = 2
            var sql = try db.statements { () throws in #expect(try player.updateChanges(db, from: old)) }
            #expect(sql == [#"UPDATE "player" SET "score" = 2 WHERE "id" = 1"#])
            sql = try db.statements {
                let isChanged = try player.updateChanges(db) {
                    $0.score = 3
                    $0.name = $0.name.uppercased()
                }
                #expect(isChanged)
            }
            #expect(sql == [#"UPDATE "player" SET "name" = 'ARTHUR', "score" = 3 WHERE "id" = 1"#])
            #expect(player.name == "ARTHUR")
            // A constant.
            let constant = player
            #expect(try constant.updateChanges(db) { $0.score = 4 })
            #expect(try constant.updateChanges(db, from: old))
            #expect(try db.rows("SELECT * FROM player") == ["1 'ARTHUR' 3"])
            // Another type, of which only the columns count that this one writes.
            #expect(try player.updateChanges(db, from: Sheet(["name": "ARTHUR", "score": 3.0, "id": 1])) == false)
            // A missing row.
            var missing = Player(id: 9, name: "Nobody")
            #expect(throws: RecordError.self) { try missing.updateChanges(db) { $0.score = 1 } }
            #expect(throws: TestError.self) { try missing.updateChanges(db) { _ in throw TestError() } }
            #expect(try player.updateChanges(db, onConflict: .ignore) { $0.id = 1 } == false)
        }
    }

    @Test
    func `Without a change, no transaction begins`() throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            var player = try Player(name: "Arthur", score: 1).inserted(db)
            try db.expect([]) { try player.updateChanges(db) { _ in } }
            let sql = try db.statements { try player.updateChanges(db) { $0.score = 2 } }
            #expect(sql.count == 3)
            #expect(sql.last == "COMMIT TRANSACTION")
        }
    }

    @Test
    func `What willUpdate changes is a change, too`() throws {
        struct Stamped: MutablePersistableRecord {
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var score = 0
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
                container["score"] = score
            }
            mutating func willUpdate(_ db: Database, columns: Set<String>) {
                #expect(columns == ["name"])
                score += 1
            }
            func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
                #expect(columns == ["name", "score"])
                _ = try update()
            }
        }
        try withDatabase(Player.createTable) { db throws in
            var player = Stamped(id: 1, name: "Arthur")
            try player.insert(db)
            #expect(try player.updateChanges(db) { $0.name = "Barbara" })
            #expect(player.score == 1)
            #expect(try db.rows("SELECT * FROM player") == ["1 'Barbara' 1"])
            #expect(try !player.updateChanges(db) { _ in })
            #expect(player.score == 1)
        }
    }

    @Test
    func `Updates of many sets of columns`() throws {
        let names = (0..<6).map { "c\($0)" }
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))") { db throws in
            var sheet = Sheet(["id": 1, "c0": 0, "c1": 0, "c2": 0, "c3": 0, "c4": 0, "c5": 0])
            try sheet.insert(db)
            var expected = [Int](repeating: 0, count: 6)
            // More sets than statements are kept, twice.
            for round in 1...2 {
                for mask in 1..<64 {
                    let changed = (0..<6).filter { mask & (1 << $0) != 0 }
                    let isChanged = try sheet.updateChanges(db) { sheet in
                        for column in changed { sheet.columns[column + 1].1 = round * 100 + mask }
                    }
                    #expect(isChanged)
                    for column in changed { expected[column] = round * 100 + mask }
                    #expect(try db.rows("SELECT * FROM sheet") == ["1 " + expected.map(\.description).joined(separator: " ")])
                    // The same set again, by names in another case.
                    try sheet.update(db, columns: changed.map { "C\($0)" })
                }
            }
        }
    }
}
