import Persistence
import Testing

/// Selections that depend on the table, in the rows that a write returns.
@Suite struct ReturnedSelectionTests {
    private struct Page: MutablePersistableRecord, FetchableRecord {
        static let databaseTableName = "page"
        static var databaseSelection: [any SQLSelectable] { [AllColumnsExcluding(["text"])] }

        var id: Int64?
        var title: String

        init(title: String) {
            self.title = title
        }

        init(row: Row) throws {
            (id, title) = (try row.decode(forKey: "id"), try row.decode(forKey: "title"))
        }

        func encode(to container: inout PersistenceContainer) {
            (container["id"], container["title"]) = (id, title)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    }

    private static let table = "CREATE TABLE page (id INTEGER PRIMARY KEY, title TEXT UNIQUE, text TEXT, size AS (length(title)));"
    private static let trigger = "CREATE TRIGGER t AFTER UPDATE ON page BEGIN SELECT 1; END;"

    @Test(arguments: [table, table + trigger])
    func `All columns but some are columns of the table that is written`(_ schema: String) throws {
        try withDatabase(schema) { db throws in
            let some = [AllColumnsExcluding(["id", "text"])]
            func names(_ statement: Statement) throws -> [String] {
                let row = try Row.fetchOne(statement)
                return row.map { Array($0.columnNames) } ?? []
            }
            var page = Page(title: "a")
            #expect(try page.insertAndFetch(db, selection: some, fetch: names) == ["title", "size"])
            #expect(try page.updateAndFetch(db, selection: some, fetch: names) == ["title", "size"])
            #expect(try page.saveAndFetch(db, selection: some, fetch: names) == ["title", "size"])
            var other = Page(title: "b")
            #expect(try other.saveAndFetch(db, selection: some, fetch: names) == ["title", "size"])
            page.title = "c"
            #expect(try page.updateAndFetch(db, columns: ["title"], selection: some, fetch: names) == ["title", "size"])
            var third = Page(title: "d")
            #expect(try third.insertAndFetch(db, as: Page.self).title == "d")
            var again = Page(title: "d")
            #expect(try again.upsertAndFetch(db, as: Page.self).id == third.id)
            #expect(try Page.filter(key: 1).updateAndFetchAll(db, [Column("title").set(to: "e")]).map(\.title) == ["e"])
            #expect(try Page.filter(key: 1).deleteAndFetchAll(db).map(\.title) == ["e"])
        }
    }

    @Test
    func `Statements with the same SQL that return a key for different purposes are distinguished`() throws {
        try withDatabase(Self.table + Self.trigger) { db throws in
            // Upserts return the row ID; so do statements on tables with triggers, whose rows are selected by it.
            var page = Page(title: "a")
            try page.upsert(db)
            #expect(try page.upsertAndFetch(db, as: Page.self).title == "a")
            try page.upsert(db)
            #expect(page.id == 1)

            // Here the program asks for the column, or the row that is read afterwards needs it.
            func names(_ statement: Statement) throws -> [String] { try Row.fetchOne(statement).map { Array($0.columnNames) } ?? [] }
            let id = [Column("id")]
            #expect(try page.updateAndFetch(db, selection: id, fetch: names) == ["id"])
            try db.execute(sql: "DROP TRIGGER t")
            #expect(try page.updateAndFetch(db, selection: id, fetch: names) == ["id"])
            #expect(try page.upsertAndFetch(db, as: Page.self).title == "a")
            try db.execute(sql: Self.trigger)
            #expect(try page.updateAndFetch(db, as: Page.self).title == "a")
            #expect(try page.upsertAndFetch(db, as: Page.self).title == "a")
        }
    }
}
