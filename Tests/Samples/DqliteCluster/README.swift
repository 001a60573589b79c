import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .page)
struct DqliteClusterSamples {
    @Test
    func `A cluster is written to and read`() throws {
        let folder = try TemporaryFolder()
        let directory = folder.path
        let addresses = ["127.0.0.1:\(freePort())"]

        // sample: Nodes 1

        do {
            // sample: DqliteCluster 1

            #expect(count == 1)
            try cluster.write { db in
                try db.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER); INSERT INTO account VALUES (1, 100)")
            }

            // sample: Failures 1

            // sample: Failures 2
            #expect(impatient.accessTimeout == .seconds(5))

            let backups = try TemporaryFolder()
            do {
                let folder = backups.path
                // sample: Backups, and what to do when nodes are lost 1
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: backups.path).count == 1)
        }
        node.stop()
    }
}
