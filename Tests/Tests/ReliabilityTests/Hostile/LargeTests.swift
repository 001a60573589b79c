import Foundation
import Strata
import Testing

/// What takes minutes and gigabytes: `make soak` runs it.
@Suite("Large databases", .serialized, .timeLimit(.minutes(60)), .enabled(if: ProcessInfo.processInfo.environment["STRATA_LARGE"] != nil))
struct LargeTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("database.sqlite")
    }

    @Test(arguments: [false, true])
    func `A blob of 900 MB is written and read, and one beyond the limit is an error`(_ isPool: Bool) throws {
        struct File: Codable, FetchableRecord, PersistableRecord {
            var id: Int
            var data: Data
        }
        let writer: any DatabaseWriter = isPool ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
        try writer.write { try $0.execute(sql: "CREATE TABLE file (id INTEGER PRIMARY KEY, data BLOB)") }
        var data = Data(count: 900_000_000)
        for index in stride(from: 0, to: data.count, by: 1_000_003) { data[index] = UInt8(truncatingIfNeeded: index / 1_000_003) }
        let file = File(id: 1, data: data)
        try writer.write { try file.insert($0) }
        #expect(try writer.read { try File.fetchOne($0, key: 1)?.data } == data)
        #expect(try writer.read { try Int.fetchOne($0, sql: "SELECT length(data) FROM file") } == data.count)
        let limit = try writer.read { $0.limit(.length) }
        expectError(.SQLITE_TOOBIG) { try writer.write { try File(id: 2, data: Data(count: limit + 1)).insert($0) } }
        // SQLite counts bytes in 32 bits.
        for count in [Int(Int32.max), Int(Int32.max) + 1, Int(UInt32.max) + 2] {
            expectError(.SQLITE_TOOBIG) { try writer.write { try File(id: 2, data: Data(count: count)).insert($0) } }
        }
        #expect(try writer.read { try File.fetchCount($0) } == 1)
        try writer.close()
        print("large: a blob of \(data.count) bytes")
    }

    @Test
    func `SQL whose length SQLite can't count is an error`() throws {
        // An expectation of an error would describe it, with all of its SQL.
        func code(_ body: () throws -> Void) -> ResultCode? {
            do {
                try body()
                return nil
            } catch {
                return (error as? DatabaseError)?.resultCode
            }
        }
        try DatabaseQueue().write { (db) throws in
            for count in [Int(Int32.max), Int(UInt32.max) + 8] {
                let sql = "SELECT 1 /*" + String(decoding: Data(repeating: UInt8(ascii: "x"), count: count), as: UTF8.self) + "*/"
                #expect(code { try db.execute(sql: sql) } == .SQLITE_TOOBIG)
                #expect(code { _ = try Int.fetchOne(db, sql: sql) } == .SQLITE_TOOBIG)
                #expect(code { _ = try db.makeStatement(sql: sql) } == .SQLITE_TOOBIG)
            }
            let number = try Int.fetchOne(db, sql: "SELECT 1")
            #expect(number == 1)
        }
    }

    @Test
    func `5,000,000 rows in one transaction are all there, or none after a rollback`() throws {
        let count = 5_000_000
        let pool = try DatabasePool(path: path)
        try pool.write { try $0.execute(sql: Player.creation) }
        for isCommitted in [false, true] {
            do {
                try pool.write { db in
                    for number in 1...count {
                        try HandWrittenPlayer(id: Int64(number), name: "player \(number)", score: number % 1000).insert(db)
                    }
                    #expect(try HandWrittenPlayer.fetchCount(db) == count)
                    if !isCommitted { throw TestError() }
                }
            } catch is TestError {}
            #expect(try pool.read { try HandWrittenPlayer.fetchCount($0) } == (isCommitted ? count : 0))
        }
        try pool.read { (db) throws in
            let cursor = try HandWrittenPlayer.order(Column("id")).fetchCursor(db)
            var number = 0
            while let player = try cursor.next() {
                number += 1
                guard player.id == number, player.score == number % 1000 else { throw TestError() }
            }
            #expect(number == count)
        }
        try pool.checkpoint(.truncate)
        #expect(try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check") } == ["ok"])
        try pool.close()
        print("large: \(count) rows in one transaction")
    }

    @Test(arguments: [false, true])
    func `A file of 20 GB is read and written beyond its 20 GB`(_ isPool: Bool) throws {
        let pageSize = 65536
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA page_size = \(pageSize)") }
        let first = try DatabaseQueue(path: path, configuration: configuration)
        try first.write { db in
            try Player.makeTable(db)
            try db.execute(sql: "CREATE TABLE large (a)")
        }
        try first.close()
        // The file gets a hole in its end, and a header that counts the pages of the hole: they belong to no table.
        let size = 20 * 1024 * 1024 * 1024
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.seek(toOffset: 28)
        try file.write(contentsOf: withUnsafeBytes(of: UInt32(size / pageSize).bigEndian) { Data($0) })
        try file.close()

        let writer: any DatabaseWriter =
            isPool
            ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
        #expect(try writer.read { try Int.fetchOne($0, sql: "PRAGMA page_count") } == size / pageSize)
        let data = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
        try writer.write { db in
            for number in 4...2000 {
                var player = Player(id: nil, name: "player \(number)", score: number)
                try player.insert(db)
            }
            try db.execute(sql: "INSERT INTO large VALUES (?)", arguments: [data])
        }
        #expect(throws: TestError.self) {
            try writer.write { db in
                try db.execute(sql: "UPDATE large SET a = NULL; DELETE FROM player")
                throw TestError()
            }
        }
        if isPool { try writer.checkpoint(.truncate) }
        try writer.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.size] as? Int ?? 0) > size)
        let again = try DatabaseQueue(path: path)
        try again.read { (db) throws in
            #expect(try Data.fetchOne(db, sql: "SELECT a FROM large") == data)
            #expect(try Player.fetchCount(db) == 2000)
            #expect(try Player.fetchOne(db, key: 2000)?.score == 2000)
        }
        try again.close()
        print("large: a file of \(size) bytes")
    }
}
