import Strata
import Testing

@Suite("Keys of associations as GRDB's users write them")
struct AssociationKeyTests {
    private struct Parent: TableRecord {
        static let children = hasMany(Child.self)
        static let puppies = hasMany(Child.self, key: "littlePuppies")
        static let custom = hasMany(Child.self, key: "custom")
    }

    private struct Child: TableRecord {
        static let parent = belongsTo(Parent.self)
        static let owner = belongsTo(Parent.self, key: "owner")
        static let toys = hasMany(Toy.self)
    }

    private struct Toy: TableRecord {
        static let child = belongsTo(Child.self, key: "kid")
    }

    private func withDatabase(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db throws in
            try db.create(table: "parent") { $0.autoIncrementedPrimaryKey("id") }
            try db.create(table: "child") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("parent")
            }
            try db.create(table: "toy") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("child")
            }
            try db.execute(sql: "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1, 1); INSERT INTO toy VALUES (1, 1)")
            try body(db)
        }
    }

    @Test
    func `A key of many rows has its singular where one row is included`() throws {
        try withDatabase { db throws in
            func scopes(_ association: some Association<Parent, Child>) throws -> [String] {
                let row = try Row.fetchOne(db, Parent.including(required: association).asRequest(of: Row.self))!
                return row.scopes.names.sorted()
            }
            func prefetched(_ association: some AssociationToMany<Parent, Child>) throws -> [String] {
                let row = try Row.fetchOne(db, Parent.including(all: association).asRequest(of: Row.self))!
                return row.prefetchedRows.keys.sorted()
            }
            #expect(try scopes(Parent.children) == ["child"])
            #expect(try prefetched(Parent.children) == ["children"])
            #expect(try scopes(Parent.puppies) == ["littlePuppy"])
            #expect(try prefetched(Parent.puppies) == ["littlePuppies"])
            #expect(try scopes(Parent.custom) == ["custom"])
            #expect(try prefetched(Parent.custom) == ["custom"])
            #expect(try scopes(Parent.children.forKey("kittens")) == ["kitten"])
            #expect(try prefetched(Parent.children.forKey("kittens")) == ["kittens"])
            #expect(try scopes(Parent.children.forKey("ds1")) == ["d1"])
            #expect(try prefetched(Parent.children.forKey("ds1")) == ["ds1"])
            #expect(try prefetched(Parent.children.forKey("kitten")) == ["kittens"])
            #expect(try prefetched(Parent.puppies.forKey("old")) == ["old"])
        }
    }

    @Test
    func `A key of one row has its plural where many rows are included`() throws {
        try withDatabase { db throws in
            let row = try Row.fetchOne(db, Child.including(required: Child.owner).asRequest(of: Row.self))!
            #expect(row.scopes.names.sorted() == ["owner"])
            let boss = try Row.fetchOne(db, Child.including(required: Child.parent.forKey("boss")).asRequest(of: Row.self))!
            #expect(boss.scopes.names.sorted() == ["boss"])
            let through = Parent.hasMany(Child.self, through: Parent.hasMany(Toy.self, using: ForeignKey(["childId"])), using: Toy.child)
            let rows = try Row.fetchOne(db, Parent.including(all: through).asRequest(of: Row.self))!
            #expect(rows.prefetchedRows.keys.sorted() == ["kids"])
            let named = try Row.fetchOne(db, Parent.including(all: through.forKey("friends")).asRequest(of: Row.self))!
            #expect(named.prefetchedRows.keys.sorted() == ["friends"])
        }
    }

    @Test
    func `Aggregates are named after the singular`() throws {
        try withDatabase { db throws in
            let request = Parent.annotated(with: Parent.puppies.count, Parent.custom.count, Parent.children.forKey("kittens").isEmpty)
            let row = try Row.fetchOne(db, request.asRequest(of: Row.self))!
            #expect(Array(row.columnNames) == ["id", "littlePuppyCount", "customCount", "hasNoKitten"])
        }
    }
}
