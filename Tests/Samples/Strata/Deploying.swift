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
}
