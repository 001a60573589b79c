import Persistence
import Testing

// Every persistence method over every kind of primary key: the SQL that it runs, and the row that results.

/// What tables the records of the matrix belong to.
protocol TableName {
    static var name: String { get }
}

enum MainTable: TableName { static let name = "item" }
enum AttachedTable: TableName { static let name = "aux.item" }

/// A record whose key has any columns.
struct Item<Table: TableName>: MutablePersistableRecord, FetchableRecord, Equatable {
    static var databaseTableName: String { Table.name }

    var key: [(name: String, value: DatabaseValue)]
    var name: String
    var extra: String?

    init(key: [(name: String, value: DatabaseValue)], name: String) {
        self.key = key
        self.name = name
    }

    init(row: Row) throws {
        key = zip(row.columnNames, row.databaseValues).filter { $0.0 != "name" && $0.0 != "extra" }.map { ($0.0, $0.1) }
        name = row["name"]
        extra = row["extra"]
    }

    func encode(to container: inout PersistenceContainer) {
        for (name, value) in key { container[name] = value }
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        if key.count == 1, key[0].value.isNull { key[0].value = inserted.rowID.databaseValue }
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.name == rhs.name && lhs.extra == rhs.extra && lhs.key.elementsEqual(rhs.key) { $0 == $1 }
    }
}

/// A kind of primary key.
struct KeyKind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The table `item`, with the columns of the key, `name`, and `extra`, which is 'x' by default.
    let schema: String
    /// The columns of the key.
    let columns: [String]
    /// Their values before an insertion.
    let values: [DatabaseValue]
    /// The name of the row ID in SQL; nil if there is none.
    let rowID: String?
    var table = #""item""#
    var isView = false

    private static let defaults = "name TEXT, extra TEXT DEFAULT 'x'"

    static let all = [
        KeyKind(
            testDescription: "a row id that SQLite gives", schema: "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, \(defaults))",
            columns: ["id"], values: [.null], rowID: "id"),
        KeyKind(
            testDescription: "a text", schema: "CREATE TABLE item (code TEXT PRIMARY KEY, \(defaults))", columns: ["code"],
            values: ["a".databaseValue], rowID: "rowid"),
        KeyKind(
            testDescription: "two columns", schema: "CREATE TABLE item (a INTEGER, b TEXT, \(defaults), PRIMARY KEY (b, a))",
            columns: ["b", "a"], values: ["b".databaseValue, 2.databaseValue], rowID: "rowid"),
        KeyKind(
            testDescription: "a hidden row id", schema: "CREATE TABLE item (\(defaults))", columns: ["rowid"], values: [.null],
            rowID: "rowid"),
        KeyKind(
            testDescription: "no row id", schema: "CREATE TABLE item (code TEXT PRIMARY KEY, \(defaults)) WITHOUT ROWID", columns: ["code"],
            values: ["a".databaseValue], rowID: nil),
        KeyKind(
            testDescription: "an attached database",
            schema: "ATTACH ':memory:' AS aux; CREATE TABLE aux.item (id INTEGER PRIMARY KEY, \(defaults)); CREATE TABLE item (other)",
            columns: ["id"], values: [.null], rowID: "id", table: #""aux"."item""#),
        KeyKind(
            testDescription: "a view",
            schema: """
                CREATE TABLE base (id INTEGER PRIMARY KEY, \(defaults));
                CREATE VIEW item AS SELECT id AS rowid, name, extra FROM base;
                CREATE TRIGGER i INSTEAD OF INSERT ON item BEGIN INSERT INTO base (id, name) VALUES (NEW.rowid, NEW.name); END;
                CREATE TRIGGER u INSTEAD OF UPDATE ON item BEGIN UPDATE base SET name = NEW.name WHERE id = OLD.rowid; END;
                CREATE TRIGGER d INSTEAD OF DELETE ON item BEGIN DELETE FROM base WHERE id = OLD.rowid; END;
                """, columns: ["rowid"], values: [5.databaseValue], rowID: nil, isView: true),
    ]
}

@Suite struct MethodMatrixTests {
    /// A method, and for methods that depend on it, whether there is a row with the record's key.
    enum Method: CaseIterable {
        case insert, insertAndFetch
        case exists
        case update, updateColumns, updateChangesFromRecord, updateChangesInClosure, updateAndFetch, updateChangesAndFetch
        case updateMissingRow, updateAndFetchMissingRow, updateChangesOfMissingRow
        case saveExistingRow, saveMissingRow, saveAndFetchExistingRow, saveAndFetchMissingRow
        case upsert, upsertAndFetch
        case delete
        case insertAll, updateAll, saveAll, upsertAll, deleteAll

        var isUpsert: Bool { [.upsert, .upsertAndFetch, .upsertAll].contains(self) }
    }

    @Test(arguments: KeyKind.all, Method.allCases)
    func `Every method over every kind of key`(_ kind: KeyKind, _ method: Method) throws {
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: kind.schema)
            try db.inTransaction {
                if kind.table.hasPrefix("\"aux\"") {
                    try check(kind, method, Item<AttachedTable>.self, db)
                } else {
                    try check(kind, method, Item<MainTable>.self, db)
                }
                return .commit
            }
        }
    }

    private func check<Table>(_ kind: KeyKind, _ method: Method, _ type: Item<Table>.Type, _ db: Database) throws {
        let names = kind.columns.map { "\"\($0)\"" }
        // What the key becomes, if SQLite gives it.
        let values = kind.values.map { $0.isNull ? 1.databaseValue : $0 }
        let condition = zip(names, values).map { "\($0) = \($1.sqlLiteral)" }.joined(separator: " AND ")
        let columns = (names + [#""name""#]).joined(separator: ", ")
        let returning = #" RETURNING *"#
        let all: [any SQLSelectable] = [AllColumns()]
        func insertion(_ name: String, _ values: [DatabaseValue]) -> String {
            "INSERT INTO \(kind.table) (\(columns)) VALUES (\((values.map(\.sqlLiteral) + ["'\(name)'"]).joined(separator: ", ")))"
        }
        func update(_ name: String) -> String { "UPDATE \(kind.table) SET \"name\" = '\(name)' WHERE \(condition)" }
        func expectRow(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let row = (values.map(\.sqlLiteral) + ["'\(name)'", "'x'"]).joined(separator: " ")
            let selected = try db.rows("SELECT \(columns), extra FROM \(kind.table)")
            #expect(selected == [row], sourceLocation: sourceLocation)
        }
        func expectNoRow(sourceLocation: SourceLocation = #_sourceLocation) throws {
            #expect(try db.rows("SELECT * FROM \(kind.table)") == [], sourceLocation: sourceLocation)
        }
        func name(_ statement: Statement) throws -> String? { try Row.fetchOne(statement)?["name"] }
        let existence = "SELECT 1 FROM \(kind.table) WHERE \(condition)"
        // A view returns a row, as SQLite does not count what its triggers do.
        let counting = kind.isView ? " RETURNING 1" : ""
        let deletion = "DELETE FROM \(kind.table) WHERE \(condition)\(counting)"
        let conflict = #" ON CONFLICT DO UPDATE SET "name" = "excluded"."name""#

        /// A record with its key, and a row.
        func existing() throws -> Item<Table> {
            var item = Item<Table>(key: Array(zip(kind.columns, kind.values)), name: "old")
            try item.insert(db)
            item.name = "A"
            return item
        }
        /// A record with its key, and no row.
        let missing = Item<Table>(key: Array(zip(kind.columns, values)), name: "A")
        func expectMissingRow(_ write: () throws -> Void) {
            let error = #expect(throws: RecordError.self) { try write() }
            let key = zip(kind.columns, values).sorted { $0.0 < $1.0 }.map { "\($0) = \($1)" }.joined(separator: " and ")
            #expect(error?.expandedDescription == "no row in table \(Table.name) with \(key)")
        }
        if kind.isView, method.isUpsert {
            var items = [try existing()]
            let error = #expect(throws: DatabaseError.self) {
                switch method {
                case .upsert: try items[0].upsert(db)
                case .upsertAndFetch: _ = try items[0].upsertAndFetch(db)
                default: try items.upsertAll(db)
                }
            }
            #expect(error?.message == "cannot UPSERT a view")
            return try expectRow("old")
        }

        switch method {
        case .insert:
            var item = Item<Table>(key: Array(zip(kind.columns, kind.values)), name: "A")
            try db.expect([insertion("A", kind.values)]) { try item.insert(db) }
            #expect(item.key.map(\.value) == values)
        case .insertAndFetch:
            var item = missing
            let statements = try db.statements { () throws in #expect(try item.insertAndFetch(db, selection: all, fetch: name) == "A") }
            #expect(statements.first == insertion("A", values) + returning)
        case .exists:
            try db.expect([existence]) { () throws in #expect(try !missing.exists(db)) }
            let item = try existing()
            try db.expect([existence]) { () throws in #expect(try item.exists(db)) }
            return
        case .update:
            let item = try existing()
            try db.expect([update("A") + counting]) { try item.update(db) }
        case .updateColumns:
            let item = try existing()
            try db.expect([update("A") + counting]) { try item.update(db, columns: ["name"]) }
        case .updateChangesFromRecord:
            let item = try existing()
            try db.expect([]) { () throws in #expect(try item.updateChanges(db, from: item) == false) }
            try expectRow("old")
            var old = item
            old.name = "old"
            try db.expect([update("A") + counting]) { () throws in #expect(try item.updateChanges(db, from: old)) }
        case .updateChangesInClosure:
            var item = try existing()
            item.name = "old"
            try db.expect([update("A") + counting]) { () throws in #expect(try item.updateChanges(db) { $0.name = "A" }) }
        case .updateAndFetch:
            let item = try existing()
            let statements = try db.statements { () throws in #expect(try item.updateAndFetch(db, selection: all, fetch: name) == "A") }
            #expect(statements.first == update("A") + returning)
        case .updateChangesAndFetch:
            var item = try existing()
            item.name = "old"
            let statements = try db.statements {
                let fetched = try item.updateChangesAndFetch(db, selection: all, fetch: name) { $0.name = "A" }
                #expect(fetched == "A")
            }
            #expect(statements.first == update("A") + returning)
        case .updateMissingRow:
            expectMissingRow { try missing.update(db) }
            return try expectNoRow()
        case .updateAndFetchMissingRow:
            expectMissingRow { _ = try missing.updateAndFetch(db, selection: all, fetch: name) }
            return try expectNoRow()
        case .updateChangesOfMissingRow:
            var item = missing
            expectMissingRow { _ = try item.updateChanges(db) { $0.name = "B" } }
            return try expectNoRow()
        case .saveExistingRow:
            var item = try existing()
            try db.expect([existence, update("A") + counting]) { try item.save(db) }
        case .saveMissingRow:
            var item = missing
            try db.expect([existence, insertion("A", values)]) { try item.save(db) }
        case .saveAndFetchExistingRow:
            var item = try existing()
            let statements = try db.statements { () throws in #expect(try item.saveAndFetch(db, selection: all, fetch: name) == "A") }
            #expect(statements.prefix(2) == [existence, update("A") + returning])
        case .saveAndFetchMissingRow:
            var item = missing
            let statements = try db.statements { () throws in #expect(try item.saveAndFetch(db, selection: all, fetch: name) == "A") }
            #expect(statements.prefix(2) == [existence, insertion("A", values) + returning])
        case .upsert:
            var item = try existing()
            let rowID = kind.rowID.map { " RETURNING \"\($0)\"" } ?? ""
            try db.expect([insertion("A", values) + conflict + rowID]) { try item.upsert(db) }
            #expect(item.key.map(\.value) == values)
        case .upsertAndFetch:
            var item = try existing()
            let rowID = kind.rowID.map { ", \"\($0)\"" } ?? ""
            try db.expect([insertion("A", values) + conflict + returning + rowID]) { () throws in
                #expect(try item.upsertAndFetch(db).name == "A")
            }
        case .delete:
            let item = try existing()
            try db.expect([deletion]) { () throws in #expect(try item.delete(db)) }
            #expect(try !item.delete(db))
            return try expectNoRow()
        case .insertAll:
            var items = [missing]
            #expect(try db.statements { try items.insertAll(db) }.contains(insertion("A", values)))
        case .updateAll:
            var items = [try existing()]
            try items.updateAll(db)
        case .saveAll:
            var items = [try existing()]
            try items.saveAll(db)
        case .upsertAll:
            var items = [try existing()]
            try items.upsertAll(db)
        case .deleteAll:
            #expect(try [existing()].deleteAll(db) == 1)
            return try expectNoRow()
        }
        try expectRow("A")
    }

    @Test
    func `A record that does not encode its key can be inserted, and nothing else`() throws {
        struct Note: MutablePersistableRecord {
            var text: String
            func encode(to container: inout PersistenceContainer) { container["text"] = text }
        }
        try withDatabase("CREATE TABLE note (text TEXT)") { db throws in
            var note = Note(text: "one")
            let insertion = #"INSERT INTO "note" ("text") VALUES ('one')"#
            try db.expect([insertion]) { try note.insert(db) }
            try db.expect([insertion]) { try note.save(db) }
            let conflict = #" ON CONFLICT DO UPDATE SET "text" = "excluded"."text""#
            try db.expect([insertion + conflict + #" RETURNING "rowid""#]) { try note.upsert(db) }
            #expect(try db.rows("SELECT * FROM note") == ["'one'", "'one'", "'one'"])
            try db.expect([]) { () throws in #expect(try !note.exists(db)) }
            for write in [
                { try note.update(db) }, { _ = try note.delete(db) }, { _ = try note.updateChanges(db) { $0.text = "two" } },
                { _ = try note.updateAndFetch(db, selection: [AllColumns()]) { try Row.fetchOne($0) } },
            ] {
                let error = #expect(throws: DatabaseError.self) { try write() }
                #expect(
                    error?.message
                        == "the row can't be found: the record of table note does not encode rowid, a column of the primary key")
            }
        }
    }
}
