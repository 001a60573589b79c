import Foundation
import Persistence
import Testing

// Records are compared with their earlier values, and only changed values are written, whatever happens in between.

/// A record whose callbacks do what the test defines. It is an object, which callbacks can change.
private final class Mutable: PersistableRecord {
    static let databaseTableName = "player"

    var id: Int64
    var name: String
    var score: Int
    var onWillSave: ((Mutable, Database) throws -> Void)?
    var onWillUpdate: ((Mutable, Database, Set<String>) throws -> Void)?
    var onAroundUpdate: ((Mutable, Database, Set<String>) throws -> Void)?
    var onDidUpdate: ((Mutable, PersistenceSuccess) -> Void)?

    init(id: Int64 = 1, name: String = "Arthur", score: Int = 0) {
        self.id = id
        self.name = name
        self.score = score
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }

    func willSave(_ db: Database) throws { try onWillSave?(self, db) }

    func willUpdate(_ db: Database, columns: Set<String>) throws { try onWillUpdate?(self, db, columns) }

    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        try onAroundUpdate?(self, db, columns)
        _ = try update()
    }

    func didUpdate(_ updated: PersistenceSuccess) { onDidUpdate?(self, updated) }
}

/// A sheet whose table computes a column.
private struct Computed: MutablePersistableRecord {
    static let databaseTableName = "sheet"
    static let createTable = "CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b, double AS (a * 2))"

    var id: Int64
    var a: Int
    var b: Int
    var double: Int

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["a"] = a
        container["double"] = double
        container["b"] = b
    }
}

@Suite struct UpdateChangesTests {
    @Test
    func `Changes of any callback are written, if it is called before the columns are known, or changes one of them`() throws {
        try withDatabase(Player.createTable) { db throws in
            let record = Mutable()
            try record.insert(db)
            var columns: [Set<String>] = []
            record.onWillUpdate = { columns.append($2) }
            record.onAroundUpdate = { columns.append($2) }

            // Several times, as plans are made the first time.
            for round in 1...3 {
                record.onWillSave = { record, _ in record.score = round }
                try db.expect([#"UPDATE "player" SET "name" = 'Barbara \#(round)', "score" = \#(round) WHERE "id" = 1"#]) {
                    try record.updateChanges(db) { $0.name = "Barbara \(round)" }
                }
                #expect(columns == [["name"], ["name", "score"]])
                columns = []
            }
            record.onWillSave = nil
            for round in 1...3 {
                record.onWillUpdate = { record, _, _ in record.name += "!" }
                try db.expect([#"UPDATE "player" SET "name" = '\#(record.name)!', "score" = \#(10 + round) WHERE "id" = 1"#]) {
                    try record.updateChanges(db) { $0.score = 10 + round }
                }
                #expect(columns == [["name", "score"]])
                columns = []
            }
            record.onWillUpdate = nil
            for round in 1...3 {
                record.onAroundUpdate = { record, _, _ in record.score *= 100 }
                try db.expect([#"UPDATE "player" SET "score" = \#(2000 + round * 100) WHERE "id" = 1"#]) {
                    try record.updateChanges(db) { $0.score = 20 + round }
                }
            }
            // What a callback takes back has been a change all the same.
            record.onAroundUpdate = nil
            record.onWillUpdate = { record, _, _ in record.score = 0 }
            try db.execute(sql: "UPDATE player SET score = 0")
            record.score = 0
            try db.expect([#"UPDATE "player" SET "score" = 0 WHERE "id" = 1"#]) { try record.updateChanges(db) { $0.score = 1 } }
        }
    }

    @Test
    func `Callbacks may update other records of the type, and the same one`() throws {
        try withDatabase(Player.createTable) { db throws in
            let inner = Mutable(id: 2, name: "Inner")
            try inner.insert(db)
            let record = Mutable()
            try record.insert(db)
            for round in 1...3 {
                record.onWillSave = { _, db in try inner.updateChanges(db) { $0.score += 1 } }
                record.onWillUpdate = { _, db, _ in try inner.updateChanges(db) { $0.name = "Inner \(round)" } }
                record.onAroundUpdate = { _, db, _ in try inner.updateChanges(db) { $0.score += 10 } }
                var container: PersistenceContainer?
                record.onDidUpdate = { container = $1.persistenceContainer }
                #expect(try record.updateChanges(db) { $0.score = round })
                #expect(container?.text == "id: 1, name: 'Arthur', score: \(round)")
                #expect(
                    try db.rows("SELECT * FROM player ORDER BY id") == ["1 'Arthur' \(round)", "2 'Inner \(round)' \(11 * round)"])
            }
            // A record that writes itself again, once.
            record.onWillSave = nil
            record.onWillUpdate = nil
            record.onAroundUpdate = { record, db, _ in
                record.onAroundUpdate = nil
                try record.updateChanges(db) { $0.name = "Arthur again" }
            }
            #expect(try record.updateChanges(db) { $0.score = 5 })
            #expect(try db.rows("SELECT * FROM player WHERE id = 1") == ["1 'Arthur again' 5"])
        }
    }

    @Test
    func `A container that a program keeps is not changed by the records that follow`() throws {
        struct Keeping: MutablePersistableRecord {
            final class Kept { var containers: [PersistenceContainer] = [] }
            static let databaseTableName = "player"
            var id: Int64
            var name: String
            var kept = Kept()
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            func didUpdate(_ updated: PersistenceSuccess) { kept.containers.append(updated.persistenceContainer) }
        }
        try withDatabase(Player.createTable) { db throws in
            var record = Keeping(id: 1, name: "Arthur")
            try record.insert(db)
            for round in 1...4 {
                #expect(try record.updateChanges(db) { $0.name = "A name of some length, \(round)" })
            }
            #expect(record.kept.containers.map(\.text) == (1...4).map { "id: 1, name: 'A name of some length, \($0)'" })
        }
    }

    @Test
    func `Records that change in different columns, one after the other`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = try Player(name: "A name that is held elsewhere", score: 0).inserted(db)
            for round in 1...3 {
                let name = "Another name of some length, \(round)"
                try db.expect([#"UPDATE "player" SET "name" = '\#(name)' WHERE "id" = 1"#]) {
                    try player.updateChanges(db) { $0.name = name }
                }
                try db.expect([#"UPDATE "player" SET "score" = \#(round) WHERE "id" = 1"#]) {
                    try player.updateChanges(db) { $0.score = round }
                }
                try db.expect([]) { try player.updateChanges(db) { $0.name = String(Array(name)) } }
                try db.expect([#"UPDATE OR IGNORE "player" SET "score" = NULL WHERE "id" = 1"#]) {
                    try player.updateChanges(db, onConflict: .ignore) { $0.score = nil }
                }
                try db.expect([#"UPDATE "player" SET "name" = '\#(name)!', "score" = 1 WHERE "id" = 1"#]) {
                    try player.updateChanges(db) {
                        $0.name += "!"
                        $0.score = 1
                    }
                }
            }
        }
    }

    @Test
    func `The call decides how a conflict is resolved, and an unchanged row is not an error`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try Player(id: 1, name: "Arthur").inserted(db)
            var player = try Player(id: 2, name: "Barbara").inserted(db)
            let barbara = player
            for _ in 1...3 {
                player.name = "Arthur"
                let error = #expect(throws: DatabaseError.self) { try player.updateChanges(db, from: barbara) }
                #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
                #expect(try player.updateChanges(db, onConflict: .ignore, from: barbara))
                #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur'", "2 'Barbara'"])
            }
            #expect(try player.updateChanges(db, onConflict: .replace, from: barbara))
            #expect(try db.rows("SELECT id, name FROM player") == ["2 'Arthur'"])
        }
    }

    @Test
    func `A row that is not there is an error each time, with its key`() throws {
        try withDatabase(Player.createTable) { db throws in
            var player = Player(id: 9, name: "Nobody")
            for score in 1...3 {
                let error = #expect(throws: RecordError.self) { try player.updateChanges(db) { $0.score = score } }
                guard case .recordNotFound("player", ["id": 9.databaseValue]) = error else {
                    Issue.record("another error: \(String(describing: error))")
                    return
                }
            }
            var keyless = Player(name: "Nobody")
            #expect(throws: RecordError.self) { try keyless.updateChanges(db) { $0.score = 1 } }
        }
    }

    @Test
    func `A change of only a generated column is not a change`() throws {
        try withDatabase(Computed.createTable) { db throws in
            var sheet = Computed(id: 1, a: 1, b: 1, double: 2)
            try sheet.insert(db)
            for round in 2...4 {
                try db.expect([]) { try sheet.updateChanges(db) { $0.double = 100 + round } }
                try db.expect([#"UPDATE "sheet" SET "a" = \#(round) WHERE "id" = 1"#]) {
                    try sheet.updateChanges(db) {
                        $0.a = round
                        $0.double = round * 2
                    }
                }
                try db.expect([#"UPDATE "sheet" SET "a" = 0, "b" = \#(round) WHERE "id" = 1"#]) {
                    try sheet.updateChanges(db) {
                        $0.a = 0
                        $0.b = round
                    }
                }
            }
            #expect(try db.rows("SELECT * FROM sheet") == ["1 0 4 0"])
        }
    }

    @Test
    func `A change of the schema between two updates is noticed`() throws {
        try withDatabase(Computed.createTable) { db throws in
            var sheet = Computed(id: 1, a: 1, b: 1, double: 2)
            try sheet.insert(db)
            for round in 1...2 {
                #expect(try sheet.updateChanges(db) { $0.a = 10 + round })
                #expect(try !sheet.updateChanges(db) { $0.double = 20 + round })
            }
            // The columns exchange their roles, and the key is another column.
            try db.execute(sql: "DROP TABLE sheet; CREATE TABLE sheet (b PRIMARY KEY, id, double, a AS (id * 100))")
            try db.execute(sql: "INSERT INTO sheet VALUES (1, 1, 2)")
            for round in 1...2 {
                #expect(try !sheet.updateChanges(db) { $0.a = 20 + round })
                try db.expect([#"UPDATE "sheet" SET "double" = \#(30 + round) WHERE "b" = 1"#]) {
                    try sheet.updateChanges(db) { $0.double = 30 + round }
                }
            }
            #expect(try db.rows("SELECT * FROM sheet") == ["1 1 32 100"])
        }
    }

    @Test
    func `Records that encode different columns take turns`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b, c)") { db throws in
            try db.execute(sql: "INSERT INTO sheet VALUES (1, 0, 0, 0)")
            for round in 1...3 {
                var sheet = Sheet(["id": 1, "a": 0, "b": 0])
                try db.expect([#"UPDATE "sheet" SET "b" = \#(round) WHERE "id" = 1"#]) {
                    try sheet.updateChanges(db) { $0.columns[2].1 = round }
                }
                sheet = Sheet(["c": 0, "b": 0, "id": 1])
                try db.expect([#"UPDATE "sheet" SET "c" = \#(round) WHERE "id" = 1"#]) {
                    try sheet.updateChanges(db) { $0.columns[0].1 = round }
                }
                // The earlier record has other columns, in another order, and their names in another case.
                try db.expect([#"UPDATE "sheet" SET "c" = \#(round), "b" = 0 WHERE "id" = 1"#]) {
                    try sheet.updateChanges(db, from: Sheet(["ID": 1, "a": 0, "B": 7, "d": 0]))
                }
                try db.expect([]) { try sheet.updateChanges(db, from: Sheet(["B": 0, "C": Double(round), "Id": 1])) }
                // A column that is set twice counts with its last value.
                try db.expect([#"UPDATE "sheet" SET "b" = 1 WHERE "id" = 1"#]) {
                    try Sheet(["id": 1, "b": 0, "a": 1, "B": 1]).updateChanges(db, from: Sheet(["id": 1, "b": 0, "a": 1]))
                }
            }
        }
    }

    @Test
    func `A record may have more columns than an integer has bits`() throws {
        let names = (0..<70).map { "c\($0)" }
        struct Wide: MutablePersistableRecord {
            var values: [Int]
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                for (index, value) in values.enumerated() { container["c\(index)"] = value }
            }
        }
        try withDatabase("CREATE TABLE wide (id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))") { db throws in
            var wide = Wide(values: [Int](repeating: 0, count: 70))
            try wide.insert(db)
            for round in 1...3 {
                try db.expect([#"UPDATE "wide" SET "c5" = \#(round), "c69" = \#(round) WHERE "id" = 1"#]) {
                    try wide.updateChanges(db) {
                        $0.values[5] = round
                        $0.values[69] = round
                    }
                }
                try db.expect([]) { try wide.updateChanges(db) { _ in } }
            }
        }
    }

    @Test
    func `Values are compared as SQLite stores them`() throws {
        let long = "A text that is longer than fifteen bytes"
        let equal: [(any DatabaseValueConvertible)?] = [nil, 1, 1.5, Double.nan, "text", long, Data([1, 2, 3]), Data()]
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a)") { db throws in
            try db.execute(sql: "INSERT INTO sheet (id) VALUES (1)")
            func isChange(_ value: (any DatabaseValueConvertible)?, _ other: (any DatabaseValueConvertible)?) throws -> Bool {
                try Sheet(["id": 1, "a": value]).updateChanges(db, from: Sheet(["id": 1, "a": other]))
            }
            for (index, value) in equal.enumerated() {
                #expect(try !isChange(value, value))
                for other in equal[(index + 1)...] {
                    // What is not a number is stored as NULL.
                    let isNull = value == nil && (other as? Double)?.isNaN == true
                    #expect(try isChange(value, other) == !isNull)
                    #expect(try isChange(other, value) == !isNull)
                }
            }
            #expect(try !isChange(1, 1.0))
            #expect(try !isChange(true, 1))
            #expect(try isChange(Int64.max, Double(Int64.max)))
            #expect(try !isChange(long, String(Array(long))))
            #expect(try isChange(long, long.uppercased()))
            // Swift holds these two for equal, and they have as many bytes.
            #expect(try isChange("a\u{301}\u{323}, and some more", "a\u{323}\u{301}, and some more"))
            #expect(try isChange("\u{e9}", "e\u{301}"))
        }
    }

    @Test
    func `The errors of encoding are thrown, and later updates are right`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a)") { db throws in
            try db.execute(sql: "INSERT INTO sheet VALUES (1, 0)")
            var sheet = Sheet(["id": 1, "a": 0])
            for round in 1...3 {
                sheet.columns[1].1 = 0
                #expect(throws: TestError.self) { try sheet.updateChanges(db) { $0.error = TestError() } }
                sheet.error = nil
                #expect(throws: (any Error).self) { try sheet.updateChanges(db) { $0.columns[1].1 = UInt64.max } }
                #expect(throws: (any Error).self) { try sheet.updateChanges(db) { $0.columns[1].1 = 1 } }
                #expect(throws: TestError.self) { try Sheet([:]).updateChanges(db, from: Sheet([:], error: TestError())) }
                sheet.columns[1].1 = 0
                #expect(try sheet.updateChanges(db) { $0.columns[1].1 = round })
                #expect(try db.rows("SELECT a FROM sheet") == ["\(round)"])
            }
        }
    }
}
