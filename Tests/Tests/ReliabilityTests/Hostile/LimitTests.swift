import CSQLite
import Foundation
import Strata
import Testing

/// The limits of SQLite and of the machine: exceeding one is a clear error, nothing is lost, and the connection can still be used.
@Suite("Limits", .timeLimit(.minutes(60)))
struct LimitTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    struct Wide: FetchableRecord, PersistableRecord {
        static let databaseTableName = "wide"

        var values: [Int]

        init(values: [Int]) { self.values = values }

        init(row: Row) throws {
            values = try (0..<row.count).map { try row.decode(forKey: "column \($0)") }
        }

        func encode(to container: inout PersistenceContainer) {
            for (index, value) in values.enumerated() { container["column \(index)"] = value }
        }
    }

    // MARK: - Memory and disk

    @Test(.enabled(if: SQLiteOptions.countsMemory, "SQLite has no limits of memory"), arguments: [false, true])
    func `Reaching a limit of memory is an error without a loss, and the connection can still be used`(_ isPool: Bool) async {
        // The cap applies to a process.
        await #expect(processExitsWith: .success) { [isPool] in
            let folder = try TemporaryFolder()
            let path = folder.path("database.sqlite")
            let writer: any DatabaseWriter = isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            try writer.write { (db) throws in
                try Player.makeTable(db)
                try db.execute(sql: "CREATE TABLE large (a)")
            }
            _ = try writer.read { try Player.fetchCount($0) }
            sqlite3_hard_heap_limit64(sqlite3_memory_used() + 3_000_000)
            let large = String(repeating: "x", count: 8_000_000)
            let works: [(Database) throws -> Void] = [
                { _ = try Data.fetchOne($0, sql: "SELECT zeroblob(20000000)") },
                { try $0.execute(sql: "INSERT INTO large VALUES (randomblob(20000000))") },
                { try $0.execute(sql: "INSERT INTO large VALUES (? || 'a')", arguments: [large]) },
                {
                    var player = Player(id: nil, name: large, score: 1)
                    try player.insert($0)
                },
                {
                    let sql =
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT group_concat(hex(zeroblob(500))) FROM n"
                    _ = try String.fetchOne($0, sql: sql)
                },
            ]
            for work in works {
                do {
                    try writer.write { (db) throws in
                        try Player.arthur.delete(db)
                        try work(db)
                    }
                    throw TestError()
                } catch let error as DatabaseError where error.resultCode == .SQLITE_NOMEM || error.resultCode == .SQLITE_IOERR {}
                // The transaction is undone, and the connection works within the cap.
                let players = try writer.read { try Player.order(Column("id")).fetchAll($0) }
                guard players == [.arthur, .barbara, .craig] else { throw TestError() }
                try writer.write { db in try db.execute(sql: "INSERT INTO large VALUES (1)") }
            }
            sqlite3_hard_heap_limit64(0)
            try writer.read { (db) throws in
                guard try Int.fetchOne(db, sql: "SELECT count(*) FROM large") == works.count,
                    try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"]
                else { throw TestError() }
            }
            try writer.close()
        }
    }

    /// A folder on a small disk. Only the superuser can make one, and not in each container.
    private final class SmallDisk {
        static let isAvailable = (try? SmallDisk(TemporaryFolder())) != nil

        let path: String

        init?(_ folder: TemporaryFolder) {
            path = folder.path("disk")
            try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            guard Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "strata", path]) else { return nil }
        }

        deinit { _ = Self.run("/bin/umount", ["-l", path]) }

        private static func run(_ program: String, _ arguments: [String]) -> Bool {
            guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: program) else { return false }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "no small disk can be mounted"), arguments: [false, true])
    func `A full disk is an error without a loss, and the connection can still be used`(_ isPool: Bool) throws {
        let disk = try #require(SmallDisk(folder))
        let writer: any DatabaseWriter =
            isPool ? try DatabasePool(path: "\(disk.path)/a.sqlite") : try DatabaseQueue(path: "\(disk.path)/a.sqlite")
        try writer.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, data)") }
        try Data(count: 200_000).write(to: URL(fileURLWithPath: "\(disk.path)/spare"))
        var committed = 0
        let error = expectError(.SQLITE_FULL) {
            while true {
                try writer.write { (db) throws in
                    for _ in 0..<4 { try db.execute(sql: "INSERT INTO t (data) VALUES (randomblob(3000))") }
                }
                committed += 4
            }
        }
        #expect(error?.description.contains("Free some space on the disk") == true)
        #expect(committed > 0)
        func count() throws -> Int? { try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } }
        #expect(try count() == committed)
        #expect(try writer.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        // With some space, the connection writes again.
        try FileManager.default.removeItem(atPath: "\(disk.path)/spare")
        try writer.write { try $0.execute(sql: "INSERT INTO t (data) VALUES (randomblob(3000))") }
        committed += 1
        try writer.close()
        let again = try DatabaseQueue(path: "\(disk.path)/a.sqlite")
        #expect(try again.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == committed)
        try again.close()
    }

    @Test
    func `A file that may not grow is an error, and can be written again when it may`() throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a); PRAGMA max_page_count = 20") }
        for _ in 0..<3 {
            let error = expectError(.SQLITE_FULL) { try queue.write { try $0.execute(sql: "INSERT INTO t VALUES (randomblob(200000))") } }
            #expect(error?.description.contains("database or disk is full") == true)
            #expect(error?.description.contains("Free some space on the disk") == true)
            #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") } == 0)
        }
        try queue.write { try $0.execute(sql: "PRAGMA max_page_count = 1000; INSERT INTO t VALUES (randomblob(200000))") }
        #expect(try queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        try queue.close()
    }

    // MARK: - Statements

    @Test
    func `Too many attached databases are an error, and the others stay`() throws {
        try DatabaseQueue(path: path).writeWithoutTransaction { (db) throws in
            let maximum = db.limit(.attachedDatabaseCount)
            for number in 0..<maximum {
                try db.execute(sql: "ATTACH ? AS \"other \(number)\"", arguments: [folder.path("\(number).sqlite")])
                try db.execute(sql: "CREATE TABLE \"other \(number)\".t\(number) (a); INSERT INTO t\(number) VALUES (\(number))")
            }
            let error = expectError(.SQLITE_ERROR) { try db.execute(sql: "ATTACH ? AS more", arguments: [folder.path("more.sqlite")]) }
            #expect(error?.message == "too many attached databases - max \(maximum)")
            try db.inTransaction {
                for number in 0..<maximum { try db.execute(sql: "UPDATE t\(number) SET a = a + 1") }
                return .commit
            }
            for number in 0..<maximum {
                #expect(try Int.fetchOne(db, sql: "SELECT a FROM t\(number)") == number + 1)
                #expect(try db.columns(in: "t\(number)", in: "other \(number)").count == 1)
            }
            try db.execute(sql: "DETACH \"other 0\"")
            try db.execute(sql: "ATTACH ? AS more", arguments: [folder.path("more.sqlite")])
        }
    }

    private static let longSQL = "SELECT " + String(repeating: " ", count: 5000) + "1"

    @Test(arguments: [
        Work<Void>("execute") { try $0.execute(sql: longSQL) },
        Work("fetchOne") { _ = try Int.fetchOne($0, sql: longSQL) },
        Work("makeStatement") { _ = try $0.makeStatement(sql: longSQL) },
        Work("filter") { _ = try Player.filter(sql: longSQL).fetchAll($0) },
        Work("column") { _ = try Player.filter(Column(longSQL) == 1).fetchCount($0) },
        Work("fetchCursor") { _ = try Row.fetchCursor($0, sql: longSQL).next() },
        Work("literal") { try $0.execute(literal: "\(sql: longSQL)") },
    ])
    func `SQL beyond its limit is an error`(_ work: Work<Void>) throws {
        try DatabaseQueue().write { (db) throws in
            try Player.makeTable(db)
            db.setLimit(.sqlLength, to: 5000)
            let error = expectError(.SQLITE_TOOBIG) { try work.run(db) }
            #expect(error?.message?.isEmpty == false)
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    private static let longText = String(repeating: "é", count: 6000)

    @Test(arguments: [
        Work<Void>("argument") { try $0.execute(sql: "INSERT INTO player (name, score) VALUES (?, 1)", arguments: [longText]) },
        Work("zeroblob") { try $0.execute(sql: "INSERT INTO player (name, score) VALUES (zeroblob(10001), 1)") },
        Work("record") {
            var player = Player(id: nil, name: longText, score: 1)
            try player.insert($0)
        },
        Work("updateAll") { _ = try Player.filter(Column("id") == 1).updateAll($0, Column("name").set(to: longText)) },
        Work("blob") { _ = try Data.fetchOne($0, sql: "SELECT ?", arguments: [Data(count: 10_001)]) },
    ])
    func `A value beyond the limit is an error`(_ work: Work<Void>) throws {
        try DatabaseQueue().write { (db) throws in
            try Player.makeTable(db)
            db.setLimit(.length, to: 10_000)
            expectError(.SQLITE_TOOBIG) { try work.run(db) }
            #expect(try Player.fetchAll(db) == [.arthur, .barbara, .craig])
        }
    }

    @Test
    func `Expressions and selections beyond their limits are errors`() throws {
        try DatabaseQueue().write { (db) throws in
            try Player.makeTable(db)
            let deep = (0..<1500).reduce(Column("score") > 0) { expression, _ in expression == 1 }
            expectError(.SQLITE_TOOBIG) { try Player.filter(deep).fetchCount(db) }
            let wide = "SELECT " + (0..<5000).map { "\($0)" }.joined(separator: ", ")
            #expect(expectError(.SQLITE_ERROR) { try Row.fetchOne(db, sql: wide) }?.message == "too many columns in result set")
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    @Test(arguments: [999, 32766, 250_000])
    func `Many keys and arguments are bound, or are an error, whatever the limit is`(_ limit: Int) throws {
        try DatabaseQueue().write { (db) throws in
            try Player.makeTable(db)
            db.setLimit(.parameterCount, to: limit)
            let maximum = db.limit(.parameterCount)
            func sql(_ count: Int) -> String {
                "SELECT 1 WHERE 7 IN (\(repeatElement("?", count: count).joined(separator: ",")))"
            }
            let arguments = (0..<maximum).map { $0 == 7 ? 7 : -$0 }
            #expect(try Int.fetchOne(db, sql: sql(maximum), arguments: StatementArguments(arguments)) == 1)
            let error = expectError(.SQLITE_ERROR) {
                try Int.fetchOne(db, sql: sql(maximum + 1), arguments: StatementArguments(arguments + [1]))
            }
            #expect(error?.message == "too many SQL variables")

            // Those of the query interface.
            for count in limit < 100_000 ? [maximum - 1, maximum, maximum + 1, maximum * 2] : [maximum + 1] {
                let keys = [1, 3] + (0..<(count - 2)).map { $0 + 1000 }
                let fetches: [(Database) throws -> Int] = [
                    { try Player.fetchAll($0, keys: keys).count }, { try Player.filter(keys: keys).fetchCount($0) },
                    { try Player.filter(keys.contains(Column("id"))).fetchAll($0).count },
                    { try Player.fetchCursor($0, keys: keys).reduce(0) { count, _ in count + 1 } },
                    { try Player.filter(keys.contains(Column("id"))).updateAll($0, Column("score").set(to: 1)) },
                    { db in
                        var deleted = 0
                        try db.inSavepoint {
                            deleted = try Player.deleteAll(db, keys: keys)
                            return .rollback
                        }
                        return deleted
                    },
                ]
                for (index, fetch) in fetches.enumerated() {
                    do {
                        #expect(try fetch(db) == 2, "\(index), \(count) keys")
                    } catch let error as DatabaseError {
                        #expect(count >= maximum && error.message == "too many SQL variables", "\(index), \(count) keys: \(error)")
                    }
                }
            }
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    @Test
    func `Batches have any size`() throws {
        try DatabaseQueue().write { (db) throws in
            try Player.makeTable(db)
            db.setLimit(.parameterCount, to: 999)
            var players = (0..<5000).map { Player(id: nil, name: "\($0)", score: $0) }
            try players.insertAll(db)
            #expect(players.compactMap(\.id).count == 5000)
            for index in players.indices { players[index].score += 1 }
            try players.updateAll(db)
            try players.upsertAll(db)
            #expect(try Int.fetchOne(db, sql: "SELECT sum(score) FROM player WHERE id > 3") == (1...5000).reduce(0, +))
            try players.deleteAll(db)
            #expect(try Player.fetchCount(db) == 3)
        }
    }

    @Test
    func `A table has as many columns as SQLite allows, and one more is an error`() throws {
        try DatabaseQueue().write { (db) throws in
            let maximum = db.limit(.columnCount)
            #expect(maximum == 2000)
            func create(_ name: String, _ count: Int) throws {
                try db.create(table: name) { t in
                    for index in 0..<count { t.column("column \(index)", .integer).notNull() }
                }
            }
            try create("wide", maximum)
            #expect(expectError(.SQLITE_ERROR) { try create("wider", maximum + 1) }?.message == "too many columns on wider")
            #expect(try db.columns(in: "wide").count == maximum)
            let wide = Wide(values: Array(0..<maximum))
            try wide.insert(db)
            try [wide, wide].insertAll(db)
            #expect(try Wide.fetchAll(db).map(\.values) == [wide.values, wide.values, wide.values])
            #expect(try Wide.filter(Column("column 1999") == 1999).fetchCount(db) == 3)
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM wide"))
            #expect(try row.decode(Int.self, forKey: "COLUMN 1998") == 1998)
            #expect(throws: RowDecodingError.self) { try row.decode(Int.self, forKey: "column 2000") }
            #expect(Dictionary(row).count == maximum)
            expectError(.SQLITE_ERROR) { try Wide(values: Array(0...maximum)).insert(db) }
            expectError(.SQLITE_ERROR) { try db.alter(table: "wide") { t in t.add(column: "one more") } }
            #expect(expectError(.SQLITE_ERROR) { try Row.fetchOne(db, sql: "SELECT a.*, b.* FROM wide a, wide b") }?.message != nil)
            #expect(try Wide.fetchCount(db) == 3)
        }
    }

    // MARK: - Connections

    @Test
    func `64 readers read at the same time`() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 64
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { try Player.makeTable($0) }
        let isReading = Semaphore("each reader has begun")
        let goOn = Semaphore("the test lets the readers end")
        let readers = (0..<64).map { _ in
            Parallel {
                try pool.read { (db) throws in
                    let before = try Player.fetchCount(db)
                    isReading.signal()
                    goOn.wait()
                    return before + (try Player.fetchCount(db))
                }
            }
        }
        for _ in readers { isReading.wait() }
        // All are inside their accesses, and see nothing of this write.
        try pool.write { db in _ = try Player.arthur.delete(db) }
        for _ in readers { goOn.signal() }
        for reader in readers { #expect(try reader.wait() == 6) }
        #expect(try pool.read { try Player.fetchCount($0) } == 2)
        try pool.close()
    }
}
