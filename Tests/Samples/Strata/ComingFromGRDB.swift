import Strata
import Testing

// sample: The class Record 1

@Suite(.page)
struct StrataComingFromGRDBSamples {
    private class Place: Record {
        var id: Int64?
        var title: String

        override class var databaseTableName: String { "place" }

        init(title: String) {
            self.title = title
            super.init()
        }

        required init(row: Row) throws {
            id = row["id"]
            title = row["title"]
            try super.init(row: row)
        }

        override func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["title"] = title
        }

        override func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    /// A subclass that changes the static properties.
    private final class Title: Place {
        override class var databaseSelection: [any SQLSelectable] { [Column("id"), SQL("upper(title)").sqlExpression.forKey("title")] }
        override class var persistenceConflictPolicy: PersistenceConflictPolicy { PersistenceConflictPolicy(insert: .ignore) }
    }

    @Test
    func `The library says whether it has sessions`() throws {
        // sample: Old values of changes, and sessions 1
        let all = try DatabaseQueue().read { try String.fetchSet($0, sql: "PRAGMA compile_options") }
        #expect(hasSessions == all.contains("ENABLE_SESSION") && hasPreUpdateHook == all.contains("ENABLE_PREUPDATE_HOOK"))
    }

    @Test
    func `Subclasses of the class Record are written and fetched`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT UNIQUE)")
            let place = Place(title: "Paris")
            try place.insert(db)
            #expect(place.id == 1)
            place.title = "Rome"
            try place.save(db)
            try #expect(Place.find(db, key: 1).title == "Rome")
            try Title(title: "Rome").insert(db)
            try #expect(Title.fetchAll(db).map(\.title) == ["ROME"])
            try #expect(place.delete(db))
        }
    }
}
