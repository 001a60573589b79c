import Foundation
import Strata
import Testing

@Suite struct WritingTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try Player.makeTable($0) }
    }

    // MARK: Missing rows

    @Test
    func `Updating a missing record names the table and the key`() throws {
        try queue.write { (db) throws in
            let player = Player(id: 42, name: "Nobody", score: 0)
            let error = #expect(throws: RecordError.self) { try player.update(db) }
            guard case .recordNotFound(let table, let key)? = error else { return }
            #expect(table == "player")
            #expect(key == ["id": 42.databaseValue])
            #expect(error?.expandedDescription == "no row in table player with id = 42")

            let found = #expect(throws: RecordError.self) { try Player.find(db, key: 42) }
            #expect(found?.expandedDescription == "no row in table player with id = 42")
            #expect(try player.delete(db) == false)
            #expect(try player.exists(db) == false)
            let nameless = Player(id: nil, name: "Nobody", score: 0)
            #expect(throws: RecordError.self) { try nameless.update(db) }
            #expect(try nameless.delete(db) == false)
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    // MARK: Values that can't be stored

    struct Measure<Value: DatabaseValueConvertible & Sendable>: MutablePersistableRecord {
        static var databaseTableName: String { "measure" }
        var id: Int64
        var value: Value

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["value"] = value
        }
    }

    struct CodableMeasure<Value: Codable & Sendable>: Codable, MutablePersistableRecord {
        static var databaseTableName: String { "measure" }
        var id: Int64
        var value: Value
    }

    /// Writes a record between two others, in whose statements and memory it is written.
    private func write(_ good: some MutablePersistableRecord, _ bad: some MutablePersistableRecord) throws -> DatabaseError? {
        try queue.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS measure (id INTEGER PRIMARY KEY, value)") }
        return try queue.writeWithoutTransaction { db in
            var good = good
            var bad = bad
            try good.insert(db)
            let error = #expect(throws: DatabaseError.self) { try bad.insert(db) }
            #expect(!db.isInsideTransaction)
            #expect(throws: DatabaseError.self) { try bad.update(db) }
            #expect(throws: DatabaseError.self) { try bad.save(db) }
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM measure") == [1])
            try good.update(db)
            try good.delete(db)
            try good.insert(db)
            #expect(try Int.fetchAll(db, sql: "SELECT id FROM measure") == [1])
            try good.delete(db)
            return error
        }
    }

    @Test
    func `A UInt64 over the maximum is an error, whose expanded description names it`() throws {
        let value = UInt64(Int64.max) + 1
        for error in [
            try write(Measure(id: 1, value: 1 as UInt64), Measure(id: 2, value: value)),
            try write(CodableMeasure(id: 1, value: 1 as UInt64), CodableMeasure(id: 2, value: value)),
        ] {
            #expect(error?.resultCode == .SQLITE_MISMATCH)
            #expect(error?.description.contains("9223372036854775808") == false)
            #expect(error?.expandedDescription.contains("9223372036854775808") == true)
        }
    }

    @Test
    func `A date that is out of range is an error that names it`() throws {
        for date in [
            Date.distantFuture.addingTimeInterval(1e12), Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: .nan),
        ] {
            for error in [
                try write(Measure(id: 1, value: Date.distantPast), Measure(id: 2, value: date)),
                try write(CodableMeasure(id: 1, value: Date.distantFuture), CodableMeasure(id: 2, value: date)),
            ] {
                #expect(error?.resultCode == .SQLITE_MISMATCH)
                #expect(error?.message?.lowercased().contains("date") == true, "\(error.map { "\($0)" } ?? "")")
            }
        }
    }

    @Test
    func `A decimal that is not a number is an error`() throws {
        for error in [
            try write(Measure(id: 1, value: Decimal(1)), Measure(id: 2, value: Decimal.nan)),
            try write(CodableMeasure(id: 1, value: Decimal(1)), CodableMeasure(id: 2, value: Decimal.nan)),
        ] {
            #expect(error?.resultCode == .SQLITE_MISMATCH)
        }
    }

    @Test
    func `A NaN is stored as NULL`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE measure (id INTEGER PRIMARY KEY, value)")
            var measure = Measure(id: 1, value: Double.nan)
            try measure.insert(db)
            var other = CodableMeasure(id: 2, value: Double.nan)
            try other.insert(db)
            #expect(try Bool.fetchAll(db, sql: "SELECT value IS NULL FROM measure") == [true, true])
            #expect(throws: RowDecodingError.self) { try Double.fetchAll(db, sql: "SELECT value FROM measure") }
        }
    }

    @Test
    func `Extremes survive a round trip`() throws {
        try queue.write { db in
            for score in [Int.min, -1, 0, 1, .max] {
                let player = Player(id: Int64(score), name: "\0", score: score)
                var inserted = player
                try inserted.insert(db, onConflict: .replace)
                #expect(try Player.fetchOne(db, key: score) == player)
                #expect(inserted.id == Int64(score))
            }
        }
    }

    // MARK: Constraints

    @Test
    func `A constraint that fails undoes the record and nothing else`() throws {
        try queue.write { db in
            var player = Player(id: 1, name: "Another", score: 1)
            let error = expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) { try player.insert(db) }
            #expect(error?.message == "UNIQUE constraint failed: player.id")
            #expect(error?.sql?.contains("INSERT INTO \"player\"") == true)
            player.id = nil
            try player.insert(db)
            #expect(player.id == 4)
        }
        #expect(try queue.read { try Player.fetchCount($0) } == 4)
    }

    @Test
    func `A conflict that rolls back is what the caller gets`() throws {
        let error = expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) {
            try queue.write { db in
                var first = Player(id: nil, name: "David", score: 1)
                try first.insert(db)
                var second = Player.arthur
                expectError(.SQLITE_CONSTRAINT_PRIMARYKEY) { try second.insert(db, onConflict: .rollback) }
                var third = Player(id: nil, name: "Eve", score: 1)
                expectError(.SQLITE_ABORT_ROLLBACK) { try third.insert(db) }
                expectError(.SQLITE_ABORT_ROLLBACK) { try Player.fetchAll(db) }
            }
        }
        #expect(error?.sql?.hasPrefix("INSERT OR ROLLBACK") == true)
        #expect(try queue.read { try Player.fetchAll($0) } == [.arthur, .barbara, .craig])
    }

    // MARK: Callbacks

    /// A player one of whose callbacks throws.
    struct Fragile: MutablePersistableRecord {
        static let databaseTableName = "player"

        enum Callback: String, CaseIterable, Sendable {
            case willInsert, beforeInsert, afterInsert, willSave, beforeSave, afterSave, willUpdate, beforeUpdate, afterUpdate
            case willDelete, beforeDelete, afterDelete

            static let ofInsert: [Callback] = [.willInsert, .beforeInsert, .afterInsert, .willSave, .beforeSave, .afterSave]
            static let ofUpdate: [Callback] = [.willUpdate, .beforeUpdate, .afterUpdate, .willSave, .beforeSave, .afterSave]
            static let ofDelete: [Callback] = [.willDelete, .beforeDelete, .afterDelete]
        }

        var id: Int64?
        var name: String
        var score = 0
        var throwing: Callback?

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["name"] = name
            container["score"] = score
        }

        private func reach(_ callback: Callback) throws {
            if throwing == callback { throw TestError() }
        }

        func willInsert(_ db: Database) throws { try reach(.willInsert) }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            try reach(.beforeInsert)
            _ = try insert()
            try reach(.afterInsert)
        }
        func willSave(_ db: Database) throws { try reach(.willSave) }
        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            try reach(.beforeSave)
            _ = try save()
            try reach(.afterSave)
        }
        func willUpdate(_ db: Database, columns: Set<String>) throws { try reach(.willUpdate) }
        func aroundUpdate(_ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess) throws {
            try reach(.beforeUpdate)
            _ = try update()
            try reach(.afterUpdate)
        }
        func willDelete(_ db: Database) throws { try reach(.willDelete) }
        func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
            try reach(.beforeDelete)
            _ = try delete()
            try reach(.afterDelete)
        }
    }

    @Test(arguments: Fragile.Callback.allCases)
    func `A callback that throws outside transactions leaves nothing behind`(_ callback: Fragile.Callback) throws {
        try queue.writeWithoutTransaction { db in
            var new = Fragile(id: nil, name: "David", throwing: callback)
            if Fragile.Callback.ofInsert.contains(callback) {
                #expect(throws: TestError.self) { try new.insert(db) }
                #expect(throws: TestError.self) { try new.save(db) }
            }
            var old = Fragile(id: 1, name: "Changed", throwing: callback)
            if Fragile.Callback.ofUpdate.contains(callback) {
                #expect(throws: TestError.self) { try old.update(db) }
                #expect(throws: TestError.self) { try old.save(db) }
            }
            if Fragile.Callback.ofDelete.contains(callback) {
                #expect(throws: TestError.self) { try old.delete(db) }
            }
            #expect(!db.isInsideTransaction)
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
            // The statements and the memory of the record that failed serve the next one.
            new.throwing = nil
            try new.insert(db)
            #expect(try Player.fetchOne(db, key: 4)?.name == "David")
        }
    }

    @Test(arguments: Fragile.Callback.allCases)
    func `A callback that throws inside a transaction undoes it when the error leaves it`(_ callback: Fragile.Callback) throws {
        #expect(throws: TestError.self) {
            try queue.write { db in
                var first = Player(id: nil, name: "David", score: 1)
                try first.insert(db)
                var record = Fragile(id: Fragile.Callback.ofInsert.contains(callback) ? nil : 1, name: "Changed", throwing: callback)
                if Fragile.Callback.ofInsert.contains(callback) {
                    try record.insert(db)
                } else if Fragile.Callback.ofUpdate.contains(callback) {
                    try record.update(db)
                } else {
                    try record.delete(db)
                }
            }
        }
        #expect(try queue.read { try Player.fetchAll($0) } == [.arthur, .barbara, .craig])
    }

    @Test
    func `A callback may write records of its own type`() throws {
        struct Doubling: MutablePersistableRecord, Encodable {
            static let databaseTableName = "player"
            var id: Int64?
            var name: String
            var score: Int

            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                if score > 0 {
                    var before = Doubling(id: nil, name: name + " before", score: score - 1)
                    try before.insert(db)
                }
                _ = try insert()
                if score > 0 {
                    var after = Doubling(id: nil, name: name + " after", score: score - 1)
                    try after.insert(db)
                }
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try queue.write { db in
            try db.execute(sql: "DELETE FROM player")
            var record = Doubling(id: nil, name: "a", score: 2)
            try record.insert(db)
            #expect(
                try String.fetchAll(db, sql: "SELECT name FROM player ORDER BY id")
                    == ["a before before", "a before", "a before after", "a", "a after before", "a after", "a after after"])
            #expect(record.id == 4)
            #expect(try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = ?", arguments: [record.id]) == "a")
        }
    }
}
