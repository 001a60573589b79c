import Persistence
import Testing

/// What callbacks were called, in order.
private final class Log {
    var entries: [String] = []
}

/// A record that logs its callbacks, and fails in one of them, or misuses its closure.
private struct Observed: MutablePersistableRecord {
    enum Misuse { case noCall, secondCall, swallow }

    static let databaseTableName = "player"

    var id: Int64?
    var name = "Arthur"
    var log = Log()
    var failure: String?
    var misuse: (callback: String, how: Misuse)?

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }

    private func note(_ name: String) throws {
        log.entries.append(name)
        if failure == name { throw TestError() }
    }

    private func around<Value>(_ name: String, _ body: () throws -> Value) throws {
        try note("\(name) begins")
        if misuse?.callback == name {
            switch misuse?.how {
            case .noCall: return
            case .swallow: _ = try? body()
            default:
                _ = try body()
                _ = try body()
            }
        } else {
            _ = try body()
        }
        try note("\(name) ends")
    }

    mutating func willInsert(_ db: Database) throws {
        try note("willInsert")
        name += "!"
    }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws { try around("aroundInsert", insert) }
    mutating func didInsert(_ inserted: InsertionSuccess) {
        log.entries.append("didInsert")
        id = inserted.rowID
    }
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        try note("willUpdate \(columns.sorted())")
        name += "?"
    }
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        try around("aroundUpdate", update)
    }
    func didUpdate(_ updated: PersistenceSuccess) { log.entries.append("didUpdate \(updated.persistenceContainer.text)") }
    func willSave(_ db: Database) throws { try note("willSave") }
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws { try around("aroundSave", save) }
    func didSave(_ saved: PersistenceSuccess) { log.entries.append("didSave \(saved.persistenceContainer.text)") }
    func willDelete(_ db: Database) throws { try note("willDelete") }
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws { try around("aroundDelete", delete) }
    func didDelete(deleted: Bool) { log.entries.append("didDelete \(deleted)") }
}

@Suite struct CallbackTests {
    @Test
    func `Callbacks of an insertion`() throws {
        try withDatabase(Player.createTable) { db throws in
            var record = Observed()
            try record.insert(db)
            #expect(
                record.log.entries == [
                    "willSave", "aroundSave begins", "willInsert", "aroundInsert begins", "aroundInsert ends", "didInsert",
                    "aroundSave ends", "didSave id: 1, name: 'Arthur!'",
                ])
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur!'"])
            #expect(record.name == "Arthur!")
        }
    }

    @Test
    func `Callbacks of an insertion that is ignored`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try Player(name: "Arthur!").inserted(db)
            var record = Observed()
            try record.insert(db, onConflict: .ignore)
            #expect(
                record.log.entries == [
                    "willSave", "aroundSave begins", "willInsert", "aroundInsert begins", "aroundInsert ends",
                    "aroundSave ends", "didSave id: NULL, name: 'Arthur!'",
                ])
        }
    }

    @Test
    func `Callbacks of an update`() throws {
        try withDatabase(Player.createTable) { db throws in
            let id = try Player(name: "Arthur").inserted(db).id
            var record = Observed(id: id)
            try record.update(db)
            #expect(
                record.log.entries == [
                    "willSave", "aroundSave begins", #"willUpdate ["name"]"#, "aroundUpdate begins", "aroundUpdate ends",
                    "didUpdate id: 1, name: 'Arthur?'", "aroundSave ends", "didSave id: 1, name: 'Arthur?'",
                ])
            record.log.entries = []
            try record.update(db, columns: ["name"])
            #expect(record.log.entries.contains(#"willUpdate ["name"]"#))
            #expect(try db.rows("SELECT name FROM player") == ["'Arthur??'"])
        }
    }

    @Test
    func `Saving calls the callbacks of an insertion or of an update, never of both`() throws {
        try withDatabase(Player.createTable) { db throws in
            var record = Observed()
            try record.save(db)
            #expect(record.log.entries.contains("didInsert"))
            #expect(!record.log.entries.contains { $0.hasPrefix("willUpdate") })
            #expect(record.log.entries.count { $0 == "willSave" } == 1)
            record.log.entries = []
            try record.save(db)
            #expect(!record.log.entries.contains("willInsert"))
            #expect(record.log.entries.count { $0 == "willSave" } == 1)
            #expect(record.log.entries.last == "didSave id: 1, name: 'Arthur!?'")
        }
    }

    @Test
    func `Callbacks of a deletion`() throws {
        try withDatabase(Player.createTable) { db throws in
            let record = Observed(id: try Player(name: "Arthur").inserted(db).id)
            try record.delete(db)
            try record.delete(db)
            #expect(
                record.log.entries == [
                    "willDelete", "aroundDelete begins", "aroundDelete ends", "didDelete true",
                    "willDelete", "aroundDelete begins", "aroundDelete ends", "didDelete false",
                ])
        }
    }

    @Test
    func `An update of a row that is not there ends before its last callbacks`() throws {
        try withDatabase(Player.createTable) { db throws in
            var record = Observed(id: 5)
            #expect(throws: RecordError.self) { try record.update(db) }
            #expect(record.log.entries.last == "aroundUpdate begins")
        }
    }

    private static let operations: [(name: String, around: [String])] = [
        ("insert", ["aroundSave", "aroundInsert"]), ("update", ["aroundSave", "aroundUpdate"]),
        ("save", ["aroundSave", "aroundUpdate"]), ("delete", ["aroundDelete"]), ("upsert", ["aroundSave", "aroundInsert"]),
        ("insertAndFetch", ["aroundSave", "aroundInsert"]), ("upsertAndFetch", ["aroundSave", "aroundInsert"]),
        ("updateAndFetch", ["aroundSave", "aroundUpdate"]), ("saveAndFetch", ["aroundSave", "aroundUpdate"]),
        ("updateChanges", ["aroundSave", "aroundUpdate"]), ("updateChangesAndFetch", ["aroundSave", "aroundUpdate"]),
        ("insertAll", ["aroundSave", "aroundInsert"]), ("upsertAll", ["aroundSave", "aroundInsert"]),
        ("updateAll", ["aroundSave", "aroundUpdate"]), ("saveAll", ["aroundSave", "aroundUpdate"]), ("deleteAll", ["aroundDelete"]),
    ]

    private static func isInsertion(_ operation: String) -> Bool { operation.hasPrefix("insert") || operation.hasPrefix("upsert") }

    private static func run(_ operation: String, _ record: inout Observed, _ db: Database) throws {
        let selection: [any SQLSelectable] = [Column("id")]
        func fetch(_ statement: Statement) throws -> Int? { try Int.fetchOne(statement) }
        var records = [record]
        switch operation {
        case "insert": try record.insert(db)
        case "update": try record.update(db)
        case "save": try record.save(db)
        case "delete": try record.delete(db)
        case "upsert": try record.upsert(db)
        case "insertAndFetch": _ = try record.insertAndFetch(db, selection: selection, fetch: fetch)
        case "upsertAndFetch": _ = try record.upsertAndFetch(db, as: Player.self)
        case "updateAndFetch": _ = try record.updateAndFetch(db, selection: selection, fetch: fetch)
        case "saveAndFetch": _ = try record.saveAndFetch(db, selection: selection, fetch: fetch)
        case "updateChanges": try record.updateChanges(db) { $0.name = "Barbara" }
        case "updateChangesAndFetch":
            _ = try record.updateChangesAndFetch(db, selection: selection, fetch: fetch) { $0.name = "Barbara" }
        case "insertAll": try records.insertAll(db)
        case "upsertAll": try records.upsertAll(db)
        case "updateAll": try records.updateAll(db)
        case "saveAll": try records.saveAll(db)
        case "deleteAll": try records.deleteAll(db)
        default: Issue.record("unknown operation \(operation)")
        }
    }

    @Test(arguments: operations.filter { isInsertion($0.name) })
    func `Callbacks are called in the same order by all methods that insert`(operation: String, around: [String]) throws {
        try withDatabase(Player.createTable) { db throws in
            var record = Observed()
            try Self.run(operation, &record, db)
            #expect(
                record.log.entries == [
                    "willSave", "aroundSave begins", "willInsert", "aroundInsert begins", "aroundInsert ends", "didInsert",
                    "aroundSave ends", "didSave id: 1, name: 'Arthur!'",
                ])
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Arthur!'"])
        }
    }

    @Test(arguments: operations.filter { $0.around.last == "aroundUpdate" })
    func `Callbacks are called in the same order by all methods that update`(operation: String, around: [String]) throws {
        try withDatabase(Player.createTable) { db throws in
            var record = Observed(id: try Player(name: "Arthur").inserted(db).id)
            try Self.run(operation, &record, db)
            let name = operation.contains("Changes") ? "Barbara?" : "Arthur?"
            #expect(
                record.log.entries == [
                    "willSave", "aroundSave begins", #"willUpdate ["name"]"#, "aroundUpdate begins", "aroundUpdate ends",
                    "didUpdate id: 1, name: '\(name)'", "aroundSave ends", "didSave id: 1, name: '\(name)'",
                ])
            #expect(try db.rows("SELECT id, name FROM player") == ["1 '\(name)'"])
        }
    }

    @Test(arguments: operations.flatMap { operation in operation.around.map { (operation.name, $0) } }, [false, true])
    func `An around callback that does not call its closure, or calls it twice, is an error that names it`(
        _ around: (operation: String, callback: String), _ callsTwice: Bool
    ) throws {
        let (operation, callback) = around
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db throws in
            try db.execute(sql: Player.createTable)
            _ = try Player(id: 1, name: "Craig").inserted(db)
            var record = Observed(id: Self.isInsertion(operation) ? nil : 1, misuse: (callback, callsTwice ? .secondCall : .noCall))
            let error = #expect(throws: DatabaseError.self) { try Self.run(operation, &record, db) }
            #expect(error?.resultCode == .SQLITE_MISUSE)
            let what = callsTwice ? "called its closure more than once" : "did not call its closure, or caught its error"
            #expect(error?.message == "\(callback) of Observed \(what)")
            // It is undone.
            #expect(!db.isInsideTransaction)
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Craig'"])
        }
    }

    @Test
    func `An around callback can't swallow the error of its closure`() throws {
        try withDatabase(Player.createTable) { db throws in
            _ = try Player(name: "Arthur!").inserted(db)
            for callback in ["aroundInsert", "aroundSave"] {
                var record = Observed(misuse: (callback, .swallow))
                let error = #expect(throws: DatabaseError.self) { try record.insert(db) }
                #expect(error?.message == "\(callback) of Observed did not call its closure, or caught its error")
                #expect(record.id == nil)
            }
        }
    }

    @Test(arguments: [
        ("insert", "willSave"), ("insert", "aroundSave begins"), ("insert", "willInsert"), ("insert", "aroundInsert begins"),
        ("insert", "aroundInsert ends"), ("insert", "aroundSave ends"), ("update", "willUpdate [\"name\"]"),
        ("update", "aroundUpdate begins"), ("update", "aroundUpdate ends"), ("update", "aroundSave ends"),
        ("save", "aroundUpdate ends"), ("upsert", "willInsert"), ("upsert", "aroundInsert ends"), ("upsert", "aroundSave ends"),
        ("insertAndFetch", "aroundInsert ends"), ("updateAndFetch", "aroundUpdate ends"), ("saveAndFetch", "aroundSave ends"),
        ("updateChanges", "aroundUpdate ends"), ("updateChangesAndFetch", "aroundSave ends"), ("insertAll", "aroundSave ends"),
        ("updateAll", "aroundUpdate ends"), ("deleteAll", "aroundDelete ends"), ("delete", "willDelete"),
        ("delete", "aroundDelete begins"),
        ("delete", "aroundDelete ends"),
    ])
    func `The error of a callback undoes the change`(operation: String, callback: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: Player.createTable)
            _ = try Player(id: 1, name: "Craig").inserted(db)
        }
        // Outside a transaction.
        try queue.writeWithoutTransaction { db throws in
            var record = Observed(id: Self.isInsertion(operation) ? nil : 1, failure: callback)
            #expect(throws: TestError.self) { try Self.run(operation, &record, db) }
            #expect(record.log.entries.last == callback)
            #expect(!db.isInsideTransaction)
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Craig'"])
        }
        // Inside one, when the error leaves it.
        #expect(throws: TestError.self) {
            try queue.write { db in
                var record = Observed(id: Self.isInsertion(operation) ? nil : 1, failure: callback)
                try Self.run(operation, &record, db)
            }
        }
        #expect(try queue.read { try $0.rows("SELECT id, name FROM player") } == ["1 'Craig'"])
        // And inside a savepoint that the program makes.
        try queue.write { db throws in
            var record = Observed(id: Self.isInsertion(operation) ? nil : 1, failure: callback)
            #expect(throws: TestError.self) {
                try db.inSavepoint {
                    try Self.run(operation, &record, db)
                    return .commit
                }
            }
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Craig'"])
        }
    }

    @Test
    func `Callbacks can use the database, and insert records of the same type`() throws {
        struct Chain: MutablePersistableRecord {
            static let databaseTableName = "player"
            var id: Int64?
            var name: String
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = name
            }
            func willSave(_ db: Database) throws {
                guard name.count > 1 else { return }
                var rest = Chain(name: String(name.dropLast()))
                try rest.insert(db)
            }
            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                let success = try insert()
                if name.count == 3 {
                    var other = Chain(name: "other")
                    other.name = "x"
                    try other.insert(db)
                    // These are still the values of the first record.
                    precondition(success.persistenceContainer["name"] == name)
                }
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withDatabase("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)") { db throws in
            var chain = Chain(name: "abc")
            try chain.insert(db)
            #expect(chain.id == 3)
            #expect(try db.rows("SELECT * FROM player") == ["1 'a'", "2 'ab'", "3 'abc'", "4 'x'"])
        }
    }
}
