import Foundation
import Testing
import ValueConversion

/// The names that views, indexes and the like have in files, and that no test of this suite adds to a connection.
private let schema = """
    CREATE TABLE player (
        id INTEGER PRIMARY KEY,
        name TEXT,
        folded TEXT AS (swiftLowercaseString(name)) STORED,
        loud TEXT AS (swiftUppercaseString(name)) VIRTUAL,
        nick TEXT COLLATE swiftCaseInsensitiveCompare UNIQUE
    );
    CREATE INDEX byName ON player (name COLLATE swiftCompare);
    CREATE INDEX byTitle ON player (swiftCapitalizedString(name), name COLLATE swiftLocalizedStandardCompare DESC);
    CREATE INDEX some ON player (id) WHERE swiftLowercaseString(name) <> '';
    CREATE VIEW sorted AS
        SELECT name, swiftLocalizedUppercaseString(name) AS title FROM player ORDER BY name COLLATE swiftLocalizedCaseInsensitiveCompare;
    CREATE TABLE log (entry TEXT COLLATE swiftLocalizedCompare, CHECK (swiftLocalizedLowercaseString(entry) <> ''));
    CREATE TRIGGER noting AFTER INSERT ON player BEGIN INSERT INTO log VALUES (swiftLocalizedCapitalizedString(new.name)); END;
    """

/// A file with that schema, and two rows.
private struct File {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path + "/file.sqlite"
        try DatabaseQueue(path: path).write { db throws in
            try db.execute(sql: schema)
            try db.execute(sql: "INSERT INTO player (name, nick) VALUES ('Émile', 'A'), ('craig', 'b')")
        }
    }
}

extension Database {
    fileprivate func expectAll(sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(
            try rows("SELECT folded FROM player ORDER BY name COLLATE swiftCompare") == ["'craig'", "'émile'"],
            sourceLocation: sourceLocation)
        #expect(try rows("SELECT loud FROM player WHERE nick = 'B'") == ["'CRAIG'"], sourceLocation: sourceLocation)
        #expect(try rows("SELECT title FROM sorted") == ["'CRAIG'", "'ÉMILE'"], sourceLocation: sourceLocation)
        #expect(try rows("SELECT entry FROM log ORDER BY entry") == ["'Craig'", "'Émile'"], sourceLocation: sourceLocation)
        #expect(
            try rows("SELECT name FROM player WHERE swiftCapitalizedString(name) = 'Émile'") == ["'Émile'"], sourceLocation: sourceLocation
        )
    }
}

@Suite struct RegistryTests {
    @Test
    func `A file whose schema names the layer's functions and collations works on a connection that has used none`() throws {
        let file = try File()
        try DatabaseQueue(path: file.path).write { db throws in
            #expect(try db.rows("PRAGMA integrity_check") == ["'ok'"])
        }
        try DatabaseQueue(path: file.path).write { db throws in
            try db.expectAll()
            #expect(throws: DatabaseError.self) { try db.execute(sql: "INSERT INTO player (nick) VALUES ('a')") }
        }
        try DatabaseQueue(path: file.path).writeWithoutTransaction { db throws in
            try db.execute(sql: "INSERT INTO player (name, nick) VALUES ('Zoë', 'c'); REINDEX; VACUUM; ANALYZE")
            #expect(try db.rows("SELECT loud FROM player WHERE name = 'Zoë'") == ["'ZOË'"])
        }
    }

    @Test
    func `So it is by connections for reading, the readers of pools, snapshots, and in attached databases`() throws {
        let file = try File()
        var configuration = Configuration()
        configuration.readonly = true
        try DatabaseQueue(path: file.path, configuration: configuration).read { try $0.expectAll() }
        let pool = try DatabasePool(path: file.path)
        try pool.read { try $0.expectAll() }
        try pool.write { try $0.expectAll() }
        try pool.makeSnapshot().read { try $0.expectAll() }
        try DatabaseQueue().writeWithoutTransaction { db throws in
            try db.execute(sql: "ATTACH '\(file.path)' AS other")
            #expect(try db.rows("SELECT loud FROM other.player ORDER BY name COLLATE swiftCompare") == ["'CRAIG'", "'ÉMILE'"])
            #expect(try db.rows("SELECT title FROM other.sorted") == ["'CRAIG'", "'ÉMILE'"])
        }
    }

    @Test
    func `A collation or a function of the user's own has precedence, whenever it is added`() throws {
        let reversed = DatabaseCollation("SwiftCompare") { (lhs: String, rhs: String) -> DatabaseCollation.Ordering in
            lhs < rhs ? .descending : lhs == rhs ? .same : .ascending
        }
        let answer = DatabaseFunction("swiftlowercasestring", argumentCount: 1, pure: true) { _ in "mine" }
        let sql = "SELECT a FROM (SELECT 'b' AS a UNION ALL SELECT 'a') ORDER BY a COLLATE swiftCompare"
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(collation: reversed)
            db.add(function: answer)
        }
        try DatabaseQueue(configuration: configuration).write { db throws in
            #expect(try db.rows(sql) == ["'b'", "'a'"])
            #expect(try db.rows("SELECT swiftLowercaseString('A')") == ["'mine'"])
        }
        try DatabaseQueue().write { db throws in
            #expect(try db.rows(sql) == ["'a'", "'b'"])
            db.add(collation: reversed)
            #expect(try db.rows(sql) == ["'b'", "'a'"])
            #expect(try db.rows("SELECT swiftLowercaseString('A')") == ["'a'"])
            db.add(function: answer)
            #expect(try db.rows("SELECT swiftLowercaseString('A')") == ["'mine'"])
        }
    }

    @Test
    func `Removed collations and functions come back only when they are added again`() throws {
        let sql = "SELECT 'a' ORDER BY 1 COLLATE swiftCompare"
        try DatabaseQueue().write { db throws in
            for _ in 1...2 {
                #expect(try db.rows(sql) == ["'a'"])
                db.remove(collation: .unicodeCompare)
                let error = #expect(throws: DatabaseError.self) { try db.rows(sql) }
                #expect(error?.message == "no such collation sequence: swiftCompare")
                db.add(collation: .unicodeCompare)
            }
            db.remove(function: .lowercase)
            #expect(throws: DatabaseError.self) { try db.rows("SELECT swiftLowercaseString('A')") }
            db.add(function: .lowercase)
            #expect(try db.rows("SELECT swiftLowercaseString('A')") == ["'a'"])
        }
    }

    @Test
    func `A statement asks for several collations at once, while others run`() throws {
        try DatabaseQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES ('a'), ('b')")
            let running = try db.makeStatement(sql: "SELECT a FROM t")
            #expect(try running.step())
            let names = DatabaseCollation.ofThisLayerNames
            for name in names {
                #expect(try db.rows("SELECT a FROM t ORDER BY a COLLATE \(name)") == ["'a'", "'b'"])
            }
            #expect(try running.step())
            #expect(running.databaseValue(at: 0) == "b".databaseValue)
        }
    }

    @Test
    func `All connections know what the program registers; open ones its collations, and new ones its functions, too`() throws {
        let open = try DatabaseQueue()
        DatabaseRegistry.add(
            collation: DatabaseCollation("registry_test") { (lhs: String, rhs: String) -> DatabaseCollation.Ordering in
                lhs.count < rhs.count ? .ascending : lhs.count == rhs.count ? .same : .descending
            })
        DatabaseRegistry.add(function: DatabaseFunction("registry_test", argumentCount: 0) { _ in 1 })
        DatabaseRegistry.add(function: DatabaseFunction("registry_test", argumentCount: 0) { _ in 42 })
        let sql = "SELECT a FROM (SELECT 'aa' AS a UNION ALL SELECT 'b') ORDER BY a COLLATE Registry_Test"
        for queue in [open, try DatabaseQueue()] {
            #expect(try queue.read { try $0.rows(sql) } == ["'b'", "'aa'"])
        }
        #expect(try DatabaseQueue().read { try $0.rows("SELECT registry_test()") } == ["42"])
        #expect(throws: DatabaseError.self) { try open.read { try $0.rows("SELECT registry_test()") } }
    }

    @Test
    func `Connections that are opened at the same time all know the layer's functions`() async throws {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<16 {
                group.addTask { try await DatabaseQueue().read { try $0.rows("SELECT swiftLowercaseString('É')") } }
            }
            for try await texts in group { #expect(texts == ["'é'"]) }
        }
    }
}

extension DatabaseCollation {
    fileprivate static var ofThisLayerNames: [String] {
        let collations: [DatabaseCollation] = [
            .unicodeCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
        ]
        return collations.map(\.name)
    }
}
