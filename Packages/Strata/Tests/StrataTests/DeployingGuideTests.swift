import Foundation
import Strata
import Testing

@Suite("Samples of the guide Deploying")
struct DeployingGuideTests {
    @Test("A pool is checkpointed, backed up and closed")
    func operation() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("app.sqlite")
        let copyPath = folder.path("copy.sqlite")

        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL")
        }
        configuration.busyMode = .timeout(30)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('a')")
        }
        try #expect(pool.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))

        let (logFrames, movedFrames) = try pool.checkpoint(.truncate)
        #expect(logFrames == 0)
        #expect(movedFrames == 0)
        let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        #expect(size == 0)

        let copy = try DatabaseQueue(path: copyPath)
        try pool.backup(to: copy)
        try copy.close()
        var readonly = Configuration()
        readonly.readonly = true
        let restored = try DatabaseQueue(path: copyPath, configuration: readonly)
        let result = try restored.read { db in
            try String.fetchOne(db, sql: "PRAGMA integrity_check")
        }
        // "ok"
        #expect(result == "ok")
        try #expect(restored.read { try String.fetchAll($0, sql: "SELECT text FROM note") } == ["a"])
        try restored.close()

        try pool.close()
        #expect {
            try pool.read { _ in }
        } throws: {
            DatabaseError.SQLITE_MISUSE ~= $0
        }
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
    }
}
