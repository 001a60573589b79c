import DqliteCluster
import Foundation
import Testing

/// The samples of the README.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ReadmeTests {
    @Test("A cluster is written to and read")
    func writesAndReads() throws {
        let folder = try TemporaryFolder()
        let directory = folder.path
        let addresses = ["127.0.0.1:\(freePort())"]

        let node = try DqliteNode(id: 1, address: addresses[0], directory: directory)
        try node.start()

        do {
            let cluster = try DqliteCluster(addresses: addresses, database: "app")

            try cluster.write { db in
                try db.execute(
                    sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
                try db.execute(
                    sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
            }
            let count = try cluster.read { db in
                let statement = try db.makeStatement(sql: "SELECT count(*) FROM player")
                return try statement.step() ? statement.int64(at: 0) : nil
            }

            #expect(count == 1)
            try cluster.write { db in
                try db.execute(sql: "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER); INSERT INTO account VALUES (1, 100)")
            }

            try cluster.write(id: "order-4711") { db in
                try db.execute(sql: "UPDATE account SET balance = balance - 10 WHERE id = 1")
            }

            let impatient = try DqliteCluster(addresses: addresses, database: "app", accessTimeout: .seconds(5))
            #expect(impatient.accessTimeout == .seconds(5))
        }
        node.stop()
    }
}
