import Persistence
import Testing

// The first records of a type show which callbacks it lacks, and later records skip them: each method is called several times.

/// What callbacks were called, in order.
private final class Log {
    var entries: [String] = []

    func takeEntries() -> [String] {
        defer { entries = [] }
        return entries
    }
}

/// A record of the table `player`, which some types below give one callback each.
private protocol Logged: MutablePersistableRecord {
    var id: Int64? { get set }
    var name: String { get set }
    var log: Log { get }
    init(id: Int64?, name: String, log: Log)
}

extension Logged {
    static var databaseTableName: String { "player" }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
    }
}

private struct WithWillSave: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func willSave(_ db: Database) throws { log.entries.append("willSave") }
}

private struct WithAroundSave: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        let text = try save().persistenceContainer.text
        log.entries.append("aroundSave \(text)")
    }
}

private struct WithDidSave: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func didSave(_ saved: PersistenceSuccess) { log.entries.append("didSave \(saved.persistenceContainer.text)") }
}

private struct WithWillInsert: Logged {
    var id: Int64?
    var name: String
    var log: Log
    mutating func willInsert(_ db: Database) throws {
        log.entries.append("willInsert")
        name += "!"
    }
}

private struct WithAroundInsert: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        let rowID = try insert().rowID
        log.entries.append("aroundInsert \(rowID)")
    }
}

private struct WithDidInsert: Logged {
    var id: Int64?
    var name: String
    var log: Log
    mutating func didInsert(_ inserted: InsertionSuccess) { log.entries.append("didInsert \(inserted.rowID)") }
}

private struct WithWillUpdate: Logged {
    var id: Int64?
    var name: String
    var log: Log
    mutating func willUpdate(_ db: Database, columns: Set<String>) throws {
        log.entries.append("willUpdate \(columns.sorted())")
        name += "?"
    }
}

private struct WithAroundUpdate: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
        let text = try update().persistenceContainer.text
        log.entries.append("aroundUpdate \(columns.sorted()) \(text)")
    }
}

private struct WithDidUpdate: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func didUpdate(_ updated: PersistenceSuccess) { log.entries.append("didUpdate \(updated.persistenceContainer.text)") }
}

private struct WithWillDelete: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func willDelete(_ db: Database) throws { log.entries.append("willDelete") }
}

private struct WithAroundDelete: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        let isDeleted = try delete()
        log.entries.append("aroundDelete \(isDeleted)")
    }
}

private struct WithDidDelete: Logged {
    var id: Int64?
    var name: String
    var log: Log
    func didDelete(deleted: Bool) { log.entries.append("didDelete \(deleted)") }
}

@Suite struct FewCallbacksTests {
    /// The callbacks that a record type's methods call, the third time that each of them is called.
    private func calls<Record: Logged>(of type: Record.Type) throws -> [String: [String]] {
        try withDatabase(Player.createTable) { db in
            var calls: [String: [String]] = [:]
            for round in 1...3 {
                let log = Log()
                func note(_ method: String, _ body: () throws -> Void) throws {
                    try body()
                    calls[method] = log.takeEntries()
                }
                try db.execute(sql: "DELETE FROM player")
                var record = Record(id: 1, name: "Arthur \(round)", log: log)
                try note("insert") { try record.insert(db) }
                record.name = "Barbara \(round)"
                try note("update") { try record.update(db) }
                try note("updateChanges") { try record.updateChanges(db) { $0.name = "Craig \(round)" } }
                record.name = "David \(round)"
                try note("save, update") { try record.save(db) }
                var other = Record(id: 2, name: "Elvis \(round)", log: log)
                try note("save, insert") { try other.save(db) }
                try note("delete") { try other.delete(db) }
            }
            return calls.filter { !$1.isEmpty }
        }
    }

    @Test
    func `A callback is called by the methods that say so, when it is the only one of a type`() throws {
        #expect(
            try calls(of: WithWillSave.self) == [
                "insert": ["willSave"], "update": ["willSave"], "updateChanges": ["willSave"], "save, update": ["willSave"],
                "save, insert": ["willSave"],
            ])
        #expect(
            try calls(of: WithAroundSave.self) == [
                "insert": ["aroundSave id: 1, name: 'Arthur 3'"], "update": ["aroundSave id: 1, name: 'Barbara 3'"],
                "updateChanges": ["aroundSave id: 1, name: 'Craig 3'"], "save, update": ["aroundSave id: 1, name: 'David 3'"],
                "save, insert": ["aroundSave id: 2, name: 'Elvis 3'"],
            ])
        #expect(
            try calls(of: WithDidSave.self) == [
                "insert": ["didSave id: 1, name: 'Arthur 3'"], "update": ["didSave id: 1, name: 'Barbara 3'"],
                "updateChanges": ["didSave id: 1, name: 'Craig 3'"], "save, update": ["didSave id: 1, name: 'David 3'"],
                "save, insert": ["didSave id: 2, name: 'Elvis 3'"],
            ])
        #expect(try calls(of: WithWillInsert.self) == ["insert": ["willInsert"], "save, insert": ["willInsert"]])
        #expect(try calls(of: WithAroundInsert.self) == ["insert": ["aroundInsert 1"], "save, insert": ["aroundInsert 2"]])
        #expect(try calls(of: WithDidInsert.self) == ["insert": ["didInsert 1"], "save, insert": ["didInsert 2"]])
        let willUpdate = [#"willUpdate ["name"]"#]
        #expect(
            try calls(of: WithWillUpdate.self) == ["update": willUpdate, "updateChanges": willUpdate, "save, update": willUpdate])
        #expect(
            try calls(of: WithAroundUpdate.self) == [
                "update": [#"aroundUpdate ["name"] id: 1, name: 'Barbara 3'"#],
                "updateChanges": [#"aroundUpdate ["name"] id: 1, name: 'Craig 3'"#],
                "save, update": [#"aroundUpdate ["name"] id: 1, name: 'David 3'"#],
            ])
        #expect(
            try calls(of: WithDidUpdate.self) == [
                "update": ["didUpdate id: 1, name: 'Barbara 3'"], "updateChanges": ["didUpdate id: 1, name: 'Craig 3'"],
                "save, update": ["didUpdate id: 1, name: 'David 3'"],
            ])
        #expect(try calls(of: WithWillDelete.self) == ["delete": ["willDelete"]])
        #expect(try calls(of: WithAroundDelete.self) == ["delete": ["aroundDelete true"]])
        #expect(try calls(of: WithDidDelete.self) == ["delete": ["didDelete true"]])
    }

    @Test
    func `What a callback changes is written, when it is the only one of a type`() throws {
        try withDatabase(Player.createTable) { db throws in
            for id in 1...3 as ClosedRange<Int64> {
                var inserted = WithWillInsert(id: id, name: "Arthur \(id)", log: Log())
                try inserted.save(db)
                #expect(inserted.name == "Arthur \(id)!")
                var updated = WithWillUpdate(id: id, name: "Barbara \(id)", log: Log())
                try updated.save(db)
                #expect(updated.name == "Barbara \(id)?")
                #expect(try updated.updateChanges(db) { $0.name = "Craig \(id)" })
                #expect(updated.name == "Craig \(id)?")
            }
            #expect(try db.rows("SELECT id, name FROM player") == ["1 'Craig 1?'", "2 'Craig 2?'", "3 'Craig 3?'"])
        }
    }

    @Test
    func `Types of the same table may leave out different callbacks, and so may a class and what inherits from it`() throws {
        class Base: PersistableRecord {
            class var databaseTableName: String { "player" }
            var id: Int64
            var name = "Arthur"
            init(id: Int64) { self.id = id }
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["name"] = "\(name) \(id)"
            }
            func willUpdate(_ db: Database, columns: Set<String>) throws {}
        }
        final class Derived: Base {
            override func willUpdate(_ db: Database, columns: Set<String>) throws { name = "Barbara" }
        }
        try withDatabase(Player.createTable) { db throws in
            for id in [1, 3, 5] as [Int64] {
                let records = [Base(id: id), Derived(id: id + 1)]
                for record in records {
                    try record.insert(db)
                    try record.update(db)
                    try record.save(db)
                }
                try Derived(id: id + 1).save(db)
                var player = Player(id: id, name: "Craig \(id)")
                try player.save(db)
            }
            #expect(
                try db.rows("SELECT id, name FROM player ORDER BY id") == [
                    "1 'Craig 1'", "2 'Barbara 2'", "3 'Craig 3'", "4 'Barbara 4'", "5 'Craig 5'", "6 'Barbara 6'",
                ])
        }
    }
}
