import CSQLiteShims
import Foundation
import Persistence
import Testing

// Batches in groups.

/// A record that stores its row ID.
private struct Entry: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "item"
    var id: Int64?
    var a: Int?
    var b: String?
    /// Not encoded if it is nil, so that records have two layouts.
    var c: Int?
    var error: TestError?
    var saved = 0

    init(id: Int64? = nil, a: Int? = nil, b: String? = nil, c: Int? = nil, error: TestError? = nil) {
        (self.id, self.a, self.b, self.c, self.error) = (id, a, b, c, error)
    }

    init(row: Row) throws { self.init(id: row["id"], a: row["a"], b: row["b"]) }

    func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["a"] = a
        container["b"] = b
        if let c { container["c"] = c }
        if let error { throw error }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
    func didSave(_ saved: PersistenceSuccess) {
        #expect(saved.persistenceContainer.databaseValue(forColumn: "a") == a?.databaseValue ?? .null)
    }
}

/// A record without callbacks.
private struct Plain: PersistableRecord, Equatable {
    static let databaseTableName = "item"
    var id: Int64?
    var a: Int?
    var b: String?

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["a"] = a
        container["b"] = b
    }
}

/// Items that differ in all columns.
private func makeItems(_ count: Int, from first: Int = 0, _ change: (inout Entry, Int) -> Void = { _, _ in }) -> [Entry] {
    (0..<count).map { index in
        var item = Entry(a: first + index, b: "text \(index) of the items")
        change(&item, index)
        return item
    }
}

/// A table without indexes, into which upserts have groups, too.
private let tableWithoutIndexes = "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, c INTEGER)"

private let plainTable = "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE, b TEXT, c INTEGER)"

@Suite struct GroupTests {
    @Test
    func `A batch is written in groups, and its rest row by row`() throws {
        try withDatabase(plainTable) { db throws in
            var items = makeItems(100)
            let sql = try db.statements { try items.insertAll(db) }
            #expect(items.map(\.id) == (1...100).map { $0 })
            #expect(try Entry.order(Column("id")).fetchAll(db) == items)
            // The savepoint, three groups, and the first and the last three records.
            #expect(sql.count == 2 + 3 + 4)
            let row = #"(NULL, 1, 'text 1 of the items'), (NULL, 2, 'text 2 of the items'), "#
            #expect(sql[2].hasPrefix(#"INSERT OR FAIL INTO "item" ("id", "a", "b") VALUES \#(row)"#))
            // The statement is kept: a later batch begins with a group.
            var others = makeItems(64, from: 1000)
            #expect(try db.groups { try others.insertAll(db) }.count == 2)
            #expect(others.map(\.id) == (101...164).map { $0 })
        }
    }

    @Test
    func `A small batch prepares no statement for a group`() throws {
        try withDatabase(plainTable) { db throws in
            for _ in 0..<3 {
                var items = makeItems(63)
                #expect(try db.groups { try items.insertAll(db) }.isEmpty)
                try db.execute(sql: "DELETE FROM item")
            }
            // The number of the records is not known.
            let sequence = makeItems(95).lazy.filter { _ in true }
            #expect(try db.groups { _ = try sequence.insertedAll(db) }.isEmpty)
            try db.execute(sql: "DELETE FROM item")
            var inserted: [Entry] = []
            #expect(try db.groups { inserted = try makeItems(96).lazy.filter { _ in true }.insertedAll(db) }.count == 1)
            #expect(inserted.map(\.a) == Array(0..<96) && inserted.map(\.id) == (1...96).map { $0 })
        }
    }

    @Test(arguments: ["insertAll", "insertedAll", "insertAll of a sequence", "upsertAll", "upsertAll of a sequence"])
    func `Each method for batches has groups`(_ method: String) throws {
        let count = try Database.expectSame(tableWithoutIndexes) { db, progress in
            var items = makeItems(200) { $0.id = Int64($1 + 5) }
            let plain = items.map { Plain(id: $0.id, a: $0.a, b: $0.b) }
            switch method {
            case "insertAll": try items.insertAll(db, progress: progress)
            case "insertedAll": items = try items.insertedAll(db, progress: progress)
            case "insertAll of a sequence": try plain.lazy.map { $0 }.insertAll(db, progress: progress)
            case "upsertAll": try items.upsertAll(db, onConflict: ["id"], progress: progress)
            default: try AnySequence(plain).upsertAll(db, progress: progress)
            }
            return items.map(\.id)
        }
        #expect(count > 3)
    }

    @Test
    func `An error names the record that failed`() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseQueue(configuration: configuration).write { (db) throws in
            try db.execute(sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE CHECK (a <> 70), b TEXT NOT NULL)")
            var items = makeItems(100)
            let error = #expect(throws: DatabaseError.self) { try items.insertAll(db) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            #expect(error?.sql == #"INSERT INTO "item" ("id", "a", "b") VALUES (?, ?, ?)"#)
            #expect(error?.arguments?.description == #"[NULL, 70, "text 70 of the items"]"#)
            #expect(try Entry.fetchCount(db) == 0)
            #expect(items.allSatisfy { $0.id == nil })
            items.remove(at: 70)
            items[90].b = nil
            let other = #expect(throws: DatabaseError.self) { try items.insertAll(db) }
            #expect(other?.constraint?.columns == ["b"] && other?.arguments?.description == "[NULL, 91, NULL]")
        }
    }

    @Test
    func `Monitors learn of a group once`() throws {
        struct Monitor: DatabaseMonitor {
            let reports = Locked<[StatementReport]>([])
            func statementDidEnd(_ statement: StatementReport) { reports.withLock { $0.append(statement) } }
        }
        let monitor = Monitor()
        var configuration = Configuration()
        configuration.monitors = [monitor]
        try DatabaseQueue(configuration: configuration).write { (db) throws in
            try db.execute(sql: plainTable)
            var items = makeItems(100)
            try items.insertAll(db)
        }
        let insertions = monitor.reports.withLock { $0 }.filter { $0.operationName == "INSERT" }
        #expect(insertions.map(\.batchSize) == [1, 32, 32, 32, 1, 1, 1])
        #expect(insertions.map(\.changedRowCount) == insertions.map(\.batchSize))
        #expect(insertions[1].attributes["db.operation.batch.size"] == "32" && insertions[1].summary == "INSERT item")
        #expect(insertions[0].attributes["db.operation.batch.size"] == nil)
    }

    @Test
    func `No record is encoded twice`() throws {
        final class Counter { var count = 0 }
        struct Counted: PersistableRecord {
            static let databaseTableName = "item"
            let counter: Counter
            var a: Int
            func encode(to container: inout PersistenceContainer) {
                counter.count += 1
                container["a"] = a
                // Another layout, which ends a group.
                if a == 50 { container["b"] = "other" }
            }
        }
        try withDatabase(plainTable) { db throws in
            let counter = Counter()
            let records = (0..<200).map { Counted(counter: counter, a: $0) }
            #expect(try db.groups { try records.insertAll(db) }.count > 2)
            #expect(counter.count == 200)
            try db.execute(sql: "DELETE FROM item; INSERT INTO item (a) VALUES (99)")
            #expect(throws: DatabaseError.self) { try records.insertAll(db) }
            #expect(counter.count <= 200 + 132)
        }
    }

    @Test
    func `The values of a group may be short, long, or of any type, and a program may keep its containers`() throws {
        final class Log { var containers: [PersistenceContainer] = [] }
        struct Kept: MutablePersistableRecord {
            static let databaseTableName = "item"
            let log: Log
            var values: [DatabaseValue]
            func encode(to container: inout PersistenceContainer) {
                for (index, value) in values.enumerated() { container["v\(index)"] = value }
                if values[0] == .null { log.containers.append(container) }
            }
            mutating func didInsert(_ inserted: InsertionSuccess) {
                if values[1] == .null { log.containers.append(inserted.persistenceContainer) }
            }
        }
        var random = SeededGenerator(seed: 1)
        func value() -> DatabaseValue {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .null
            case 1: Int.random(in: 0..<1000, using: &random).databaseValue
            case 2: 0.5.databaseValue
            case 3: String(repeating: "é", count: Int.random(in: 0..<40, using: &random)).databaseValue
            case 4: "a\0b".databaseValue
            default: [UInt8](repeating: 7, count: Int.random(in: 0..<40, using: &random)).withUnsafeBytes { Data($0) }.databaseValue
            }
        }
        let values = (0..<1000).map { _ in [value(), value(), value()] }
        try withDatabase("CREATE TABLE item (v0, v1, v2)") { db throws in
            let log = Log()
            var records = values.map { Kept(log: log, values: $0) }
            #expect(try db.groups { try records.insertAll(db) }.count == 31)
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM item ORDER BY rowid")
            #expect(rows.map { Array($0.databaseValues) } == values)
            let kept = values.filter { $0[0] == .null } + values.filter { $0[1] == .null }
            #expect(log.containers.map { $0.map(\.1) }.sorted { "\($0)" < "\($1)" } == kept.sorted { "\($0)" < "\($1)" })
        }
    }

    // MARK: - Sizes

    @Test(arguments: [5, 11, 12, 13, 40, 95, 96, 999])
    func `A group respects the number of parameters`(_ limit: Int) throws {
        try withDatabase(tableWithoutIndexes) { db throws in
            db.setLimit(.parameterCount, to: limit)
            var items = makeItems(100)
            let groups = try db.groups { try items.insertAll(db) }
            #expect(groups.isEmpty == (limit < 12))
            #expect(items.map(\.id) == (1...100).map { $0 })
            // The arguments that follow the values count.
            let plain = (1...200).map { Plain(id: Int64($0), a: $0, b: "new") }
            let upserts = try db.groups {
                try plain.upsertAll(db, onConflict: ["id"], doUpdate: { _ in [Column("c").set(to: 3), Column("b").set(to: "updated")] })
            }
            #expect(upserts.isEmpty == (limit < 14))
            #expect(try db.rows("SELECT b, c, count(*) FROM item GROUP BY 1, 2") == ["'new' NULL 100", "'updated' 3 100"])
        }
    }

    /// A record with many columns.
    private struct Wide: PersistableRecord {
        static let databaseTableName = "item"
        static let names = (0..<40).map { "c\($0)" }
        static let createTable = "CREATE TABLE item (\(names.joined(separator: ", ")))"
        func encode(to container: inout PersistenceContainer) { for name in Self.names { container[name] = 1 } }
    }

    @Test(arguments: [600, 999, 1000, 2000, 100_000])
    func `A group respects the length of SQL`(_ limit: Int) throws {
        try withDatabase(Wide.createTable) { db throws in
            db.setLimit(.sqlLength, to: limit)
            let count = try db.groups { try Array(repeating: Wide(), count: 100).insertAll(db) }.count
            #expect(limit < 1000 ? count == 0 : limit < 100_000 ? count > 3 : count == 3)
            #expect(try Wide.fetchCount(db) == 100)
        }
    }

    @Test
    func `A statement that SQLite can't compile is left out`() throws {
        try withDatabase(Wide.createTable) { db throws in
            let records = Array(repeating: Wide(), count: 100)
            db.setLimit(.instructionCount, to: 1000)
            #expect(try db.groups { try records.insertAll(db) }.isEmpty)
            db.setLimit(.instructionCount, to: 100_000)
            #expect(try !db.groups { try records.insertAll(db) }.isEmpty)
        }
    }

    @Test
    func `A group has few bytes in memory`() throws {
        try withDatabase(plainTable) { db throws in
            var items = makeItems(200) { if $1 > 100 { $0.b = String(repeating: "x", count: 100_000) } }
            let groups = try db.groups { try items.insertAll(db) }
            #expect(!groups.isEmpty && groups.allSatisfy { $0.utf8.count < 1 << 20 })
            #expect(items.map(\.id) == (1...200).map { $0 })
            #expect(try Int.fetchOne(db, sql: "SELECT sum(length(b)) FROM item WHERE a > 100") == 9_900_000)
        }
    }

    // MARK: - What ends a group

    @Test
    func `A record with other columns ends a group`() throws {
        let count = try Database.expectSame(plainTable) { db, progress in
            var items = makeItems(400) { $0.c = $1 == 70 || $1 > 200 ? 5 : nil }
            try items.insertAll(db, progress: progress)
            return items.map(\.id)
        }
        #expect(count > 5)
    }

    @Test
    func `An error of an encoding comes after the errors of earlier records`() throws {
        for failing in [40, 60] {
            let outcome = try Database.outcome(plainTable) { db in
                var items = makeItems(100)
                items[50].error = TestError()
                items[failing].a = 0
                try items.insertAll(db)
                return []
            }
            #expect(outcome.outcome.error?.contains("UNIQUE") == (failing == 40))
            #expect(outcome.outcome.contents.isEmpty && outcome.groupCount == 1)
        }
    }

    @Test
    func `An object that occurs twice is inserted with its row ID`() throws {
        final class Object: PersistableRecord {
            static let databaseTableName = "item"
            var id: Int64?
            func encode(to container: inout PersistenceContainer) {
                container["id"] = id
                container["a"] = 1
            }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        let count = try Database.expectSame("CREATE TABLE item (id INTEGER PRIMARY KEY, a)") { db, progress in
            var objects = (0..<100).map { _ in Object() }
            try objects.insertAll(db, progress: progress)
            objects = (0..<100).map { _ in Object() }
            objects[70] = objects[65]
            #expect(throws: DatabaseError.self) { try objects.insertAll(db, progress: progress) }
            return objects.map(\.id)
        }
        #expect(count == 5)
    }

    @Test
    func `Records may write others of their type while they are encoded`() throws {
        final class Nesting: PersistableRecord {
            static let databaseTableName = "item"
            let db: Database?
            init(_ db: Database?) { self.db = db }
            func encode(to container: inout PersistenceContainer) throws {
                if let db { try (0..<70).map { _ in Nesting(nil) }.insertAll(db) }
                container["b"] = db == nil ? "inner" : "outer"
            }
        }
        try withDatabase(plainTable) { db throws in
            let records = (0..<100).map { Nesting($0.isMultiple(of: 20) ? db : nil) }
            #expect(try db.groups { try records.insertAll(db) }.count > 5)
            #expect(try db.rows("SELECT b, count(*) FROM item GROUP BY 1") == ["'inner' 445", "'outer' 5"])
        }
    }

    // MARK: - Row IDs

    @Test(arguments: [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b TEXT)",
        "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, a INTEGER, b TEXT)",
        "CREATE TABLE item (id INTEGER, a INTEGER, b TEXT)", "CREATE TABLE item (id PRIMARY KEY, a INTEGER, b TEXT) WITHOUT ROWID",
    ])
    func `Row IDs are those of single insertions`(_ sql: String) throws {
        let cases: [[Int64]] = [[], Array(0..<300), Array(50..<120), [70], [-5, 500]]
        for given in cases {
            try Database.expectSame("\(sql); INSERT INTO item VALUES (-7, 1, '')", "\(given)") { db, progress in
                var items = makeItems(300) { item, index in
                    if given.contains(Int64(index)) || sql.contains("WITHOUT") { item.id = Int64(index * 3) }
                }
                if given.first == -5 { (items[100].id, items[220].id) = (-5, 500) }
                try items.insertAll(db, onConflict: .replace, progress: progress)
                return items.map(\.id)
            }
        }
    }

    @Test
    func `Row IDs are known if the largest one is in use`() throws {
        // SQLite then tries random row IDs.
        for first: Int64 in [Int64.max, Int64.max - 10, Int64.max - 40] {
            try withDatabase(plainTable) { db throws in
                try db.execute(sql: "INSERT INTO item (id, a) VALUES (?, -1)", arguments: [first as Int64])
                var items = makeItems(200)
                try items.insertAll(db)
                for item in items { #expect(try Entry.find(db, key: item.id).a == item.a) }
            }
        }
        // REPLACE deletes the row that has made SQLite try random ones.
        try withDatabase(plainTable) { db throws in
            try db.execute(sql: "INSERT INTO item (id, a) VALUES (?, 45)", arguments: [Int64.max])
            var items = makeItems(100)
            try items.insertAll(db, onConflict: .replace)
            for item in items { #expect(try Entry.find(db, key: item.id).a == item.a) }
        }
    }

    @Test
    func `A record may encode its row ID as text, or twice, or under another name`() throws {
        struct Named: MutablePersistableRecord {
            static let databaseTableName = "item"
            var columns: [(String, DatabaseValue)]
            var id: Int64?
            func encode(to container: inout PersistenceContainer) { for (name, value) in columns { container[name] = value } }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        for (names, isGrouped) in [(["rowid"], true), (["OID"], true), (["id", "rowid"], false), (["_rowid_"], true)] {
            for isText in [false, true] {
                let count = try Database.expectSame("CREATE TABLE item (id INTEGER PRIMARY KEY, a)") { db, progress in
                    var records = (0..<100).map { index -> Named in
                        let value = isText ? "\(index)".databaseValue : index.databaseValue
                        return Named(columns: names.map { ($0, value) } + [("a", 1.databaseValue)])
                    }
                    try records.insertAll(db, progress: progress)
                    return records.map(\.id)
                }
                #expect((count > 0) == (isGrouped && !isText), "\(names)")
            }
        }
    }

    // MARK: - Upserts

    @Test(arguments: [false, true])
    func `An upsert sees the earlier rows of its group`(_ isChanging: Bool) throws {
        let count = try Database.expectSame(tableWithoutIndexes) { db, progress in
            let records = (0..<300).map { Plain(id: Int64($0 % 50), a: $0, b: "text \($0 / 3)") }
            try records.upsertAll(
                db, onConflict: ["id"], updating: isChanging ? .allColumns.ifChanged : .allColumns,
                doUpdate: { excluded in [Column("c").set(to: (Column("c") ?? 0) + 1), Column("b").set(to: excluded["b"])] },
                progress: progress)
            return []
        }
        #expect(count == 9)
    }

    @Test
    func `Upserts give row IDs back where they are known`() throws {
        for (target, hasIDs, isGrouped) in [(["id"], true, true), ([], true, true), ([], false, false)] {
            let count = try Database.expectSame("\(tableWithoutIndexes); INSERT INTO item (id, a) VALUES (3, 40), (500, 60)") {
                db, progress in
                var items = makeItems(100) { if hasIDs { $0.id = Int64($1 % 60) } }
                try items.upsertAll(db, onConflict: target, progress: progress)
                return items.map(\.id)
            }
            #expect(count == (isGrouped ? 3 : 0), "\(target) \(hasIDs)")
        }
        // An assignment changes the row ID.
        let count = try Database.expectSame(tableWithoutIndexes) { db, progress in
            var items = makeItems(100) { $0.id = Int64($1 % 60) }
            try items.upsertAll(db, doUpdate: { _ in [Column("rowid").set(to: Column("rowid") + 1000)] }, progress: progress)
            return items.map(\.id)
        }
        #expect(count == 0)
    }

    @Test(arguments: [
        "CHECK (json_extract(b, '$') <> 1)", "CHECK (a <> 40)", "NOT NULL CHECK (typeof(b) <> 'blob')", "UNIQUE", "REFERENCES p (b)",
    ])
    func `Each error names its record, and keeps the row IDs of those before it`(_ constraint: String) throws {
        final class Object: PersistableRecord {
            static let databaseTableName = "item"
            var id: Int64?
            let b: DatabaseValue
            init(_ b: DatabaseValue) { self.b = b }
            func encode(to container: inout PersistenceContainer) {
                container["a"] = 1
                container["b"] = b
            }
            func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        let sql = """
            CREATE TABLE p (b PRIMARY KEY) WITHOUT ROWID;
            WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO p SELECT i FROM n;
            CREATE TABLE item (id INTEGER PRIMARY KEY, a, b \(constraint))
            """
        // Whether the records before an error that is not counted are called back is not promised.
        let isCounted = !constraint.contains("json")
        for value in ["{".databaseValue, DatabaseValue.null, Data().databaseValue, 70.databaseValue] {
            let count = try Database.expectSame(sql, "\(value)", isCounted: isCounted) { db, progress in
                let objects = (0..<100).map { Object($0 == 50 ? value : ($0 + 2).databaseValue) }
                var failure: (any Error)?
                do { try objects.insertAll(db, progress: progress) } catch { failure = error }
                let ids = objects.map { isCounted ? $0.id : nil }
                // The outcome has either the error or the row IDs.
                if isCounted { #expect(failure == nil || ids[49] == 50 && ids[50] == nil || constraint == "UNIQUE") }
                if let failure { throw failure }
                return ids
            }
            #expect(count > 0)
        }
    }

    @Test
    func `An error of a STRICT table names its record`() throws {
        struct Strict: PersistableRecord {
            static let databaseTableName = "item"
            let b: DatabaseValue
            func encode(to container: inout PersistenceContainer) { container["b"] = b }
        }
        let count = try Database.expectSame("CREATE TABLE item (b INTEGER UNIQUE) STRICT", isCounted: false) { db, progress in
            try (0..<100).map { Strict(b: $0 == 50 ? "x".databaseValue : $0.databaseValue) }.insertAll(db, progress: progress)
            return []
        }
        #expect(count == 2)
    }

    // MARK: - Exceptions

    /// Batches that a group would write in another way.
    private struct Exception: Sendable, CustomTestStringConvertible {
        typealias Batch = @Sendable (Database, ((Int) throws -> Void)?) throws -> [Int64?]
        let name: String
        let sql: String
        let batch: Batch
        var testDescription: String { name }

        init(_ name: String, _ sql: String, _ batch: @escaping Batch) { (self.name, self.sql, self.batch) = (name, sql, batch) }
    }

    private static let exceptions: [Exception] = {
        func inserting(
            _ resolution: Database.ConflictResolution? = nil, _ change: @escaping @Sendable (inout Entry, Int) -> Void = { _, _ in }
        ) -> Exception.Batch {
            { db, progress in
                var items = makeItems(100, change)
                try items.insertAll(db, onConflict: resolution, progress: progress)
                return items.map(\.id)
            }
        }
        let parents =
            "CREATE TABLE child (a INTEGER REFERENCES item (a)); INSERT INTO item (id, a, b) VALUES (5, 1000, 'p'); INSERT INTO child VALUES (1000)"
        return [
            Exception("FAIL", plainTable, inserting(.fail) { if $1 == 50 { $0.a = 1 } }),
            Exception("ROLLBACK", plainTable, inserting(.rollback) { if $1 == 50 { $0.a = 1 } }),
            Exception("IGNORE", plainTable, inserting(.ignore) { if $1 == 50 { $0.a = 1 } }),
            Exception(
                "a conflict clause of a constraint", "CREATE TABLE item (id INTEGER PRIMARY KEY, a UNIQUE ON CONFLICT IGNORE, b)",
                inserting { if $1 == 50 { $0.a = 1 } }
            ),
            Exception(
                "a trigger",
                "\(plainTable); CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE item SET c = (SELECT count(*) FROM item); END",
                inserting()
            ),
            Exception(
                "a trigger that ignores rows",
                "\(plainTable); CREATE TRIGGER t BEFORE INSERT ON item WHEN NEW.a = 40 BEGIN SELECT RAISE(IGNORE); END", inserting()
            ),
            Exception(
                "a temporary trigger",
                "\(plainTable); CREATE TEMP TRIGGER t BEFORE INSERT ON main.item WHEN NEW.a = 40 BEGIN SELECT RAISE(IGNORE); END",
                inserting()
            ),
            Exception(
                "a foreign key to the table itself",
                "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER UNIQUE, b TEXT, c INTEGER REFERENCES item (id))",
                inserting { ($0.id, $0.c) = (Int64($1 + 1), $1 == 50 ? 52 : 1) }
            ),
            Exception(
                // A later row of the statement stands in for the deleted one.
                "REPLACE in a table that foreign keys refer to", "\(plainTable); \(parents)",
                inserting(.replace) {
                    if $1 == 40 { $0.id = 5 } else { $0.id = Int64($1 + 10) }
                    if $1 == 41 { $0.a = 1000 }
                }
            ),
            Exception("a table that foreign keys refer to", "\(plainTable); \(parents)", inserting()),
            Exception(
                "a foreign key and an index",
                "CREATE TABLE item (id INTEGER PRIMARY KEY, a REFERENCES p, b UNIQUE); CREATE TABLE p (n INTEGER PRIMARY KEY)",
                inserting { item, _ in item.a = nil }
            ),
            Exception(
                "an upsert and an index", plainTable,
                { db, progress in
                    let records = (0..<100).map { Plain(a: $0 % 70, b: "b") }
                    try records.upsertAll(db, onConflict: ["a"], progress: progress)
                    return []
                }
            ),
            Exception(
                "a default that differs between statements",
                "CREATE TABLE item (id INTEGER PRIMARY KEY, a, b, c DEFAULT (total_changes()))", inserting()),
            Exception(
                "a default that counts the changes of the last statement",
                "CREATE TABLE item (id INTEGER PRIMARY KEY, a, b, c DEFAULT (changes()))", inserting()),
            Exception(
                "a view",
                "CREATE TABLE t (a); CREATE VIEW item AS SELECT rowid AS id, a, '' AS b FROM t; "
                    + "CREATE TRIGGER i INSTEAD OF INSERT ON item BEGIN INSERT INTO t VALUES (NEW.a + (SELECT count(*) FROM t)); END",
                inserting()
            ),
            Exception("a virtual table", "CREATE VIRTUAL TABLE item USING fts4 (id, a, b)", inserting()),
            Exception(
                "an upsert that leaves rows alone",
                "\(tableWithoutIndexes); INSERT INTO item (id, a, b) VALUES (30, 30, 'text 30 of the items')",
                { db, progress in
                    var items = makeItems(100) { if $1 == 30 { $0.id = 30 } }
                    for index in items.indices { items[index].id = Int64(index) }
                    try items.upsertAll(db, onConflict: ["id"], updating: .allColumns.ifChanged, progress: progress)
                    return items.map(\.id)
                }
            ),
        ]
    }()

    @Test(arguments: exceptions)
    private func `What a group would do in another way is done row by row`(_ exception: Exception) throws {
        let count = try Database.expectSame(exception.sql, "\(exception.name)", exception.batch)
        #expect(count == 0, "\(exception.name)")
    }

    @Test(arguments: ["willInsert", "willSave", "aroundInsert", "aroundSave"])
    func `Callbacks that get the connection find the rows of earlier records`(_ callback: String) throws {
        func expect<Record: MutablePersistableRecord>(_ make: (Log) -> Record) throws {
            try withDatabase(plainTable) { db throws in
                let log = Log()
                var records = (0..<100).map { _ in make(log) }
                #expect(try db.groups { try records.insertAll(db) }.isEmpty)
                #expect(log.counts == Array(0..<100))
            }
        }
        switch callback {
        case "willInsert": try expect(WillInsert.init)
        case "willSave": try expect(WillSave.init)
        case "aroundInsert": try expect(AroundInsert.init)
        default: try expect(AroundSave.init)
        }
    }

    private final class Log {
        var counts: [Int] = []
        func note(_ db: Database) throws { counts.append(try Int.fetchOne(db, sql: "SELECT count(*) FROM item") ?? -1) }
    }

    private struct WillInsert: MutablePersistableRecord {
        static let databaseTableName = "item"
        let log: Log
        func encode(to container: inout PersistenceContainer) { container["b"] = "b" }
        mutating func willInsert(_ db: Database) throws { try log.note(db) }
    }

    private struct WillSave: MutablePersistableRecord {
        static let databaseTableName = "item"
        let log: Log
        func encode(to container: inout PersistenceContainer) { container["b"] = "b" }
        func willSave(_ db: Database) throws { try log.note(db) }
    }

    private struct AroundInsert: MutablePersistableRecord {
        static let databaseTableName = "item"
        let log: Log
        func encode(to container: inout PersistenceContainer) { container["b"] = "b" }
        func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
            try log.note(db)
            _ = try insert()
        }
    }

    private struct AroundSave: MutablePersistableRecord {
        static let databaseTableName = "item"
        let log: Log
        func encode(to container: inout PersistenceContainer) { container["b"] = "b" }
        func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
            try log.note(db)
            _ = try save()
        }
    }

    @Test
    func `A record that forwards a callback to another one is still called back`() throws {
        struct Outer: MutablePersistableRecord {
            static let databaseTableName = "item"
            var inner: Plain
            var id: Int64?
            func encode(to container: inout PersistenceContainer) { inner.encode(to: &container) }
            mutating func didInsert(_ inserted: InsertionSuccess) {
                inner.didInsert(inserted)
                id = inserted.rowID
            }
            func didSave(_ saved: PersistenceSuccess) { inner.didSave(saved) }
        }
        try withDatabase(plainTable) { db throws in
            var records = (0..<100).map { Outer(inner: Plain(a: $0)) }
            try records.insertAll(db)
            #expect(records.map(\.id) == (1...100).map { $0 })
        }
    }

    @Test
    func `Progress is reported after each row`() throws {
        try withDatabase(plainTable) { db throws in
            var items = makeItems(100)
            var counts: [Int] = []
            #expect(try db.groups { try items.insertAll(db) { _ in counts.append(try Entry.fetchCount(db)) } }.isEmpty)
            #expect(counts == Array(1...100))
        }
    }

    @Test
    func `A trigger that the program creates through the C API counts`() throws {
        try withDatabase(plainTable) { db throws in
            var items = makeItems(100)
            #expect(try !db.groups { try items.insertAll(db) }.isEmpty)
            let trigger = "CREATE TEMP TRIGGER t BEFORE INSERT ON main.item WHEN NEW.a = 1040 BEGIN SELECT RAISE(IGNORE); END"
            #expect(sqlite3_exec(db.sqliteConnection, trigger, nil, nil, nil) == SQLITE_OK)
            var others = makeItems(100, from: 1000)
            #expect(try db.groups { try others.insertAll(db) }.isEmpty)
            #expect(others[40].id == nil && others[41].id == 141)
        }
    }

    // MARK: - Random programs

    @Test(arguments: 0..<150)
    func `Random batches do the same in groups and row by row`(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        func isChosen(_ oneOf: Int) -> Bool { Int.random(in: 0..<oneOf, using: &random) == 0 }
        func choose<Value>(_ values: Value...) -> Value { values[Int.random(in: values.indices, using: &random)] }
        let hasRowID = !isChosen(5)
        let id =
            hasRowID ? choose("id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY AUTOINCREMENT", "id INTEGER") : "id INTEGER PRIMARY KEY"
        let a = "a INTEGER\(choose("", "", " UNIQUE", " UNIQUE ON CONFLICT IGNORE", " UNIQUE ON CONFLICT REPLACE", " CHECK (a < 390)"))"
        let c = choose("", ", c INTEGER", ", c INTEGER DEFAULT 7", ", c INTEGER DEFAULT (abs(-8))", ", c AS (a * 2)")
        let reference = choose(
            "", "", "", ", FOREIGN KEY (a) REFERENCES item (id)", ", FOREIGN KEY (a) REFERENCES other (n) DEFERRABLE INITIALLY DEFERRED")
        let sql = """
            CREATE TABLE other (n INTEGER PRIMARY KEY, text TEXT);
            WITH RECURSIVE numbers (n) AS (SELECT -10 UNION ALL SELECT n + 1 FROM numbers WHERE n < 390) INSERT INTO other SELECT n, '' FROM numbers;
            CREATE TABLE item (\(id), \(a), b TEXT\(choose("", "", " NOT NULL"))\(c)\(reference))\(hasRowID ? "" : " WITHOUT ROWID");
            \(choose("", "CREATE UNIQUE INDEX i ON item (b) WHERE a > 300", "CREATE INDEX j ON item (b, a)"));
            \(choose("", "", "", "CREATE TRIGGER t AFTER INSERT ON item BEGIN UPDATE other SET text = NEW.b WHERE n = NEW.a; END"));
            \(choose("", "", "CREATE TABLE child (item REFERENCES item (id) ON DELETE CASCADE)"))
            """
        let count = Int.random(in: 1...400, using: &random)
        let encodesIDs = !hasRowID || isChosen(3)
        let duplicates = choose(0, 0, 0, 1, 5)
        let mistakes = choose(0, 0, 1)
        let varies = isChosen(3)
        var items = makeItems(count) { if encodesIDs { $0.id = Int64($1 + 1) } }
        for _ in 0..<duplicates {
            let (one, other) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
            if isChosen(2) { items[one].a = items[other].a } else { items[one].id = items[other].id }
        }
        for _ in 0..<mistakes { items[Int.random(in: 0..<count, using: &random)].b = nil }
        if varies, c.contains(", c I") { for index in items.indices where isChosen(70) { items[index].c = index } }
        if isChosen(4) { for index in items.indices where isChosen(60) { items[index].id = Int64(5 * index) } }
        let resolution: Database.ConflictResolution? = choose(nil, nil, .replace, .ignore, .fail, .rollback)
        let isPlain = isChosen(3)
        let isUpsert = isChosen(3)
        let target = choose([], ["id"], ["a"])
        let isChanging = isChosen(3)
        let batch: (Database, ((Int) throws -> Void)?) throws -> [Int64?] = { [items] db, progress in
            var items = items
            let strategy = isChanging ? UpsertUpdateStrategy.allColumns.ifChanged : .allColumns
            if isPlain {
                let plain = items.map { Plain(id: $0.id, a: $0.a, b: $0.b) }
                if isUpsert {
                    try AnySequence(plain).upsertAll(db, onConflict: target, updating: strategy, progress: progress)
                } else {
                    try plain.insertAll(db, onConflict: resolution, progress: progress)
                }
            } else if isUpsert {
                try items.upsertAll(db, onConflict: target, updating: strategy, progress: progress)
            } else {
                try items.insertAll(db, onConflict: resolution, progress: progress)
            }
            return items.map(\.id)
        }
        try Database.expectSame(sql, "\(seed): \(sql)", batch)
    }
}
