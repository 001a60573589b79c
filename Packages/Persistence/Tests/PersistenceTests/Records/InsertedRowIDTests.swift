import Persistence
import Testing

/// The containers that the callbacks of a record were given, as strings.
private final class Seen {
    var aroundInsert: [String] = []
    var didInsert: [String] = []
    var aroundSave: [String] = []
    var didSave: [String] = []

    var all: [[String]] { [aroundInsert, didInsert, aroundSave, didSave] }
}

/// A record that encodes the columns that it is given, and notes the containers of its callbacks.
private struct Noting: MutablePersistableRecord {
    nonisolated(unsafe) static var databaseTableName = "t"

    var columns: [(String, (any DatabaseValueConvertible)?)]
    var seen = Seen()

    init(_ columns: KeyValuePairs<String, (any DatabaseValueConvertible)?>) {
        self.columns = columns.map { ($0, $1) }
    }

    func encode(to container: inout PersistenceContainer) {
        for (name, value) in columns { container[name] = value }
    }

    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        seen.aroundInsert.append(try insert().persistenceContainer.text)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { seen.didInsert.append(inserted.persistenceContainer.text) }

    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        seen.aroundSave.append(try save().persistenceContainer.text)
    }

    func didSave(_ saved: PersistenceSuccess) { seen.didSave.append(saved.persistenceContainer.text) }
}

/// A record without callbacks but `didInsert`, and so written in the fast way.
private struct Plain: MutablePersistableRecord, FetchableRecord {
    static let databaseTableName = "t"

    var id: Int64?
    var name: String
    var text = ""
    var kept: PersistenceContainer?

    init(_ id: Int64? = nil, name: String) {
        self.id = id
        self.name = name
    }

    init(row: Row) throws {
        id = try row.decodeIfPresent(forKey: "id")
        name = try row.decode(forKey: "name")
    }

    func encode(to container: inout PersistenceContainer) {
        container["ID"] = id
        container["name"] = name
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        text = inserted.persistenceContainer.text
        kept = inserted.persistenceContainer
    }
}

@Suite struct InsertedRowIDTests {
    @Test(
        arguments: [
            ("id INTEGER PRIMARY KEY, name", ["id": nil, "name": "a"], "id: 8, name: 'a'"),
            ("id INTEGER PRIMARY KEY, name", ["name": "a", "ID": nil], "name: 'a', ID: 8"),
            ("id INTEGER PRIMARY KEY, name", ["name": "a"], "name: 'a', id: 8"),
            ("id INTEGER PRIMARY KEY, name", ["rowid": nil, "name": "a"], "rowid: 8, name: 'a'"),
            ("\"the key\" INTEGER PRIMARY KEY, name", ["name": "a"], "name: 'a', the key: 8"),
            ("\"the key\" INTEGER PRIMARY KEY, name", ["The Key": nil, "name": "a"], "The Key: 8, name: 'a'"),
            ("name", ["name": "a"], "name: 'a'"),
            ("name", ["name": "a", "oid": nil], "name: 'a', oid: 8"),
            ("name, oid TEXT", ["name": "a", "OID": nil, "_ROWID_": nil], "name: 'a', OID: NULL, _ROWID_: 8"),
            ("name, rowid, oid, _rowid_", ["name": "a", "rowid": nil], "name: 'a', rowid: NULL"),
            ("id TEXT PRIMARY KEY, name", ["id": nil, "name": "a"], "id: NULL, name: 'a'"),
        ] as [(String, KeyValuePairs<String, (any DatabaseValueConvertible & Sendable)?>, String)])
    func `The container of an insertion has the row ID that SQLite chose, under the record's name`(
        columns: String, values: KeyValuePairs<String, (any DatabaseValueConvertible & Sendable)?>, expected: String
    ) throws {
        try withDatabase("CREATE TABLE t (\(columns))") { db throws in
            // The table has a row with ID 7, so SQLite chooses 8 next.
            if try db.primaryKey("t").rowIDName != nil {
                let rowID = try #require(try db.primaryKey("t").rowIDName)
                try db.execute(sql: "INSERT INTO t (\(rowID.quotedDatabaseIdentifier)) VALUES (7)")
            }
            var record = Noting([:])
            record.columns = values.map { ($0, $1) }
            try record.insert(db)
            #expect(record.seen.all == [[expected], [expected], [expected], [expected]])
        }
    }

    @Test
    func `A row id that the record gives in another form is stored`() throws {
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name)") { db throws in
            var record = Noting(["id": "12", "name": "a"])
            try record.insert(db)
            #expect(record.seen.didInsert == ["id: 12, name: 'a'"])
        }
    }

    @Test
    func `Tables WITHOUT ROWID and views add nothing to the container`() throws {
        try withDatabase(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, name) WITHOUT ROWID
            """
        ) { db throws in
            var record = Noting(["id": 3, "name": "a"])
            try record.insert(db)
            #expect(record.seen.didInsert == ["id: 3, name: 'a'"])
        }
        try withDatabase(
            """
            CREATE TABLE u (id INTEGER PRIMARY KEY, name);
            CREATE VIEW t AS SELECT * FROM u;
            CREATE TRIGGER i INSTEAD OF INSERT ON t BEGIN INSERT INTO u (name) VALUES (new.name); END
            """
        ) { db throws in
            var record = Noting(["id": nil, "name": "a"])
            try record.insert(db)
            #expect(record.seen.didInsert == ["id: NULL, name: 'a'"])
        }
    }

    @Test
    func `A skipped row has no row ID, whatever SQLite has inserted before`() throws {
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name UNIQUE); INSERT INTO t VALUES (7, 'a')") { db throws in
            final class RowIDs { var values: [Int64] = [] }
            struct Record: PersistableRecord {
                static let databaseTableName = "t"
                let rowIDs = RowIDs()
                func encode(to container: inout PersistenceContainer) { container["name"] = "a" }
                func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                    let success = try insert()
                    rowIDs.values.append(success.rowID)
                    #expect(success.persistenceContainer.text == "name: 'a'")
                }
            }
            let record = Record()
            try record.insert(db, onConflict: .ignore)
            try record.insertAndFetch(db, onConflict: .ignore, selection: [Column("id")]) { _ = try Row.fetchAll($0) }
            #expect(record.rowIDs.values == [0, 0])
        }
    }

    @Test
    func `Every method that inserts gives the row id`() throws {
        let methods: [(String, (inout Plain, Database) throws -> Void)] = [
            ("insert", { try $0.insert($1) }),
            ("inserted", { $0 = try $0.inserted($1) }),
            ("save", { try $0.save($1) }),
            ("upsert", { try $0.upsert($1) }),
            ("insertAndFetch", { _ = try $0.insertAndFetch($1, as: Plain.self) }),
            ("saveAndFetch", { _ = try $0.saveAndFetch($1, as: Plain.self) }),
            ("upsertAndFetch", { _ = try $0.upsertAndFetch($1, as: Plain.self) }),
            (
                "insertAll",
                {
                    var records = [$0]
                    try records.insertAll($1)
                    $0 = records[0]
                }
            ),
            ("insertedAll", { $0 = try [$0].insertedAll($1)[0] }),
            ("savedAll", { $0 = try [$0].savedAll($1)[0] }),
            (
                "upsertAll",
                {
                    var records = [$0]
                    try records.upsertAll($1)
                    $0 = records[0]
                }
            ),
        ]
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name UNIQUE)") { db throws in
            for (index, (name, method)) in methods.enumerated() {
                var record = Plain(name: name)
                try method(&record, db)
                #expect(record.text == "ID: \(index + 1), name: '\(name)'", "\(name)")
            }
            // An upsert may find a row.
            var record = Plain(name: "save")
            try record.upsert(db, onConflict: ["name"])
            #expect(record.text == "ID: 3, name: 'save'")
        }
    }

    @Test
    func `A container that was kept stays as it is when more records are inserted`() throws {
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name)") { db throws in
            var records = (1...3).map { Plain(name: "\($0)") }
            try records.insertAll(db)
            #expect(
                records.map { $0.kept?.text } == ["ID: 1, name: '1'", "ID: 2, name: '2'", "ID: 3, name: '3'"])
        }
    }

    @Test
    func `A record's own container, which it has kept, does not get the row id`() throws {
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name)") { db throws in
            final class Box { var container: PersistenceContainer? }
            let box = Box()
            var sheet = Inserted(onEncode: { box.container = $0 })
            try sheet.insert(db)
            #expect(box.container?.text == "id: NULL")
            #expect(sheet.text == "id: 1")
        }
        struct Inserted: MutablePersistableRecord {
            static let databaseTableName = "t"
            let onEncode: (PersistenceContainer) -> Void
            var text = ""
            init(onEncode: @escaping (PersistenceContainer) -> Void) { self.onEncode = onEncode }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = Int64?.none
                onEncode(container)
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { text = inserted.persistenceContainer.text }
        }
    }

    @Test
    func `The row id has the right name after the table was changed`() throws {
        try withDatabase("CREATE TABLE t (id INTEGER PRIMARY KEY, name)") { db throws in
            var record = Noting(["name": "a"])
            try record.insert(db)
            try db.execute(sql: "ALTER TABLE t RENAME id TO key")
            try record.insert(db)
            #expect(record.seen.didInsert == ["name: 'a', id: 1", "name: 'a', key: 2"])
        }
    }
}
