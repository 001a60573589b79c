import Foundation
import SQLiteDriver
import Testing

@Suite struct CollationTests {
    /// Orders strings by their number of characters, and then as Swift does.
    private static let byLength = DatabaseCollation("by_length") { lhs, rhs in
        if lhs.count != rhs.count { return lhs.count < rhs.count ? .ascending : .descending }
        return lhs == rhs ? .same : lhs < rhs ? .ascending : .descending
    }

    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { db in
            db.add(collation: Self.byLength)
            try db.execute(sql: "CREATE TABLE t (a)")
        }
    }

    private func insert(_ texts: [String], _ db: Database) throws {
        for text in texts {
            try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text])
        }
    }

    @Test
    func `The function orders strings`() throws {
        try queue.write { db in
            try insert(["ccc", "dd", "a", "", "b\0c"], db)
            #expect(try db.texts("SELECT a FROM t ORDER BY a COLLATE by_length") == ["", "a", "dd", "b\0c", "ccc"])
            #expect(try db.texts("SELECT a FROM t ORDER BY a COLLATE By_Length DESC").first == "ccc")
        }
    }

    @Test
    func `Characters outside ASCII are compared`() throws {
        try queue.write { db in
            // Swift compares by canonical equivalence, where SQLite compares bytes.
            try insert(["é", "e\u{301}", "🎉🎉", "ß", "日本"], db)
            #expect(try db.integers("SELECT count(*) FROM t WHERE a = 'é' COLLATE by_length") == [2])
            #expect(try db.integers("SELECT count(*) FROM t WHERE a = 'é'") == [1])
            #expect(try db.texts("SELECT a FROM t ORDER BY a COLLATE by_length DESC LIMIT 2") == ["🎉🎉", "日本"])
        }
    }

    @Test
    func `Collations serve columns and indexes`() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE u (a TEXT COLLATE by_length UNIQUE); INSERT INTO u VALUES ('é'), ('bb')")
            expectError(.SQLITE_CONSTRAINT_UNIQUE) { try db.execute(sql: "INSERT INTO u VALUES (?)", arguments: ["e\u{301}"]) }
            #expect(try db.texts("SELECT a FROM u ORDER BY a") == ["é", "bb"])
        }
    }

    @Test
    func `Collations compare in databases of UTF-16`() throws {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA encoding = 'UTF-16'; CREATE TABLE t (a); INSERT INTO t VALUES ('bb'), ('é'), ('🎉')")
            db.add(collation: Self.byLength)
            #expect(try db.texts("SELECT a FROM t ORDER BY a COLLATE by_length") == ["é", "🎉", "bb"])
        }
    }

    @Test
    func `A collation replaces the previous one`() throws {
        try queue.write { db in
            try insert(["a", "b"], db)
            let sql = "SELECT a FROM t ORDER BY a COLLATE by_length"
            #expect(try db.texts(sql) == ["a", "b"])
            db.add(collation: DatabaseCollation("BY_LENGTH") { lhs, rhs in lhs > rhs ? .ascending : lhs == rhs ? .same : .descending })
            #expect(try db.texts(sql) == ["b", "a"])
        }
    }

    @Test
    func `A removed collation is unknown`() throws {
        try queue.write { db in
            db.remove(collation: DatabaseCollation("unheard_of") { _, _ in .same })
            db.remove(collation: Self.byLength)
            let error = expectError(.SQLITE_ERROR_MISSING_COLLSEQ) { try db.texts("SELECT a FROM t ORDER BY a COLLATE by_length") }
            #expect(error?.message == "no such collation sequence: by_length")
        }
    }

    @Test
    func `A statement that reads a table WITHOUT ROWID names the missing collation of its key`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("collations.sqlite").path
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.writeWithoutTransaction { db in
                db.add(collation: Self.byLength)
                try db.execute(
                    sql: """
                        CREATE TABLE plain (id INTEGER PRIMARY KEY, a TEXT COLLATE by_length UNIQUE);
                        CREATE TABLE keyed (a TEXT COLLATE by_length PRIMARY KEY, b);
                        CREATE TABLE "without" (b, a TEXT COLLATE "by_LENGTH", PRIMARY KEY (b, a)) WITHOUT ROWID;
                        CREATE TABLE valued (b PRIMARY KEY, a TEXT COLLATE by_length) WITHOUT ROWID;
                        CREATE VIEW v AS SELECT b FROM "without";
                        INSERT INTO "without" VALUES (1, 'a');
                        """)
            }
            try queue.close()
        }
        let queue = try DatabaseQueue(path: path)
        let readsOfValues = ["SELECT * FROM valued", "SELECT b FROM valued"]
        // Since 3.53, the key has the collations of the other columns, too.
        let needsAllCollations = SQLiteLibrary.current.versionNumber >= 3_053_000
        try queue.writeWithoutTransaction { (db) throws in
            // The second time, SQLite no longer looks for the collation.
            for _ in 1...2 {
                for sql in [
                    "SELECT * FROM \"without\"", "SELECT 1 FROM \"without\"", "SELECT * FROM v", "SELECT keyed.a FROM keyed, \"without\"",
                    "SELECT * FROM \"without\" WHERE b = 1", "INSERT INTO plain (id) SELECT b FROM \"without\"",
                    "UPDATE \"without\" SET b = 2",
                ] + (needsAllCollations ? readsOfValues : []) {
                    let error = expectError(.SQLITE_ERROR_MISSING_COLLSEQ) { try db.execute(sql: sql) }
                    #expect(error?.message?.lowercased() == "no such collation sequence: by_length", "\(sql)")
                    #expect(error?.sql == sql)
                }
            }
            for sql in ["SELECT * FROM plain", "SELECT * FROM keyed"] + (needsAllCollations ? [] : readsOfValues) {
                try db.execute(sql: sql)
            }
            // Another cause of the same error of SQLite.
            let error = expectError(.SQLITE_ERROR) {
                try db.execute(sql: "SELECT * FROM plain INDEXED BY sqlite_autoindex_plain_1 WHERE id = 1")
            }
            #expect(error?.message == "no query solution")
        }
        try queue.close()
    }

    @Test
    func `Names ignore case`() {
        #expect(Self.byLength.id == DatabaseCollation("BY_length") { _, _ in .same }.id)
        #expect(Self.byLength.id != DatabaseCollation("by") { _, _ in .same }.id)
        #expect(Self.byLength.name == "by_length")
    }

    @Test
    func `Sqlite knows the names of built in collations`() throws {
        try queue.write { (db) throws in
            for name in [Database.CollationName.binary, .nocase, .rtrim] {
                #expect(try db.integers("SELECT 'a' = 'a' COLLATE \(name.rawValue)") == [1])
            }
        }
    }

    @Test(arguments: ["replaced", "removed", "closed"])
    func `A collation lives as long as a connection has it`(_ ending: String) throws {
        final class Canary: Sendable {}
        func makeCollation() -> (DatabaseCollation, () -> Bool) {
            let canary = Canary()
            weak let observed = canary
            return (DatabaseCollation("c") { _, _ in withExtendedLifetime(canary) { .same } }, { observed != nil })
        }
        let queue = try DatabaseQueue()
        var (collation, isAlive): (DatabaseCollation?, () -> Bool) = makeCollation()
        try queue.write { $0.add(collation: collation!) }
        collation = nil
        #expect(isAlive())
        switch ending {
        case "replaced": try queue.write { $0.add(collation: makeCollation().0) }
        case "removed": try queue.write { $0.remove(collation: makeCollation().0) }
        default: try queue.close()
        }
        #expect(!isAlive())
    }
}
