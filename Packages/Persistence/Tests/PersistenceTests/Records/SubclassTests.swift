import Persistence
import Testing

/// A record whose subclasses have tables, policies and columns of their own. It has no table itself.
private class Shape: PersistableRecord, FetchableRecord {
    class var databaseTableName: String { fatalError("The type of the record was not asked for its table.") }
    class var persistenceConflictPolicy: PersistenceConflictPolicy { fatalError("Nor for its policy.") }
    class var databaseSelection: [any SQLSelectable] { fatalError("Nor for its selection.") }

    var id: Int64?
    var name: String
    var log: [String] = []

    init(id: Int64? = nil, name: String) {
        self.id = id
        self.name = name
    }

    required init(row: Row) throws {
        id = try row.decodeIfPresent(forKey: "id")
        name = try row.decode(forKey: "name")
    }

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["name"] = name
    }

    func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
        log.append("didInsert")
    }
}

private class Circle: Shape {
    override class var databaseTableName: String { "circle" }
    override class var persistenceConflictPolicy: PersistenceConflictPolicy { .init(insert: .ignore, update: .ignore) }
    override class var databaseSelection: [any SQLSelectable] { [.allColumns, Column("radius").sqlExpression.forKey("r")] }

    var radius = 1.0

    required init(row: Row) throws {
        try super.init(row: row)
        radius = try row.decode(forKey: "r")
    }

    override init(id: Int64? = nil, name: String) { super.init(id: id, name: name) }

    override func encode(to container: inout PersistenceContainer) throws {
        container["radius"] = radius
        try super.encode(to: &container)
    }

    func didUpdate(_ updated: PersistenceSuccess) { fatalError("It is no requirement that the superclass fulfils.") }
}

/// A record with as many columns as another record, in other places.
private final class Square: Shape {
    override class var databaseTableName: String { "square" }
    override class var persistenceConflictPolicy: PersistenceConflictPolicy { .init(insert: .replace) }
    override class var databaseSelection: [any SQLSelectable] { [.allColumns] }

    override func encode(to container: inout PersistenceContainer) throws {
        container["name"] = name
        container["side"] = 2
        container["id"] = id
    }

    override func didInsert(_ inserted: InsertionSuccess) {
        super.didInsert(inserted)
        log.append("of a square")
    }
}

/// A record whose superclass leaves its table's name to the default.
private class Animal: PersistableRecord {
    func encode(to container: inout PersistenceContainer) throws { container["legs"] = 4 }
}

private class Bird: Animal {
    override func encode(to container: inout PersistenceContainer) throws { container["legs"] = 2 }
}

private let schema = """
    CREATE TABLE circle (id INTEGER PRIMARY KEY, name TEXT UNIQUE, radius REAL);
    CREATE TABLE square (id INTEGER PRIMARY KEY, name TEXT UNIQUE, side INTEGER);
    """

@Suite struct SubclassTests {
    /// Expects that no row of an id is found in a table.
    private func expectNotFound(_ table: String, _ id: Int, _ body: () throws -> Any) {
        do {
            _ = try body()
            Issue.record("It throws no error.")
        } catch RecordError.recordNotFound(let name, let key) {
            #expect(name == table)
            #expect(key == ["id": id.databaseValue])
        } catch {
            Issue.record(error)
        }
    }

    @Test
    func `A record is inserted according to its own type, whatever the type of the variable`() throws {
        try withDatabase(schema) { db throws in
            let circle: Shape = Circle(name: "a")
            let square: any PersistableRecord = Square(name: "b") as Shape
            try db.expect([
                #"INSERT OR IGNORE INTO "circle" ("radius", "id", "name") VALUES (1.0, NULL, 'a')"#,
                #"INSERT OR REPLACE INTO "square" ("name", "side", "id") VALUES ('b', 2, NULL)"#,
            ]) {
                try circle.insert(db)
                try square.insert(db)
            }
            #expect(circle.id == 1)
            #expect((square as? Square)?.log == ["didInsert", "of a square"])
        }
    }

    @Test
    func `Every method that has a record in hand asks its own type`() throws {
        try withDatabase(schema) { db throws in
            let circle: Shape = Circle(name: "a")
            #expect(try !circle.exists(db))
            try circle.save(db)
            #expect(try circle.exists(db))
            circle.name = "b"
            try db.expect([#"UPDATE OR IGNORE "circle" SET "radius" = 1.0, "name" = 'b' WHERE "id" = 1"#]) {
                try circle.update(db)
            }
            try db.expect([#"UPDATE OR IGNORE "circle" SET "name" = 'b' WHERE "id" = 1"#]) {
                try circle.update(db, columns: ["name"])
            }
            try db.expect([#"UPDATE OR IGNORE "circle" SET "name" = 'c' WHERE "id" = 1"#]) { () throws in
                #expect(try circle.updateChanges(db) { $0.name = "c" })
            }
            let old: Shape = Circle(id: 1, name: "c")
            (circle as? Circle)?.radius = 2
            try db.expect([#"UPDATE OR IGNORE "circle" SET "radius" = 2.0 WHERE "id" = 1"#]) { () throws in
                #expect(try circle.updateChanges(db, from: old))
            }
            #expect(try circle.databaseChanges(from: old) == ["radius": 1.0.databaseValue])
            #expect(try !circle.databaseEquals(old))
            #expect(try circle.databaseDictionary.keys.sorted() == ["id", "name", "radius"])
            try circle.upsert(db)
            try circle.saved(db).save(db)
            #expect(try db.rows("SELECT * FROM circle") == ["1 'c' 2.0"])
            #expect(try circle.delete(db))
            #expect(try !circle.delete(db))
            #expect("\(circle.recordNotFound(db))".contains("circle"))
            expectNotFound("circle", 1) {
                try circle.update(db)
            }
            #expect(try circle.inserted(db) === circle)
        }
    }

    @Test
    func `A record that a write returns has the record's own type`() throws {
        try withDatabase(schema) { db throws in
            func expectCircle(_ shape: Shape?, _ name: String) {
                #expect((shape as? Circle)?.name == name)
                #expect((shape as? Circle)?.radius == 1)
            }
            let circle: Shape = Circle(name: "a")
            expectCircle(try circle.insertAndFetch(db), "a")
            circle.name = "b"
            expectCircle(try circle.updateAndFetch(db), "b")
            circle.name = "c"
            expectCircle(try circle.saveAndFetch(db), "c")
            expectCircle(try circle.upsertAndFetch(db), "c")
            expectCircle(try circle.updateChangesAndFetch(db) { $0.name = "d" }, "d")
            #expect(try circle.updateChangesAndFetch(db) { $0.name = "d" } == nil)
            circle.id = 17
            expectNotFound("circle", 17) {
                try circle.insertAndFetch(db)
            }
            circle.name = "e"
            expectNotFound("circle", 17) {
                try circle.updateChangesAndFetch(db) { $0.name = "f" } as Any
            }
            let name = try circle.insertAndFetch(db, selection: [Column("name")]) { try String.fetchOne($0) }
            #expect(name == "f")
        }
    }

    @Test
    func `A batch takes objects of several subclasses`() throws {
        try withDatabase(schema) { db throws in
            let shapes: [Shape] = (0..<6).map { $0.isMultiple(of: 2) ? Circle(name: "\($0)") : Square(name: "\($0)") }
            func rows() throws -> [String] {
                try db.rows("SELECT name FROM circle UNION ALL SELECT name FROM square ORDER BY name")
            }
            let names = (0..<6).map { "'\($0)'" }
            try shapes.insertAll(db)
            #expect(try rows() == names)
            #expect(shapes.map(\.id) == [1, 1, 2, 2, 3, 3])
            for shape in shapes { shape.name += "+" }
            try shapes.updateAll(db)
            #expect(try rows() == names.map { $0.replacing("'", with: "", maxReplacements: 1) }.map { "'" + $0.dropLast() + "+'" })
            #expect(try shapes.deleteAll(db) == 6)
            try shapes.saveAll(db)
            #expect(try rows().count == 6)
            try shapes.upsertAll(db)
            try shapes.upsertAll(db, onConflict: ["name"]) { _ in [Column("name").noOverwrite] }
            #expect(try rows().count == 6)
            #expect(try db.rows("SELECT DISTINCT side FROM square") == ["2"])
            #expect(try db.rows("SELECT DISTINCT radius FROM circle") == ["1.0"])
        }
    }

    @Test
    func `A subclass has the default name of its own table`() throws {
        try withDatabase("CREATE TABLE animal (legs); CREATE TABLE bird (legs)") { db throws in
            let animals = [Animal(), Bird()]
            try animals.insertAll(db)
            for animal in animals { try animal.insert(db) }
            #expect(try db.rows("SELECT * FROM animal") == ["4", "4"])
            #expect(try db.rows("SELECT * FROM bird") == ["2", "2"])
        }
    }

    @Test
    func `A variable that changes may become an object of another type`() throws {
        try withDatabase(schema) { db throws in
            let square = Square(id: 5, name: "a")
            try square.insert(db)
            var shape: Shape = Circle(id: 5, name: "a")
            try db.expect([#"UPDATE "square" SET "name" = 'b', "side" = 2 WHERE "id" = 5"#]) {
                func change<Record: MutablePersistableRecord>(_ record: inout Record, to other: Record) throws {
                    #expect(try record.updateChanges(db) { $0 = other })
                }
                try change(&shape, to: Square(id: 5, name: "b"))
            }
            #expect(try square.exists(db))
        }
    }

    @Test
    func `A failed insertion throws the callback's error, and an object keeps what its callbacks have changed`() throws {
        final class Failing: Shape {
            override class var databaseTableName: String { "circle" }
            override class var persistenceConflictPolicy: PersistenceConflictPolicy { .init() }
        }
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            let shapes: [Shape] = [Failing(name: "a"), Failing(name: "a")]
            #expect(throws: DatabaseError.self) { try shapes.insertAll(db) }
            #expect(shapes.map(\.id) == [1, nil])
            #expect(try db.rows("SELECT * FROM circle") == [])
        }
    }
}
