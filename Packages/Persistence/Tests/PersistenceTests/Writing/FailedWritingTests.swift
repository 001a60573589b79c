import Persistence
import Testing

/// A record that changes in its callbacks, and fails in one of them.
private struct Changing: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "t"

    var id: Int64?
    var name = "a"
    var parent: Int?
    var failure = ""

    init(failure: String = "", parent: Int? = nil) {
        self.failure = failure
        self.parent = parent
    }

    init(row: Row) throws {
        if try row.decode(String.self, forKey: "name") == "unreadable!" { throw TestError() }
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["parent"] = parent
    }

    private func fail(_ callback: String) throws {
        if failure == callback { throw TestError() }
    }

    mutating func willInsert(_ db: Database) throws {
        name += "!"
        try fail("willInsert")
    }

    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        _ = try insert()
        try fail("aroundInsert")
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        name += "?"
        try fail("willUpdate")
    }

    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        _ = try update()
        try fail("aroundUpdate")
    }

    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
        try fail("aroundSave")
    }
}

/// A record whose only callback stores its row ID.
private struct Plain: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "t"

    var id: Int64?
    var parent: Int?

    init(parent: Int?) { self.parent = parent }
    init(row: Row) throws { throw TestError() }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["parent"] = parent
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private let schema = """
    CREATE TABLE p (id INTEGER PRIMARY KEY);
    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, parent REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED)
    """

private let insertions: [(name: String, write: @Sendable (inout Changing, Database) throws -> Void)] = [
    ("insert", { try $0.insert($1) }),
    ("save", { try $0.save($1) }),
    ("upsert", { try $0.upsert($1) }),
    ("insertAndFetch", { _ = try $0.insertAndFetch($1, as: Changing.self) }),
    ("insertAndFetch(selection:)", { try $0.insertAndFetch($1, selection: [Column("id")]) { _ = try Row.fetchAll($0) } }),
    ("saveAndFetch", { _ = try $0.saveAndFetch($1, as: Changing.self) }),
    ("upsertAndFetch", { _ = try $0.upsertAndFetch($1, as: Changing.self) }),
    (
        "insertAll",
        { record, db in
            var records = [record]
            defer { record = records[0] }
            try records.insertAll(db)
        }
    ),
    (
        "saveAll",
        { record, db in
            var records = [record]
            defer { record = records[0] }
            try records.saveAll(db)
        }
    ),
    (
        "upsertAll",
        { record, db in
            var records = [record]
            defer { record = records[0] }
            try records.upsertAll(db)
        }
    ),
]

@Suite struct FailedWritingTests {
    @Test(arguments: insertions.map(\.name), ["willInsert", "aroundInsert", "aroundSave"])
    func `An insertion that a callback fails leaves the record as it was, by every method`(method: String, failure: String) throws {
        let write = try #require(insertions.first { $0.name == method }).write
        // In a transaction that is open, and in one of the method's own.
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            for isInTransaction in [true, false] {
                var record = Changing(failure: failure)
                let original = record
                #expect(throws: TestError.self) {
                    if !isInTransaction { return try write(&record, db) }
                    try db.inTransaction {
                        try write(&record, db)
                        return .commit
                    }
                }
                #expect(record == original)
                #expect(try db.rows("SELECT * FROM t") == [])
                // Once it does not fail, it has its id.
                record.failure = ""
                try write(&record, db)
                #expect(record.id != nil && record.name == "a!")
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }

    @Test(arguments: insertions.map(\.name))
    func `A deferred foreign key that fails the implicit commit leaves the record as it was, by every method`(method: String) throws {
        let write = try #require(insertions.first { $0.name == method }).write
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            var record = Changing(parent: 1)
            let original = record
            #expect(throws: DatabaseError.self) { try write(&record, db) }
            #expect(record == original)
            #expect(!db.isInsideTransaction)
            #expect(try db.rows("SELECT * FROM t") == [])
        }
    }

    @Test
    func `A deferred foreign key leaves a record without callbacks as it was`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            try db.execute(sql: "INSERT INTO p VALUES (1)")
            // The second one is written in the fast way.
            for _ in 1...2 {
                var good = Plain(parent: 1)
                try good.insert(db)
                #expect(good.id != nil)
                var bad = Plain(parent: 2)
                #expect(throws: DatabaseError.self) { try bad.insert(db) }
                #expect(throws: DatabaseError.self) { try bad.save(db) }
                #expect(throws: DatabaseError.self) { try bad.upsert(db) }
                #expect(bad == Plain(parent: 2))
            }
        }
    }

    @Test
    func `A row that can't be fetched leaves the record as it was`() throws {
        try withDatabase(schema) { db throws in
            for _ in 1...2 {
                var record = Plain(parent: nil)
                #expect(throws: TestError.self) { _ = try record.insertAndFetch(db, as: Plain.self) }
                #expect(throws: TestError.self) { _ = try record.saveAndFetch(db, as: Plain.self) }
                #expect(throws: TestError.self) { _ = try record.upsertAndFetch(db, as: Plain.self) }
                #expect(throws: TestError.self) {
                    try record.insertAndFetch(db, selection: [Column("id")]) { _ in throw TestError() }
                }
                #expect(record == Plain(parent: nil))
            }
        }
    }

    /// A method that updates a row.
    enum Update: CaseIterable {
        case update, updateOfColumns, save, updateAndFetch, updateChanges, saveAndFetch

        fileprivate func run(_ record: inout Changing, _ db: Database) throws {
            switch self {
            case .update: try record.update(db)
            case .updateOfColumns: try record.update(db, columns: ["name"])
            case .save: try record.save(db)
            case .updateAndFetch: _ = try record.updateAndFetch(db, as: Changing.self)
            case .updateChanges: try record.updateChanges(db, from: Plain(parent: 9))
            case .saveAndFetch: _ = try record.saveAndFetch(db, as: Changing.self)
            }
        }
    }

    @Test(arguments: ["willUpdate", "aroundUpdate", "aroundSave"], Update.allCases)
    func `An update that a callback fails leaves the record as it was`(_ failure: String, _ update: Update) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            for isInTransaction in [true, false] {
                var record = Changing()
                try record.insert(db)
                record.failure = failure
                let original = record
                #expect(throws: TestError.self, "in a transaction: \(isInTransaction)") {
                    if !isInTransaction { return try update.run(&record, db) }
                    try db.inTransaction {
                        try update.run(&record, db)
                        return .commit
                    }
                }
                #expect(record == original, "in a transaction: \(isInTransaction)")
                #expect(try db.rows("SELECT name FROM t") == ["'a!'"], "in a transaction: \(isInTransaction)")
                try db.execute(sql: "DELETE FROM t")
            }
        }
    }

    @Test
    func `A change that is given by a closure stays done, and what willUpdate has added does not`() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: schema)
            var record = Changing()
            try record.insert(db)
            record.failure = "aroundSave"
            #expect(throws: TestError.self) { try record.updateChanges(db) { $0.name = "b" } }
            #expect(record.name == "b")
            #expect(throws: TestError.self) { _ = try record.updateChangesAndFetch(db, as: Changing.self) { $0.name = "c" } }
            #expect(record.name == "c")
        }
    }

    @Test
    func `A record keeps its row id when the transaction around the insertion fails later`() throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: schema) }
        var record = Plain(parent: nil)
        #expect(throws: TestError.self) {
            try queue.write { db in
                try record.insert(db)
                throw TestError()
            }
        }
        #expect(record.id == 1)
    }
}
