import Foundation
import Persistence
import Testing

/// A unique index can contain NULL many times, and so can a primary key that is not the row ID. A key with NULL identifies no row.
@Suite struct NullKeyTests {
    struct Item: PersistableRecord, FetchableRecord, Equatable {
        var code: String?
        var a: Int?
        var b: Int?
        var name: String

        init(code: String? = nil, a: Int? = nil, b: Int? = nil, name: String) {
            (self.code, self.a, self.b, self.name) = (code, a, b, name)
        }

        init(row: Row) throws {
            (code, a, b, name) = (
                try row.decode(forKey: "code"), try row.decode(forKey: "a"), try row.decode(forKey: "b"), try row.decode(forKey: "name")
            )
        }

        func encode(to container: inout PersistenceContainer) {
            container["code"] = code
            container["a"] = a
            container["b"] = b
            container["name"] = name
        }
    }

    static let rows = ["NULL NULL NULL 'x'", "NULL 1 NULL 'y'", "NULL NULL 1 'z'", "'c' 1 1 'c'"]

    static let schema = """
        CREATE TABLE item (code TEXT PRIMARY KEY, a INTEGER, b INTEGER, name TEXT NOT NULL, UNIQUE (a, b));
        INSERT INTO item VALUES (NULL, NULL, NULL, 'x'), (NULL, 1, NULL, 'y'), (NULL, NULL, 1, 'z'), ('c', 1, 1, 'c');
        """

    /// Expects that all rows are as they were.
    private func withRows(_ body: (Database) throws -> Void) throws {
        try withDatabase(Self.schema) { db throws in
            try body(db)
            #expect(try db.rows("SELECT * FROM item") == Self.rows)
        }
    }

    static let keys: [[String: Int?]] = [["a": nil, "b": nil], ["a": 1, "b": nil], ["a": nil, "b": 1]]

    @Test(arguments: keys.map { $0 as [String: (any DatabaseValueConvertible & Sendable)?] } + [["code": nil]])
    func `Keys that are given by their columns`(sendableKey: [String: (any DatabaseValueConvertible & Sendable)?]) throws {
        let key = sendableKey.mapValues { $0 as (any DatabaseValueConvertible)? }
        try withRows { db throws in
            #expect(try !Item.deleteOne(db, key: key))
            #expect(try Item.deleteAll(db, keys: [key, key]) == 0)
            #expect(try Item.fetchOne(db, key: key) == nil)
            #expect(try Item.fetchAll(db, keys: [key]).isEmpty)
            #expect(try Item.fetchAll(db, keys: [key, ["code": "c"]]).map(\.name) == ["c"])
            #expect(try Item.filter(key: key).fetchCount(db) == 0)
            #expect(try Item.filter(key: key).updateAll(db, Column("name").set(to: "")) == 0)
            #expect(try !Item.exists(db, key: key))
            #expect(try !Table<Item>("item").deleteOne(db, key: key))
            #expect(try Table<Item>("item").deleteAll(db, keys: [key]) == 0)
            #expect(try !Table<Item>("item").exists(db, key: key))
            #expect(throws: RecordError.self) { try Item.find(db, key: key) }
        }
    }

    @Test
    func `Keys that are values`() throws {
        try withRows { db throws in
            let none: String? = nil
            #expect(try !Item.deleteOne(db, key: none))
            #expect(try Item.deleteAll(db, keys: [none, none]) == 0)
            #expect(try Item.deleteAll(db, keys: [none]) == 0)
            #expect(try Item.fetchOne(db, key: none) == nil)
            #expect(try Item.fetchAll(db, keys: [none, "c"]).count == 1)
            #expect(try Item.filter(key: none).fetchCount(db) == 0)
            #expect(try !Item.exists(db, key: none))
            #expect(throws: RecordError.self) { try Item.find(db, key: none) }
        }
    }

    @Test
    func `Records whose primary key is NULL have no row`() throws {
        try withRows { db throws in
            let item = Item(name: "x")
            #expect(try !item.exists(db))
            #expect(try !item.delete(db))
            #expect(try [item, item].deleteAll(db) == 0)
            #expect(throws: RecordError.self) { try item.update(db) }
            #expect(throws: RecordError.self) { try item.updateAndFetch(db) }
            #expect(throws: RecordError.self) { try item.updateChanges(db, from: Item(name: "w")) }
            #expect(throws: RecordError.self) { try [item].updateAll(db) }
        }
    }

    @Test
    func `A key that a strategy encodes as NULL matches no row`() throws {
        struct Item: PersistableRecord, FetchableRecord {
            init(row: Row) {}
            func encode(to container: inout PersistenceContainer) {}
            static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .custom { _ in nil } }
        }
        try withRows { db throws in
            let date = Date()
            #expect(try Item.fetchOne(db, key: date) == nil)
            #expect(try Item.fetchOne(db, key: ["code": date]) == nil)
            #expect(try !Item.deleteOne(db, key: ["code": date]))
            #expect(try Item.fetchAll(db, keys: [date, date]).isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `Insertions and upserts with NULL in the key insert another row, and return that one`(hasTrigger: Bool) throws {
        let trigger = "CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE item SET name = name || '!' WHERE rowid = new.rowid; END;"
        try withDatabase(Self.schema + (hasTrigger ? trigger : "")) { db throws in
            let end = hasTrigger ? "!" : ""
            #expect(try Item(name: "new").insertAndFetch(db).name == "new" + end)
            #expect(try Item(name: "upserted").upsertAndFetch(db).name == "upserted" + end)
            #expect(try Item(a: 1, name: "again").upsertAndFetch(db, onConflict: ["a", "b"]).name == "again" + end)
            try Item(name: "saved").save(db)
            #expect(try Item.fetchCount(db) == 8)
            #expect(try Item(code: "c", a: 1, b: 1, name: "d").upsertAndFetch(db, onConflict: ["code"]).name == "d")
            #expect(try Item.fetchCount(db) == 8)
        }
    }

    @Test
    func `A table WITHOUT ROWID holds NULL in unique indexes only`() throws {
        struct Word: PersistableRecord {
            var id: Int?
            var text: String?
            func encode(to container: inout PersistenceContainer) { (container["id"], container["text"]) = (id, text) }
        }
        try withDatabase(
            "CREATE TABLE word (id INTEGER PRIMARY KEY, text UNIQUE) WITHOUT ROWID; INSERT INTO word VALUES (1, NULL), (2, NULL)"
        ) {
            db throws in
            #expect(try !Word.deleteOne(db, key: ["text": nil]))
            #expect(try !Word(id: nil, text: nil).delete(db))
            #expect(try !Word(id: nil, text: nil).exists(db))
            #expect(try Word.filter(Column("text") == nil).deleteAll(db) == 2)
        }
    }
}
