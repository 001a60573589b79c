import CSQLiteShims
import Foundation
import Persistence
import Testing

// When batches have groups, and what groups leave behind.

/// A record that encodes the columns it is given, and stores its row ID.
private struct Slip: MutablePersistableRecord {
    static let databaseTableName = "item"
    var columns: KeyValuePairs<String, (any DatabaseValueConvertible)?>
    var id: Int64?

    init(_ columns: KeyValuePairs<String, (any DatabaseValueConvertible)?>) { self.columns = columns }

    func encode(to container: inout PersistenceContainer) { for (name, value) in columns { container[name] = value } }
    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A record without callbacks.
private struct Plain: PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64?
    var a = 1

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["a"] = a
    }
}

/// An object that stores its row ID, also if its batch fails.
private final class Object: PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64?
    let name: String
    let value: DatabaseValue

    init(_ name: String, _ value: some DatabaseValueConvertible) { (self.name, self.value) = (name, value.databaseValue) }

    func encode(to container: inout PersistenceContainer) {
        container[name] = value
        container["b"] = 1
    }
    func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private let table = "CREATE TABLE item (id INTEGER PRIMARY KEY, a, b)"

@Suite struct GroupConditionTests {
    // MARK: - Callbacks

    @Test
    func `A type with only one of the callbacks that get row IDs is called back`() throws {
        final class Saved: PersistableRecord {
            static let databaseTableName = "item"
            var ids: [DatabaseValue?] = []
            func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
            func didSave(_ saved: PersistenceSuccess) { ids.append(saved.persistenceContainer.databaseValue(forColumn: "a")) }
        }
        try withDatabase(table) { db throws in
            let objects = (0..<100).map { _ in Saved() }
            #expect(try db.groups { try objects.insertAll(db) }.count == 3)
            #expect(objects.allSatisfy { $0.ids == [1.databaseValue] })
            let inserted = (0..<100).map { _ in Object("a", 1) }
            #expect(try db.groups { try inserted.insertAll(db) }.count == 3)
            #expect(inserted.map(\.id) == (101...200).map { $0 })
        }
    }

    @Test
    func `A batch has groups as soon as its type is known to leave out the callbacks`() throws {
        try withDatabase("\(table); INSERT INTO item VALUES (0, 1, NULL)") { db throws in
            // The first record inserts nothing, so didInsert is not called.
            let records = (0..<200).map { Plain(id: Int64($0)) }
            #expect(try db.groups { try records.upsertAll(db, updating: .allColumns.ifChanged) }.count > 3)
            #expect(try Plain.fetchCount(db) == 200)
        }
    }

    @Test
    func `Objects may occur again`() throws {
        final class Untold: PersistableRecord {
            static let databaseTableName = "item"
            func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
        }
        try withDatabase(table) { db throws in
            // In another group, also those that get their row IDs.
            let objects = (0..<65).map { _ in Object("a", 1) }
            #expect(try db.groups { try (objects + objects).insertAll(db) }.count == 4)
            #expect(objects.map(\.id) == (66...130).map { $0 })
            // In the same group, those that get none.
            let same = Untold()
            #expect(try db.groups { try (0..<97).map { _ in same }.insertAll(db) }.count == 3)
            #expect(try Plain.fetchCount(db) == 130 + 97)
        }
    }

    @Test
    func `An object of a subclass is written by its own plan`() throws {
        class Parent: PersistableRecord {
            class var databaseTableName: String { "item" }
            func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
        }
        final class Child: Parent {
            override class var databaseTableName: String { "child" }
        }
        try withDatabase("\(table); CREATE TABLE child (a)") { db throws in
            let objects = (0..<200).map { [50, 64, 150].contains($0) ? Child() : Parent() }
            #expect(try db.groups { try objects.insertAll(db) }.count > 2)
            #expect(try db.rows("SELECT (SELECT count(*) FROM item), (SELECT count(*) FROM child)") == ["197 3"])
        }
    }

    @Test
    func `A batch of subclasses does not ask for the table of their superclass`() throws {
        class Parent: PersistableRecord {
            class var databaseTableName: String { fatalError("The type was asked for its table.") }
            func encode(to container: inout PersistenceContainer) { container["a"] = 1 }
        }
        final class Child: Parent {
            override class var databaseTableName: String { "item" }
        }
        try withDatabase(table) { db throws in
            let objects: [Parent] = (0..<100).map { _ in Child() }
            #expect(try db.groups { try objects.insertAll(db) }.isEmpty)
            #expect(try Plain.fetchCount(db) == 100)
        }
    }

    // MARK: - Statements

    @Test
    func `Only insertions keep the rows before a failure`() throws {
        try withDatabase("\(table); INSERT INTO item VALUES (20, 0, 0), (40, 0, 0)") { db throws in
            let records = (0..<100).map { Plain(id: Int64($0)) }
            let replacing = try db.groups { try records.insertAll(db, onConflict: .replace) }
            #expect(replacing.count == 3 && replacing.allSatisfy { $0.hasPrefix("INSERT OR REPLACE INTO") })
            let upserting = try db.groups { try records.upsertAll(db) }
            #expect(upserting.count == 3 && upserting.allSatisfy { $0.hasPrefix("INSERT INTO") })
        }
    }

    @Test
    func `A group of many columns never exceeds the length of SQL`() throws {
        struct Wide: PersistableRecord {
            static let databaseTableName = "item"
            static let names = (0..<20).map { "c\($0)" }
            func encode(to container: inout PersistenceContainer) { for name in Self.names { container[name] = 1 } }
        }
        try withDatabase("CREATE TABLE item (c0 INTEGER PRIMARY KEY, \(Wide.names.dropFirst().joined(separator: ", ")))") { db throws in
            let records = Array(repeating: Wide(), count: 64)
            // If a statement were too long, there would be no groups. A row takes 62 bytes.
            for limit in stride(from: 2000, to: 2124, by: 3) {
                db.setLimit(.sqlLength, to: limit)
                #expect(try !db.groups { try records.insertAll(db, onConflict: .replace) }.isEmpty, "\(limit)")
                #expect(try !db.groups { try records.upsertAll(db) }.isEmpty, "\(limit)")
            }
        }
    }

    @Test(arguments: [false, true])
    func `After a batch, its only statement for groups is kept, and refers to no values`(_ isSequence: Bool) throws {
        try withDatabase(table) { db throws in
            for count in [300, 64] {
                var records = (0..<count).map { Slip(["a": "short \($0)", "b": "a longer string, number \($0)"]) }
                if isSequence { records = try AnySequence(records).insertedAll(db) } else { try records.insertAll(db) }
                var statements: [String] = []
                var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
                while statement != nil {
                    if let text = sqlite3_expanded_sql(statement) {
                        statements.append(String(cString: text))
                        sqlite3_free(text)
                    }
                    statement = sqlite3_next_stmt(db.sqliteConnection, statement)
                }
                let rows = Array(repeating: "(NULL, NULL)", count: 32).joined(separator: ", ")
                #expect(
                    statements.filter { $0.contains("), (") } == [#"INSERT OR FAIL INTO "item" ("a", "b") VALUES \#(rows)"#])
            }
        }
    }

    @Test(arguments: [false, true])
    func `After a batch, the values of its groups are released`(_ isSequence: Bool) throws {
        struct Holder: PersistableRecord {
            static let databaseTableName = "item"
            var a: Data
            var hasOtherLayout = false
            func encode(to container: inout PersistenceContainer) {
                container["a"] = a
                if hasOtherLayout { container["b"] = 1 }
            }
        }
        let released = Locked(0)
        func makeData() -> Data {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 100_000, alignment: 1)
            memory.initializeMemory(as: UInt8.self, repeating: 1, count: 100_000)
            return Data(
                bytesNoCopy: memory, count: 30_000,
                deallocator: .custom { pointer, _ in
                    pointer.deallocate()
                    released.increment()
                })
        }
        try withDatabase(table) { db throws in
            // Two groups, which take turns.
            func write() throws {
                let records = (0..<300).map { Holder(a: makeData(), hasOtherLayout: $0 > 90 && $0 < 200) }
                #expect(try db.groups { try isSequence ? AnySequence(records).insertAll(db) : records.insertAll(db) }.count > 5)
            }
            try write()
            // The last record that was written alone is kept.
            #expect(released.value >= 298)
        }
    }

    // MARK: - Memory

    @Test(arguments: [false, true])
    func `A group has up to a mebibyte in memory`(_ isBlob: Bool) throws {
        for (size, count) in [(32768, 3), (32769, 0), (10_000, 3)] {
            try withDatabase(table) { db throws in
                // The first record, which is written alone, prepares the plan.
                let first = isBlob ? Data(count: 20).databaseValue : "a string of 20 bytes".databaseValue
                let value = isBlob ? Data(count: size).databaseValue : String(repeating: "x", count: size).databaseValue
                var records = (0..<97).map { Slip(["a": $0 == 0 ? first : value]) }
                #expect(try db.groups { try records.insertAll(db) }.count == count, "\(size)")
                #expect(records.map(\.id) == (1...97).map { $0 })
            }
        }
    }

    @Test
    func `After a group that could not be written, as many records are written one by one`() throws {
        try withDatabase(table) { db throws in
            // The record after the first one has a layout of its own.
            var records = (0..<99).map { $0 == 1 ? Slip(["a": 1, "b": 2]) : Slip(["a": 1]) }
            #expect(try db.groups { try records.insertAll(db) }.count == 2)
        }
    }

    // MARK: - Row IDs

    @Test
    func `A column that has a name of the row ID is an ordinary column`() throws {
        // The second table has no name for its row ID.
        for sql in ["CREATE TABLE item (rowid INTEGER, a)", "CREATE TABLE item (rowid INTEGER, a, oid, _rowid_)"] {
            let count = try Database.expectSame(sql) { db, progress in
                var records = (0..<100).map { Slip(["rowid": 1000 - $0, "a": 1]) }
                try records.insertAll(db, progress: progress)
                return records.map(\.id)
            }
            #expect(count == 3, "\(sql)")
        }
    }

    @Test
    func `Rows without row IDs are written in groups`() throws {
        #expect(
            try Database.expectSame("CREATE TABLE item (a PRIMARY KEY) WITHOUT ROWID") { db, progress in
                var records = (0..<100).map { Slip(["a": "key \($0)"]) }
                try records.insertAll(db, progress: progress)
                return records.map(\.id)
            } == 3)
    }

    @Test
    func `A short string as the row ID is not taken for the integer before it`() throws {
        #expect(
            try Database.expectSame(table) { db, progress in
                var records = (1...200).map { Slip(["id": $0 < 100 || $0 > 110 ? $0 : "\($0 * 10)", "a": $0]) }
                try records.insertAll(db, progress: progress)
                return records.map(\.id)
            } > 3)
    }

    @Test
    func `The position of the row ID is that in the records of the batch`() throws {
        try withDatabase(table) { db throws in
            var first = Slip(["id": 1, "a": 1])
            try first.insert(db)
            // Uses the same memory, and another plan.
            var other = Slip(["a": 1, "id": 1000])
            try other.upsert(db)
            var records = (0..<100).map { Slip(["id": $0 + 2, "a": 500 - $0]) }
            #expect(try !db.groups { try records.insertAll(db) }.isEmpty)
            #expect(records.map(\.id) == (2...101).map { $0 })
        }
    }

    @Test
    func `The largest row ID is looked up again after other writes`() throws {
        func isFound(_ records: [Slip], _ db: Database) throws -> Bool {
            try records.allSatisfy { record in
                let a = record.columns.last?.value?.databaseValue
                return try Int.fetchOne(db, sql: "SELECT a FROM item WHERE id = ?", arguments: [record.id])?.databaseValue == a
            }
        }
        // A record of the batch has a large row ID.
        try withDatabase(table) { db throws in
            let given: [Int: Int64] = Dictionary(uniqueKeysWithValues: (33..<65).map { ($0, $0 == 40 ? Int64.max - 10 : Int64($0) + 500) })
            var records = (0..<200).map { Slip(["id": given[$0], "a": $0]) }
            #expect(try db.groups { try records.insertAll(db) }.count == 2)
            #expect(try isFound(records, db))
        }
        // Another connection writes between two batches.
        let folder = try TemporaryFolder()
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: table)
            var first = Slip(["id": nil, "a": 0])
            try first.insert(db)
            for rowID: Int64 in [1000, Int64.max - 10] {
                // The last record is written in a group, too.
                var records = (1...96).map { Slip(["id": nil, "a": $0]) }
                #expect(try db.groups { try records.insertAll(db) }.count == 3)
                #expect(try isFound(records, db))
                try other.write { try $0.execute(sql: "INSERT INTO item VALUES (?, 0, 0)", arguments: [rowID]) }
                records = (1...96).map { Slip(["id": nil, "a": 100 + $0]) }
                #expect(try db.groups { try records.insertAll(db) }.count == (rowID == 1000 ? 3 : 0))
                #expect(try isFound(records, db))
            }
        }
    }

    @Test
    func `The largest row ID is looked up once, and only if SQLite chooses the row IDs`() throws {
        func lookups(_ db: Database, _ body: () throws -> Void) throws -> Int {
            final class Counter { var count = 0 }
            let counter = Counter()
            db.trace(options: [.statement, .includingInternal]) { if "\($0)".hasPrefix("SELECT max(") { counter.count += 1 } }
            defer { db.trace(nil) }
            try body()
            return counter.count
        }
        try withDatabase(table) { db throws in
            var records = (0..<200).map { Slip(["id": nil, "a": $0]) }
            #expect(try lookups(db) { try records.insertAll(db) } == 1)
            records = (0..<200).map { Slip(["id": $0 + 1000, "a": $0]) }
            #expect(try lookups(db) { try records.insertAll(db) } == 0)
            let plain = (0..<200).map { _ in Plain() }
            #expect(try lookups(db) { try plain.insertAll(db) } == 0)
        }
    }

    @Test
    func `A group ends with the largest row ID but one`() throws {
        for (distance, count) in [(33, 1), (32, 0)] {
            try withDatabase(table) { db throws in
                var records = (0..<64).map { Slip(["id": nil, "a": $0]) }
                try records.insertAll(db)
                try db.execute(sql: "INSERT INTO item VALUES (?, 0, 0)", arguments: [Int64.max - Int64(distance)])
                records = (0..<64).map { Slip(["id": nil, "a": $0]) }
                #expect(try db.groups { try records.insertAll(db) }.count == count)
                #expect(records[0].id == Int64.max - Int64(distance) + 1)
                #expect(try Plain.fetchCount(db) == 129)
            }
        }
    }

    // MARK: - Errors

    @Test(arguments: [
        ("CREATE TABLE item (b, id TEXT PRIMARY KEY)", "id"), ("CREATE TABLE item (b, id INTEGER PRIMARY KEY)", "id"),
        ("CREATE TABLE item (b, id TEXT PRIMARY KEY) WITHOUT ROWID", "id"), ("CREATE TABLE item (b)", "rowid"),
    ])
    func `Before a key that exists, the records have their row IDs`(_ sql: String, _ name: String) throws {
        #expect(
            try Database.expectSame(sql) { db, progress in
                let objects = (0..<100).map { Object(name, $0 == 50 ? 40 : $0) }
                #expect(throws: DatabaseError.self) { try objects.insertAll(db, progress: progress) }
                return objects.map(\.id)
            } == 2)
    }

    @Test(arguments: [
        // A string that is not an integer, and a value that is too long.
        ("\(table)", DatabaseValue(storage: .string("x"))),
        (
            "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, CHECK (length(zeroblob(a)) >= 0))",
            DatabaseValue(storage: .int64(Int64(Int32.max)))
        ),
    ])
    func `An error that is not a constraint's names its record`(_ sql: String, _ value: DatabaseValue) throws {
        struct Keyed: PersistableRecord {
            static let databaseTableName = "item"
            var value: DatabaseValue
            func encode(to container: inout PersistenceContainer) {
                if case .string = value.storage { container["id"] = value } else { container["a"] = value }
            }
        }
        #expect(
            try Database.expectSame(sql, isCounted: false) { db, progress in
                let name = if case .string = value.storage { true } else { false }
                try (1...100).map { Keyed(value: $0 == 50 ? value : name ? "\($0)".databaseValue : $0.databaseValue) }
                    .insertAll(db, progress: progress)
                return []
            } == 2)
    }

    @Test
    func `A group that gets no lock is not tried again row by row`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        let other = try DatabaseQueue(path: folder.path("a.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: table)
            let records = (0..<100).map { _ in Plain() }
            try records.insertAll(db)
            try other.inTransaction(.immediate) { _ in
                try db.inTransaction(.deferred) {
                    let statements = try db.statements { expectError(.SQLITE_BUSY) { try records.insertAll(db) } }
                    #expect(statements.filter { $0.hasPrefix("INSERT") }.count == 1)
                    return .rollback
                }
                return .rollback
            }
            try records.insertAll(db)
            #expect(try Plain.fetchCount(db) == 200)
        }
    }

    // MARK: - Engines

    @Test
    func `A connection with an engine has no groups`() throws {
        final class Engine: DatabaseEngine {
            func open(_ db: Database) {}
            func plan(for statement: CompiledStatement, in db: Database) -> StatementPlan? { nil }
            func renewSchema(of db: Database) -> Bool { false }
            func statementWillBegin(_ statement: Statement, plan: StatementPlan) {}
            func statementDidEnd(_ statement: Statement, plan: StatementPlan) {}
            func statementDidFail(_ statement: Statement, plan: StatementPlan, with error: any Error) -> any Error { error }
            func commit() -> Bool { true }
            func interrupt() {}
            func close() {}
        }
        var configuration = Configuration()
        configuration.makeEngine = { Engine() }
        try DatabaseQueue(configuration: configuration).write { db in
            try db.execute(sql: table)
            let records = (0..<100).map { _ in Plain() }
            #expect(try db.groups { try records.insertAll(db) }.isEmpty)
            #expect(try Plain.fetchCount(db) == 100)
        }
    }
}
