import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataDeployingSamples {
    @Test
    func `A pool is checkpointed, backed up and closed`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("app.sqlite")
        let copyPath = folder.path("copy.sqlite")

        // sample: Durability 1
        // sample: Several processes 1
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')")
        }
        try #expect(pool.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))

        // sample: The write-ahead log 1
        #expect(logFrames == 0)
        #expect(movedFrames == 0)
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(size == 0)

        // sample: Backups 1
        // sample: Backups 2
        try #expect(restored.read { try String.fetchAll($0, sql: "SELECT text FROM note") } == ["a"])
        try restored.close()

        // sample: Shutting down 1
        #expect {
            try pool.read { _ in }
        } throws: {
            DatabaseError.SQLITE_MISUSE ~= $0
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }

    @Test
    func `The size of the log has a limit`() {
        // sample: The write-ahead log 2
        #expect(configuration.maximumLogSize == 67_108_864)
        #expect(configuration.logRestartTimeout == .milliseconds(500))
    }

    @Test
    func `A backup is restored while the program runs`() async throws {
        let folder = try TemporaryFolder()
        let copyPath = folder.path("copy.sqlite")
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create note") { try $0.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')") }
        let old = try DatabaseQueue(path: copyPath)
        try migrator.migrate(old)
        try old.close()
        migrator.registerMigration("Add date") { try $0.execute(sql: "ALTER TABLE note ADD COLUMN date TEXT") }

        var readonly = Configuration()
        readonly.readonly = true
        var configuration = Configuration()
        // sample: Restore 2
        let pool = try DatabasePool(path: folder.path("app.sqlite"), configuration: configuration)
        try migrator.migrate(pool)
        try await pool.write { try $0.execute(sql: "INSERT INTO note VALUES ('b', NULL)") }
        // The log stays for Litestream.
        try await pool.write { try $0.execute(sql: "CREATE TABLE large AS SELECT zeroblob(8000000) AS a") }
        let size = try FileManager.default.attributesOfItem(atPath: pool.path)[.size] as? Int
        #expect(size.map { $0 < 1_000_000 } == true)
        let texts = ValueObservation.tracking { try String.fetchAll($0, sql: "SELECT text FROM note ORDER BY text") }
        var values = texts.values(in: pool).makeAsyncIterator()
        #expect(try await values.next() == ["a", "b"])
        let snapshot = try pool.makeSnapshot()
        func restore() throws {
            // sample: Restore 1
        }
        try restore()
        while try await values.next() != ["a"] {}
        #expect(try await snapshot.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 2)
        #expect(try await pool.read { db in try db.columns(in: "note").map { $0.name } } == ["text", "date"])
        #expect(try await pool.verify().isEmpty)
    }
}
