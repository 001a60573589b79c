import CSQLite
import Foundation
import Strata
import Testing

/// Files with changed, cut off and zeroed bytes, with their logs and journals: each call throws, or gives what SQLite reads from the file.
@Suite("Damaged files", .timeLimit(.minutes(60)))
struct DamagedFileTests {
    enum Kind: String, CaseIterable {
        /// A file whose write-ahead log holds its last transactions.
        case log
        /// A file of a transaction that was not completed, with its journal.
        case journal
    }

    private struct Item: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var boxId: Int64?
        var name: String
        var price: Double?
        var date: Date?
        var tags: [String]?
    }

    /// The bytes of a database, and of the file beside it.
    private struct Files {
        var database: Data
        var other: Data
        let suffix: String

        init(_ kind: Kind, _ folder: TemporaryFolder) throws {
            let path = folder.path("original.sqlite")
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA page_size = 1024; PRAGMA cache_size = 5") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            suffix = kind == .log ? "-wal" : "-journal"
            try queue.writeWithoutTransaction { db in
                if kind == .log { try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0") }
                try db.inTransaction {
                    try Self.fill(db)
                    return .commit
                }
                if kind == .log { try db.checkpoint(.truncate) }
            }
            var files: (Data, Data)?
            let suffix = suffix
            try queue.writeWithoutTransaction { db in
                func copy() throws {
                    files = (
                        try Data(contentsOf: URL(fileURLWithPath: path)), try Data(contentsOf: URL(fileURLWithPath: path + suffix))
                    )
                }
                try db.inTransaction {
                    try db.execute(sql: "UPDATE item SET name = name || ' changed', price = price + 1; DELETE FROM item WHERE id % 9 = 0")
                    // The cache is small: changed pages are in the file already.
                    if kind == .journal { try copy() }
                    return .commit
                }
                if kind == .log { try copy() }
            }
            (database, other) = files ?? (Data(), Data())
        }

        private static func fill(_ db: Database) throws {
            try db.execute(
                sql: """
                    CREATE TABLE box (id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, boxId INTEGER REFERENCES box ON DELETE CASCADE, name TEXT NOT NULL, price REAL, date TEXT,
                        tags TEXT);
                    CREATE INDEX itemByName ON item (name);
                    CREATE TABLE pair (a TEXT, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    CREATE VIEW cheap AS SELECT * FROM item WHERE price < 10;
                    CREATE TRIGGER pairs AFTER DELETE ON item BEGIN INSERT OR IGNORE INTO pair VALUES (old.name, old.id); END;
                    """)
            try db.create(virtualTable: "item_ft", using: FTS5()) { t in
                t.synchronize(withTable: "item")
                t.column("name")
            }
            for number in 1...4 { try db.execute(sql: "INSERT INTO box VALUES (?, ?)", arguments: [number, "box \(number)"]) }
            for number in 1...120 {
                var item = Item(
                    id: nil, boxId: Int64(number % 4 + 1), name: "item \(number) " + String(repeating: "x", count: number * 7 % 400),
                    price: Double(number) / 4, date: Date(timeIntervalSince1970: Double(number) * 86400), tags: ["a", "b\(number)"])
                try item.insert(db)
                try db.execute(sql: "INSERT INTO pair VALUES (?, ?)", arguments: ["pair \(number % 10)", number])
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `A damaged file gives errors, or what SQLite reads from it`(_ kind: Kind) throws {
        let (seed, count) = HostileValues.run("damaged files, \(kind)", quickCount: 60)
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let files = try Files(kind, folder)
        try #require(!files.other.isEmpty)
        var calls = 0
        var errors = 0
        for number in 1...count {
            var damaged = files
            var change = ""
            // Both files, the database most of all.
            if Int.random(in: 0..<3, using: &random) > 0 { change += "database: \(Self.damage(&damaged.database, &random)); " }
            if Int.random(in: 0..<2, using: &random) > 0 || change.isEmpty {
                change += "\(files.suffix): \(Self.damage(&damaged.other, &random))"
            }
            let path = folder.path("\(number).sqlite")
            func write() throws {
                try damaged.database.write(to: URL(fileURLWithPath: path))
                try damaged.other.write(to: URL(fileURLWithPath: path + files.suffix))
                try? FileManager.default.removeItem(atPath: path + "-shm")
            }
            try write()
            let expected = Self.rawRows(path)
            try write()
            let context: Comment = "seed \(seed), file \(number), \(change)"
            Self.use(path, pool: number % 2 == 0, expected: expected, context, &calls, &errors)
            for suffix in ["", "-wal", "-journal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        print("damaged files, \(kind): \(count) files, \(calls) calls, \(errors) errors")
        #expect(errors > 0 && calls > errors)
    }

    /// Damages bytes, and says how.
    private static func damage(_ data: inout Data, _ random: inout SeededGenerator) -> String {
        if data.isEmpty { return "empty" }
        let kind = Int.random(in: 0..<7, using: &random)
        let index = Int.random(in: 0..<data.count, using: &random)
        let length = min(data.count - index, 1 << Int.random(in: 0...11, using: &random))
        switch kind {
        case 0:
            data = data.prefix(index)
            return "cut off at \(index)"
        case 1:
            data.replaceSubrange(index..<(index + length), with: Data(count: length))
            return "\(length) zeros at \(index)"
        case 2:
            data.replaceSubrange(
                index..<(index + length), with: Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }))
            return "\(length) random bytes at \(index)"
        case 3:
            // The header, where each byte counts.
            let index = Int.random(in: 0..<min(data.count, 112), using: &random)
            data[index] = UInt8.random(in: 0...255, using: &random)
            return "byte \(index) of the header"
        case 4:
            // Two pages take each other's place.
            let pages = max(1, data.count / 1024)
            let (a, b) = (Int.random(in: 0..<pages, using: &random) * 1024, Int.random(in: 0..<pages, using: &random) * 1024)
            guard a + 1024 <= data.count, b + 1024 <= data.count else { return "nothing" }
            let (first, second) = (data.subdata(in: a..<(a + 1024)), data.subdata(in: b..<(b + 1024)))
            data.replaceSubrange(a..<(a + 1024), with: second)
            data.replaceSubrange(b..<(b + 1024), with: first)
            return "pages at \(a) and \(b)"
        default:
            let count = Int.random(in: 1...30, using: &random)
            for _ in 0..<count { data[Int.random(in: 0..<data.count, using: &random)] ^= 1 << UInt8.random(in: 0...7, using: &random) }
            return "\(count) bits"
        }
    }

    /// The values that both Strata and the C API read: strings as blobs, as damaged strings may not be UTF-8.
    private static let sql = """
        SELECT id, typeof(name), CAST(name AS BLOB), typeof(price), CASE typeof(price) WHEN 'text' THEN CAST(price AS BLOB) ELSE price END
        FROM item
        """

    /// What the C API reads from a table; nil after an error.
    private static func rawRows(_ path: String) -> [String]? {
        var connection: OpaquePointer?
        defer { sqlite3_close(connection) }
        guard sqlite3_open(path, &connection) == SQLITE_OK else { return nil }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
        var rows: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let columns = (0..<5).map { (column: CInt) -> String in
                    switch sqlite3_column_type(statement, column) {
                    case SQLITE_INTEGER: return "\(sqlite3_column_int64(statement, column))"
                    case SQLITE_FLOAT: return "\(sqlite3_column_double(statement, column))"
                    case SQLITE_NULL: return "NULL"
                    default:
                        let count = Int(sqlite3_column_bytes(statement, column))
                        guard let bytes = sqlite3_column_blob(statement, column) else { return "[]" }
                        return "\(Array(UnsafeRawBufferPointer(start: bytes, count: count)))"
                    }
                }
                rows.append(columns.joined(separator: " "))
            case SQLITE_DONE: return rows
            default: return nil
            }
        }
    }

    /// The values of a row, described like the values of the C API.
    private static func describe(_ row: Row) -> String {
        row.databaseValues.map { value in
            switch value.storage {
            case .int64(let integer): "\(integer)"
            case .double(let double): "\(double)"
            case .null: "NULL"
            case .string(let text): "\(Array(text.utf8))"
            case .blob(let data): "\(Array(data))"
            }
        }.joined(separator: " ")
    }

    /// Reads and writes in each way that there is.
    private static func use(
        _ path: String, pool: Bool, expected: [String]?, _ context: Comment, _ calls: inout Int, _ errors: inout Int
    ) {
        func attempt(_ body: () throws -> Void) {
            calls += 1
            do {
                try body()
            } catch {
                errors += 1
                #expect(!"\(error)".isEmpty, context)
            }
        }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.maximumReaderCount = 2
        var opened: (any DatabaseWriter)?
        attempt {
            opened =
                pool
                ? try DatabasePool(path: path, configuration: configuration)
                : try DatabaseQueue(path: path, configuration: configuration)
        }
        guard let writer = opened else { return }
        attempt {
            let rows = try writer.read { db in try Row.fetchAll(db, sql: Self.sql) }
            #expect(rows.map(describe) == expected, context)
        }
        let reads: [@Sendable (Database) throws -> Void] = [
            { _ = try Item.fetchAll($0) },
            { db in
                let cursor = try Item.order(Column("name").desc).fetchCursor(db)
                while try cursor.next() != nil {}
            },
            { _ = try Item.filter(Column("name") > "item 5").fetchOne($0) },
            { _ = try Row.fetchAll($0, sql: "SELECT * FROM pair ORDER BY a, b") },
            { _ = try Row.fetchAll($0, sql: "SELECT * FROM cheap JOIN box ON box.id = cheap.boxId") },
            { _ = try Row.fetchAll($0, sql: "SELECT * FROM item_ft WHERE item_ft MATCH 'item'") },
            { _ = try $0.columns(in: "item") },
            { _ = try $0.indexes(on: "item") },
            { _ = try $0.foreignKeys(on: "item") },
            { _ = try $0.primaryKey("pair") },
            { try $0.checkForeignKeys() },
            { _ = try String.fetchAll($0, sql: "PRAGMA integrity_check") },
        ]
        for read in reads { attempt { try writer.read(read) } }
        let writes: [@Sendable (Database) throws -> Void] = [
            { db in
                var item = Item(id: nil, boxId: 1, name: "new", price: nil, date: nil, tags: nil)
                try item.insert(db)
            },
            { db in
                guard var item = try Item.fetchOne(db, key: 7) else { return }
                item.name += "!"
                try item.update(db)
            },
            { _ = try Item.filter(Column("id") > 100).deleteAll($0) },
            { try $0.execute(sql: "INSERT INTO item_ft (item_ft) VALUES ('rebuild')") },
            {
                try $0.rebuild(table: "box") { t in
                    t.primaryKey("id", .integer)
                    t.column("label", .text).notNull()
                    t.column("more")
                }
            },
            { try $0.execute(sql: "REINDEX; ANALYZE") },
        ]
        for write in writes { attempt { try writer.write(write) } }
        attempt { try writer.checkpoint() }
        attempt { try writer.vacuum() }
        attempt {
            let copy = try DatabaseQueue()
            try writer.backup(to: copy)
            _ = try copy.read { try Item.fetchAll($0) }
        }
        attempt { try writer.erase() }
        attempt { try writer.close() }
    }
}
