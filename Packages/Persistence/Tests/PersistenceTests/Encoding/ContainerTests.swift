import Foundation
import Persistence
import Testing

@Suite struct ContainerTests {
    @Test
    func `A column that is set twice has the last value, whatever the case of its name`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            var records = [
                Sheet(["a": 1, "b": 2, "A": 3]),
                Sheet(["a": 1, "b": 2, "A": 3]),
                Sheet(["a": 1, "a": 2, "b": 4]),
                Sheet(["a": 1, "A": "a text that is longer than a small one", "a": "another text, which is just as long"]),
                Sheet(["a": UInt64.max, "b": 1, "a": 5]),
            ]
            for index in records.indices { try records[index].insert(db) }
            #expect(
                try db.rows("SELECT * FROM sheet") == [
                    "3 2 NULL", "3 2 NULL", "2 4 NULL", "'another text, which is just as long' NULL NULL", "5 1 NULL",
                ])
        }
    }

    @Test
    func `Records can encode other columns, in another order, than the record before`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            let records = [
                Sheet(["a": 1, "b": 2, "c": 3]),
                Sheet(["a": 4, "b": 5]),
                Sheet(["a": 6]),
                Sheet(["c": 7, "b": 8, "a": 9]),
                Sheet(["b": "ten", "a": "eleven, which is written with more letters"]),
                Sheet([:]),
                Sheet(["a": 12, "b": 13, "c": 14]),
                Sheet(["B": 15, "A": 16]),
                Sheet(["a": 17, "c": 18]),
                Sheet(["a": 19, "b": 20]),
            ]
            for var record in records { try record.insert(db) }
            #expect(
                try db.rows("SELECT * FROM sheet") == [
                    "1 2 3", "4 5 NULL", "6 NULL NULL", "9 8 7", "'eleven, which is written with more letters' 'ten' NULL",
                    "NULL NULL NULL", "12 13 14", "16 15 NULL", "17 NULL 18", "19 20 NULL",
                ])
        }
    }

    @Test
    func `Records of any columns in any order are written as they are, a thousand times`() throws {
        var generator = SeededGenerator(seed: 42)
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b, c, d)") { db throws in
            var expected: [String] = []
            for id in 1...1000 {
                // Most records are like the one before.
                let names = ["a", "b", "c", "d"]
                let count = Int.random(in: 0...9, using: &generator)
                let columns = count < 5 ? names : names.shuffled(using: &generator).prefix(count - 5).map { $0 }
                let values = columns.map { "\($0)\(String(repeating: "x", count: Int.random(in: 0...20, using: &generator)))" }
                var record = Sheet(["id": id])
                record.columns += zip(columns, values).map { ($0, $1) }
                if Int.random(in: 0...9, using: &generator) == 0 {
                    record.error = TestError()
                    #expect(throws: TestError.self) { try record.insert(db) }
                    continue
                }
                switch Int.random(in: 0...9, using: &generator) {
                case 0:
                    try db.execute(sql: "INSERT INTO sheet (id) VALUES (?)", arguments: [id])
                    if columns.isEmpty { try record.insert(db, onConflict: .replace) } else { try record.update(db) }
                case 1:
                    try record.save(db)
                default:
                    try record.insert(db)
                }
                let row = names.map { name in columns.firstIndex(of: name).map { "'\(values[$0])'" } ?? "NULL" }
                expected.append("\(id) " + row.joined(separator: " "))
            }
            let rows = try db.rows("SELECT * FROM sheet")
            #expect(rows == expected)
        }
    }

    @Test
    func `Updates, deletions and questions of existence see other columns, too`() throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b); INSERT INTO sheet VALUES (1, 1, 1), (2, 2, 2)") { db throws in
            var records = [
                Sheet(["id": 1, "a": 10, "b": 11]),
                Sheet(["b": 20, "id": 2]),
                Sheet(["id": 1, "a": 12]),
                Sheet(["id": 2, "a": 22, "b": 23]),
                Sheet(["id": 1]),
            ]
            for index in records.indices {
                try records[index].update(db)
                #expect(try records[index].exists(db))
            }
            #expect(try db.rows("SELECT * FROM sheet") == ["1 12 11", "2 22 23"])
            #expect(try !Sheet(["a": 1, "id": 3]).exists(db))
            #expect(try Sheet(["a": 1, "id": 2]).delete(db))
            #expect(try Sheet(["id": 1, "a": 2]).delete(db))
            #expect(try db.rows("SELECT * FROM sheet") == [])
        }
    }

    @Test
    func `A record whose encoding fails is not written, and leaves nothing behind for the next one`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            func insert(_ record: Sheet) throws {
                var record = record
                try record.insert(db)
            }
            try insert(Sheet(["a": 1, "b": 2]))
            try insert(Sheet(["a": 3, "b": 4]))
            // It has encoded one column, and then a column other than the record before.
            #expect(throws: TestError.self) { try insert(Sheet(["a": 5, "c": 6], error: TestError())) }
            try insert(Sheet(["a": 7, "c": 8]))
            #expect(throws: TestError.self) { try insert(Sheet(["a": 9], error: TestError())) }
            try insert(Sheet(["a": 10]))
            #expect(throws: TestError.self) { try insert(Sheet([:], error: TestError())) }
            try insert(Sheet([:]))
            try insert(Sheet(["a": 11, "b": 12]))
            #expect(
                try db.rows("SELECT * FROM sheet")
                    == ["1 2 NULL", "3 4 NULL", "7 NULL 8", "10 NULL NULL", "NULL NULL NULL", "11 12 NULL"])
        }
    }

    @Test
    func `A value that SQLite can't hold is an error, which leaves nothing behind for the next record`() throws {
        try withDatabase("CREATE TABLE sheet (a, b)") { db throws in
            func insert(_ record: Sheet) throws {
                var record = record
                try record.insert(db)
            }
            for _ in 0..<2 {
                try insert(Sheet(["a": UInt64(Int64.max), "b": 1]))
                let error = #expect(throws: (any Error).self) { try insert(Sheet(["a": UInt64(Int64.max) + 1, "b": 2])) }
                #expect((error as? DatabaseError)?.expandedDescription.contains("9223372036854775808") == true)
                #expect(throws: (any Error).self) { try insert(Sheet(["a": 1, "b": UInt64.max])) }
                #expect(throws: (any Error).self) { try insert(Sheet(["b": Date.distantFuture, "a": Decimal.nan])) }
                try insert(Sheet(["a": 3, "b": 4]))
            }
            let rows = ["9223372036854775807 1", "3 4"]
            #expect(try db.rows("SELECT * FROM sheet") == rows + rows)
        }
    }

    @Test
    func `NaN is NULL, and infinity a REAL`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            for _ in 0..<2 {
                var record = Sheet(["a": Double.nan, "b": Double.infinity, "c": -0.0])
                try record.insert(db)
            }
            #expect(try db.rows("SELECT typeof(a), b > 1e308, typeof(c) FROM sheet") == ["'null' 1 'real'", "'null' 1 'real'"])
        }
    }

    @Test
    func `A record can insert another record of its type while it is encoded`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            for number in 1...3 {
                let inner = Sheet(["a": "inner \(number), as a text that is not small", "c": number])
                let middle = Sheet(["a": "middle \(number)", "b": number]) { _ in
                    var inner = inner
                    try inner.insert(db)
                }
                var outer = Sheet(["b": "outer \(number), as a text that is not small"]) { container in
                    var middle = middle
                    try middle.insert(db)
                    container["c"] = "outer"
                }
                try outer.insert(db)
            }
            #expect(
                try db.rows("SELECT * FROM sheet")
                    == (1...3).flatMap {
                        [
                            "'inner \($0), as a text that is not small' NULL \($0)", "'middle \($0)' \($0) NULL",
                            "NULL 'outer \($0), as a text that is not small' 'outer'",
                        ]
                    })
        }
    }

    /// A record that writes others in the middle of its encoding.
    private struct Part: PersistableRecord {
        var id: Int64
        var text: String
        var write: () throws -> Void = {}

        func encode(to container: inout PersistenceContainer) throws {
            container["id"] = id
            try write()
            container["text"] = text
        }
    }

    @Test
    func `A record can write another record of its type with the same statement while it is encoded`() throws {
        func part(_ id: Int64, _ text: String = "", write: @escaping () throws -> Void = {}) -> Part {
            Part(id: id, text: "\(text) of part \(id), as a text that is not small", write: write)
        }
        try withDatabase("CREATE TABLE part (id INTEGER PRIMARY KEY, text TEXT)") { db throws in
            func texts(_ ids: ClosedRange<Int>) throws -> [String] {
                try db.rows("SELECT id, text FROM part WHERE id BETWEEN \(ids.lowerBound) AND \(ids.upperBound)")
            }
            func expected(_ texts: KeyValuePairs<Int, String>) -> [String] {
                texts.map { "\($0.key) '\($0.value) of part \($0.key), as a text that is not small'" }
            }
            for id in 1...9 { try part(Int64(id), "First").insert(db) }

            try part(11, "Outer") { try part(12, "Middle") { try part(13, "Inner").insert(db) }.insert(db) }.insert(db)
            #expect(try texts(11...13) == expected([11: "Outer", 12: "Middle", 13: "Inner"]))

            try part(1, "Known").update(db)
            try part(1, "Outer") {
                try part(2, "Second").update(db)
                try part(3, "Third").update(db)
            }.update(db)
            #expect(try texts(1...3) == expected([1: "Outer", 2: "Second", 3: "Third"]))

            try part(4, "Saved").save(db)
            try part(4, "Outer") { try part(5, "Inner").save(db) }.save(db)
            try part(6, "Upserted").upsert(db)
            try part(6, "Outer") { try part(7, "Inner").upsert(db) }.upsert(db)
            #expect(try texts(4...7) == expected([4: "Outer", 5: "Inner", 6: "Outer", 7: "Inner"]))

            try part(13).delete(db)
            try part(11, "Outer") { try part(12, "Inner").delete(db) }.delete(db)
            let isThere = try (part(11).exists(db), part(8, "Outer") { _ = try part(12, "Inner").exists(db) }.exists(db))
            #expect(isThere == (false, true))
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM part ORDER BY id") == Array(1...9))
        }
    }

    @Test
    func `A container that a record keeps stays as it was`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            var kept: [PersistenceContainer] = []
            for number in 1...3 {
                var record = Sheet(["a": number, "b": "text number \(number), which is not a small one"]) { container in
                    // In the middle of the encoding, and at its end.
                    kept.append(container)
                    container["c"] = "short \(number)"
                    kept.append(container)
                }
                try record.insert(db)
                var other = Sheet(["a": -number, "b": "other", "c": "other"])
                try other.insert(db)
            }
            #expect(
                kept.map(\.text)
                    == (1...3).flatMap { number in
                        let text = "a: \(number), b: 'text number \(number), which is not a small one'"
                        return [text, text + ", c: 'short \(number)'"]
                    })
            #expect(
                try db.rows("SELECT a, c FROM sheet")
                    == ["1 'short 1'", "-1 'other'", "2 'short 2'", "-2 'other'", "3 'short 3'", "-3 'other'"])
        }
    }

    @Test
    func `Writing to a container that a record keeps changes only that container`() throws {
        try withDatabase("CREATE TABLE sheet (a, b, c)") { db throws in
            var kept: [PersistenceContainer] = []
            for number in 1...4 {
                var record = Sheet(["a": number]) { container in
                    kept.append(container)
                    container["b"] = "b\(number)"
                    // Where the record itself is still to write.
                    kept[kept.count - 1]["b"] = "kept"
                    container["c"] = "c\(number)"
                }
                try record.insert(db)
                for index in kept.indices { kept[index]["c"] = "later \(number)" }
            }
            #expect(kept.map(\.text) == (1...4).map { "a: \($0), b: 'kept', c: 'later 4'" })
            #expect(try db.rows("SELECT * FROM sheet") == (1...4).map { "\($0) 'b\($0)' 'c\($0)'" })
        }
    }

    @Test
    func `The values that callbacks receive don't change later`() throws {
        struct Keeper: MutablePersistableRecord {
            static let databaseTableName = "sheet"
            var a: String
            var kept: [PersistenceContainer] = []
            func encode(to container: inout PersistenceContainer) {
                container["id"] = 1
                container["a"] = a
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { kept.append(inserted.persistenceContainer) }
        }
        try withDatabase("CREATE TABLE sheet (id INTEGER, a TEXT)") { db throws in
            var kept: [PersistenceContainer] = []
            for number in 1...5 {
                var record = Keeper(a: "number \(number)")
                try record.insert(db)
                kept += record.kept
                // Other records in between, whose containers are not kept.
                for _ in 1...3 { _ = try Keeper(a: "other").inserted(db) }
                try kept[0]["id"].map { (id: Int) in try #require(id == 1) }
            }
            #expect(kept.map(\.text) == (1...5).map { "id: 1, a: 'number \($0)'" })
            #expect(try db.rows("SELECT a FROM sheet WHERE a LIKE 'number%'") == (1...5).map { "'number \($0)'" })
        }
    }

    @Test(arguments: [
        "", "a", "123456789012345", "1234567890123456", "12345678901234567", "\0", "a\0b", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "éééééééé", "日本語のテキスト", "👩‍👩‍👧‍👦", "e\u{301}", String(repeating: "é", count: 1000),
    ])
    func `Texts of all lengths are written whole`(text: String) throws {
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a, b)") { db throws in
            // Alternating, so that each string is bound in place of the other one.
            for id in 1...6 {
                var record = Sheet(["id": id, "a": id % 2 == 0 ? text : "other", "b": text])
                try record.insert(db)
            }
            for id in 1...6 {
                let row = try #require(try Row.fetchOne(db, sql: "SELECT a, b, typeof(b) FROM sheet WHERE id = ?", arguments: [id]))
                let a: String = row[0]
                let b: String = row[1]
                #expect(Array(a.utf8) == Array((id % 2 == 0 ? text : "other").utf8))
                #expect(Array(b.utf8) == Array(text.utf8))
                #expect(row[2] == "text")
            }
            for id in 1...2 {
                var record = Sheet(["id": id, "a": text + "'", "b": text])
                try record.update(db)
            }
            let updated = try String.fetchAll(db, sql: "SELECT a FROM sheet WHERE id < 3")
            #expect(updated.allSatisfy { Array($0.utf8) == Array((text + "'").utf8) })
        }
    }

    @Test
    func `A text of ten megabytes is written whole`() throws {
        let text = String(repeating: "0123456789", count: 1_000_000)
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, a TEXT)") { db throws in
            for id in 1...2 {
                var record = Sheet(["id": id, "a": text])
                try record.insert(db)
            }
            let read = try String.fetchAll(db, sql: "SELECT a FROM sheet")
            #expect(read.map { $0 == text } == [true, true])
        }
    }

    @Test
    func `Texts that Foundation has made are written like others`() throws {
        try withDatabase("CREATE TABLE sheet (a, b)") { db throws in
            for _ in 1...2 {
                let text = NSString(string: "a text by Foundation, which is not a small one") as String
                var record = Sheet(["a": text, "b": String("prefix of a longer text, and the rest".prefix(24))])
                try record.insert(db)
            }
            let row = "'a text by Foundation, which is not a small one' 'prefix of a longer text,'"
            #expect(try db.rows("SELECT * FROM sheet") == [row, row])
        }
    }

    @Test
    func `Values of all types are written`() throws {
        let uuid = UUID()
        try withDatabase("CREATE TABLE sheet (a, b)") { db throws in
            let values: [(any DatabaseValueConvertible)?] = [
                true, 1, Int8(-1), UInt64(1), 1.5, Float(0.5), "text", Data([0, 1]), Date(timeIntervalSince1970: 0.5), uuid,
                URL(string: "https://example.com/a?b=c"), Decimal(string: "123456789012345678901234567890.5"), nil, DatabaseValue.null,
            ]
            for value in values {
                var record = Sheet(["a": value, "b": value])
                try record.insert(db)
            }
            #expect(
                try db.rows("SELECT a FROM sheet WHERE a IS b") == [
                    "1", "1", "-1", "1", "1.5", "0.5", "'text'", "x'0001'", "'1970-01-01 00:00:00.500'",
                    uuid.databaseValue.sqlLiteral, "'https://example.com/a?b=c'", "'123456789012345678901234567890.5'", "NULL", "NULL",
                ])
        }
    }

    @Test
    func `A container can be read, by name and as a collection`() {
        var container = PersistenceContainer()
        container["name"] = "Arthur"
        container[Column("score")] = 1000
        container["NAME"] = "Barbara"
        container["nothing"] = nil as Int?
        #expect(container["Name"] == "Barbara")
        #expect(container["score"] == 1000)
        #expect((container[Column("score")] as String?) == nil)
        #expect((container["missing"] as Int?) == nil)
        #expect(container.databaseValue(forColumn: "nothing") == .null)
        #expect(container.databaseValue(forColumn: "missing") == nil)
        #expect(container.map(\.0) == ["name", "score", "nothing"])
        #expect(container.text == "name: 'Barbara', score: 1000, nothing: NULL")

        var copy = container
        copy["score"] = 0
        copy["extra"] = true
        #expect(container.text == "name: 'Barbara', score: 1000, nothing: NULL")
        #expect(copy.text == "name: 'Barbara', score: 0, nothing: NULL, extra: 1")
    }

    @Test
    func `A record is converted to a dictionary`() throws {
        let dictionary = try Player(id: 1, name: "Arthur").databaseDictionary
        #expect(dictionary == ["id": 1.databaseValue, "name": "Arthur".databaseValue, "score": .null])
        #expect(throws: (any Error).self) { try Sheet(["a": UInt64.max]).databaseDictionary }
    }

    @Test
    func `More columns than the memory has room for at first`() throws {
        let names = (0..<100).map { "c\($0)" }
        try withDatabase("CREATE TABLE sheet (\(names.joined(separator: ", ")))") { db throws in
            for number in 1...3 {
                var record = Sheet([:])
                record.columns = names.map { ($0, "\($0) in record \(number), not small") }
                try record.insert(db)
            }
            #expect(try db.rows("SELECT c0, c99 FROM sheet").last == "'c0 in record 3, not small' 'c99 in record 3, not small'")
        }
    }
}
