import DqliteCluster
import Foundation
import Testing

@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized)
struct ClusterStatementTests {
    let nodes = try! TestNodes()

    @Test
    func `Statements write and read rows`() throws {
        let cluster = try nodes.open()
        try cluster.write { db in
            try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER)")
            try db.execute(sql: "INSERT INTO player (name, score) VALUES (?, ?), (?, ?)", arguments: ["Arthur", 1000, "Barbara", nil])
            #expect(db.changesCount == 2)
            #expect(db.lastInsertedRowID == 2)
        }
        let rows = try cluster.read { db in
            let statement = try db.makeStatement(sql: "SELECT id, name AS who, score FROM player WHERE id >= :first ORDER BY id")
            #expect(statement.columnNames == ["id", "who", "score"])
            #expect(statement.isReadonly)
            try statement.setArguments(["first": 1])
            var rows: [String] = []
            while try statement.step() { rows.append((0..<3).map { statement.databaseValue(at: $0).sqlLiteral }.joined(separator: " ")) }
            return rows
        }
        #expect(rows == ["1 'Arthur' 1000", "2 'Barbara' NULL"])
        try cluster.write { db in
            try db.execute(sql: "UPDATE player SET score = 5")
            #expect(db.changesCount == 2)
            #expect(db.lastInsertedRowID == 2)
            try db.execute(sql: "DELETE FROM player WHERE id = 77")
            #expect(db.changesCount == 0)
            let statement = try db.makeStatement(sql: "INSERT INTO player (name) VALUES ('C'), ('D') RETURNING id, *")
            #expect(statement.columnNames == ["id", "id", "name", "score"])
            var names: [String?] = []
            while try statement.step() { names.append(statement.string(at: 2)) }
            #expect(names == ["C", "D"])
            #expect(db.lastInsertedRowID == 4)
            #expect(db.changesCount == 2)
        }
        let error = #expect(throws: DatabaseError.self) {
            try cluster.write { db in try db.execute(sql: "INSERT INTO player (name) VALUES ('C')") }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
        #expect(error?.message == "UNIQUE constraint failed: player.name")
        try cluster.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('E')")
            #expect(db.lastInsertedRowID == 5)
            try db.execute(sql: "CREATE INDEX i ON player (score)")
        }
        try cluster.write { db in
            try db.inSavepoint {
                try db.execute(sql: "DELETE FROM player")
                return .rollback
            }
            let statement = try db.makeStatement(sql: "SELECT count(*) FROM player")
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 5)
        }
    }
}
