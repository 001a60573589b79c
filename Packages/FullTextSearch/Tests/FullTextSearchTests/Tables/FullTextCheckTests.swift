import FullTextSearch
import Testing

/// `DatabaseCheck.fullTextIndexes`.
@Suite struct FullTextCheckTests {
    @Test(arguments: ["fts4", "fts5"])
    func `An index that does not match its table is found, and the advice mends it`(_ module: String) throws {
        let queue = try DatabaseQueue()
        let options = module == "fts5" ? "a, content='t', content_rowid='id'" : "content='t', a"
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t VALUES (1, 'one'), (2, 'two');
                    CREATE VIRTUAL TABLE "f 1" USING \(module)(\(options)); INSERT INTO "f 1" ("f 1") VALUES ('rebuild');
                    CREATE VIRTUAL TABLE own USING \(module)(a); INSERT INTO own VALUES ('one');
                    """)
        }
        #expect(try queue.verify([.integrity, .fullTextIndexes]) == [])
        try queue.write { try $0.execute(sql: "UPDATE t SET a = 'three' WHERE id = 1") }
        let findings = try queue.verify([.fullTextIndexes])
        #expect(findings.count == 1)
        let message = try #require(findings.first?.message)
        #expect(message.hasPrefix("f 1: the index does not match its content"))
        let command = try #require(message.split(separator: "; ").last.map { $0.replacing(" builds it again", with: "") })
        try queue.write { try $0.execute(sql: String(command)) }
        #expect(try queue.verify([.fullTextIndexes]) == [])
    }
}
