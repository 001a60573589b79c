import Foundation
import Persistence
import Testing

/// What a record type says of writing counts for requests, too.
@Suite struct RequestPolicyTests {
    struct Tag: MutablePersistableRecord, FetchableRecord {
        static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace, update: .ignore)
        var id: Int64
        var name: String

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }

        init(id: Int64, name: String) { (self.id, self.name) = (id, name) }
        init(row: Row) throws { (id, name) = (try row.decode(forKey: "id"), try row.decode(forKey: "name")) }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
        }
    }

    @Test
    func `Updates by requests have the record type's conflict policy, unless they pass another`() throws {
        let schema = "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT UNIQUE); INSERT INTO tag VALUES (1, 'a'), (2, 'b')"
        try withDatabase(schema) { db throws in
            let name = Tag.Columns.name
            try db.expect([
                "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a'", "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a'",
                "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a'", "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a' WHERE \"id\" = 2",
                "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a' WHERE \"id\" IN (SELECT \"id\" FROM \"tag\" LIMIT 2)",
                "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a' RETURNING *", "UPDATE OR IGNORE \"tag\" SET \"name\" = 'a'",
            ]) {
                try Tag.updateAll(db, name.set(to: "a"))
                try Tag.updateAll(db) { $0.name.set(to: "a") }
                try Tag.updateAll(db) { [$0.name.set(to: "a")] }
                try Tag.filter { $0.id == 2 }.updateAll(db, [name.set(to: "a")])
                try Tag.limit(2).updateAll(db, name.set(to: "a"))
                _ = try Tag.all().updateAndFetchAll(db, [name.set(to: "a")])
                try Table<Tag>("tag").updateAll(db, name.set(to: "a"))
            }
            #expect(try db.rows("SELECT * FROM tag") == ["1 'a'", "2 'b'"])
            #expect(throws: DatabaseError.self) { try Tag.updateAll(db, onConflict: .abort, name.set(to: "a")) }
            #expect(throws: DatabaseError.self) {
                try Tag.filter(id: 2).updateAndFetchAll(db, onConflict: .abort) { [$0.name.set(to: "a")] }
            }
            #expect(throws: DatabaseError.self) { try Table("tag").updateAll(db, name.set(to: "a")) }
            // Records, one by one and in batches.
            try Tag(id: 2, name: "a").update(db)
            try [Tag(id: 2, name: "a")].updateAll(db)
            #expect(try Tag(id: 2, name: "a").updateChanges(db, from: Tag(id: 2, name: "b")))
            #expect(try db.rows("SELECT * FROM tag") == ["1 'a'", "2 'b'"])
            #expect(try Tag.updateAll(db, onConflict: .replace, name.set(to: "c")) == 2)
            #expect(try db.rows("SELECT * FROM tag") == ["2 'c'"])
        }
    }

    class Base: PersistableRecord {
        static let databaseTableName = "visit"
        let id = UUID()
        let day = Date(timeIntervalSince1970: 86400)
        func encode(to container: inout PersistenceContainer) throws {
            container["id"] = id.uuidString
            container["day"] = 86400
        }
        class func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }
        class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy() }
    }

    final class Derived: Base {
        override class func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
        override class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy(update: .ignore) }
    }

    @Test
    func `The own type of an object decides how its values are stored`() throws {
        try withDatabase("CREATE TABLE visit (id TEXT PRIMARY KEY, day INTEGER)") { db throws in
            let record: Base = Derived()
            try record.insert(db)
            try record.upsert(db, onConflict: ["id"]) { excluded in
                [Column("day").set(to: Case(when: excluded["day"] == record.day && Column("day") == record.day, then: record.day + 1))]
            }
            #expect(try db.rows("SELECT day FROM visit") == ["86401"])
            #expect(try Base.filter(Column("day") == 86401).updateAll(db, Column("day").set(to: record.day)) == 1)
            #expect(try db.rows("SELECT day FROM visit") == ["'1970-01-02 00:00:00.000'"])
            try db.expect(["UPDATE OR IGNORE \"visit\" SET \"day\" = 86400"]) {
                try Derived.updateAll(db, Column("day").set(to: record.day))
            }
        }
    }

    /// A record that encodes itself by hand: it says itself what it writes, and its strategies what requests look for.
    struct Visit: PersistableRecord, FetchableRecord {
        var id: UUID
        var day: Date

        init(id: UUID, day: Date) { (self.id, self.day) = (id, day) }
        init(row: Row) throws { (id, day) = (try row.decode(forKey: "id"), try row.decode(forKey: "day")) }

        func encode(to container: inout PersistenceContainer) throws {
            container["id"] = id.uuidString
            container["day"] = try Self.databaseDateEncodingStrategy(for: "day").databaseValue(for: day)
        }

        static func databaseUUIDEncodingStrategy(for column: String) -> DatabaseUUIDEncodingStrategy { .uppercaseString }
        static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .secondsSince1970 }
    }

    @Test
    func `Requests use the strategies of a record that encodes itself by hand`() throws {
        try withDatabase("CREATE TABLE visit (id TEXT PRIMARY KEY, day INTEGER)") { db throws in
            let visit = Visit(id: UUID(), day: Date(timeIntervalSince1970: 86400))
            try visit.insert(db)
            #expect(try Visit.fetchOne(db, key: visit.id)?.day == visit.day)
            #expect(try Visit.filter(Column("day") <= visit.day).fetchCount(db) == 1)
            try visit.upsert(db, onConflict: ["id"]) { excluded in [Column("day").set(to: excluded["day"] - visit.day)] }
            #expect(try db.rows("SELECT day FROM visit") == ["0"])
            // A record type may also say it in a word of its own.
            struct Guest: PersistableRecord {
                static let databaseTableName = "visit"
                func encode(to container: inout PersistenceContainer) {}
                static func databaseValue(of value: any DatabaseValueConvertible & Sendable, inColumn column: String) -> DatabaseValue? {
                    (value as? UUID)?.uuidString.databaseValue
                }
            }
            #expect(try Guest.exists(db, key: visit.id))
            // Without strategies, values have their own form.
            struct Stranger: PersistableRecord {
                static let databaseTableName = "visit"
                func encode(to container: inout PersistenceContainer) {}
            }
            #expect(try !Stranger.exists(db, key: visit.id))
        }
    }
}
