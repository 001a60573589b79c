import Foundation
import Strata

/// Transactions of several rows, numbered from 1, which a process commits until it is killed. The tests and the process run the same.
///
/// What transaction `n` does depends only on the seed, on `n` and on the database. So the tests know what a database with `n`
/// transactions must hold: they run them on a database in memory.
public struct WriterScenario: Sendable {
    private let seed: UInt64

    /// The ways to open the database.
    public enum Kind: String, CaseIterable, Sendable {
        case queue, wal, pool
        /// A pool whose log is copied all the time, and truncated often.
        case checkpoints
    }

    /// Creates the scenario of a seed.
    public init(seed: UInt64) {
        self.seed = seed
    }

    /// Opens a database.
    public static func open(_ path: String, _ kind: Kind) throws -> any DatabaseWriter {
        if kind == .pool { return try DatabasePool(path: path) }
        var configuration = Configuration()
        if kind == .checkpoints {
            configuration.maximumLogSize = 100_000
            configuration.prepareDatabase { if !$0.configuration.readonly { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 8") } }
            return try DatabasePool(path: path, configuration: configuration)
        }
        configuration.journalMode = kind == .wal ? .wal : .default
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Creates the tables in one transaction, if there are none.
    public func prepare(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            if try db.tableExists("log") { return }
            try db.execute(
                sql: """
                    CREATE TABLE log (n INTEGER PRIMARY KEY, work TEXT NOT NULL);
                    CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0));
                    INSERT INTO account WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT i, 100 FROM n;
                    CREATE TABLE list (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY, listId INTEGER NOT NULL REFERENCES list ON DELETE CASCADE, text TEXT NOT NULL, n INTEGER);
                    CREATE INDEX itemByList ON item (listId);
                    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, body TEXT);
                    """)
            try db.create(virtualTable: "note_ft", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.column("title")
                t.column("body")
            }
            try db.create(virtualTable: "note_ft4", using: FTS4()) { t in
                t.synchronize(withTable: "note")
                t.column("body")
            }
        }
    }

    /// Returns the number of committed transactions.
    public static func count(_ db: Database) throws -> Int {
        try db.tableExists("log") ? Int.fetchOne(db, sql: "SELECT ifnull(max(n), 0) FROM log") ?? 0 : 0
    }

    /// Commits the transaction `n`.
    public func commit(_ n: Int, _ writer: any DatabaseWriter) throws {
        var random = WriterRandom(state: seed &+ UInt64(n) &* 0x9E37_79B9_7F4A_7C15)
        let work = WriterWork.allCases.randomElement(using: &random)!
        if work == .migration { return try migrate(to: n, writer) }
        try writer.write { db in
            try work.run(n, &random, db)
            try log(n, work, db)
        }
    }

    /// Runs the migration of a transaction, and of those before it, which have run.
    private func migrate(to n: Int, _ writer: any DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        for number in 1...n {
            var random = WriterRandom(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            if WriterWork.allCases.randomElement(using: &random) != .migration { continue }
            migrator.registerMigration("migration \(number)") { [random] db in
                var random = random
                try WriterWork.migration.run(number, &random, db)
                try log(number, .migration, db)
            }
        }
        try migrator.migrate(writer)
    }

    private func log(_ n: Int, _ work: WriterWork, _ db: Database) throws {
        try db.execute(sql: "INSERT INTO log VALUES (?, ?)", arguments: [n, work.rawValue])
    }

    // MARK: - Checks

    /// All rows of all tables but those where FTS stores its index, and the schema.
    public static func contents(_ db: Database) throws -> [String] {
        var lines = try String.fetchAll(db, sql: "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'note_ft*' AND name <> '__note_ft_replaced'
                AND name <> '__note_ft4_replaced' ORDER BY 1
                """)
        for table in tables {
            lines += try Row.fetchAll(db, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier) ORDER BY 1").map { "\(table): \($0)" }
        }
        return lines
    }

    /// Throws if something in the database contradicts something else.
    public static func check(_ db: Database) throws {
        let problems = try String.fetchAll(db, sql: "PRAGMA integrity_check")
        guard problems == ["ok"] else { throw WriterProblem("integrity_check: \(problems)") }
        try db.checkForeignKeys()
        guard try db.tableExists("log") else { return }
        let sum = try Int.fetchOne(db, sql: "SELECT sum(balance) FROM account")
        guard sum == 2000 else { throw WriterProblem("the sum of the accounts is \(sum ?? 0)") }
        let (count, last) = (try Int.fetchOne(db, sql: "SELECT count(*) FROM log"), try Self.count(db))
        guard count == last else { throw WriterProblem("the log lacks transactions") }
        for word in WriterWork.words {
            let found = try Int.fetchAll(
                db, sql: "SELECT rowid FROM note_ft WHERE note_ft MATCH 'body : ' || ? ORDER BY 1", arguments: [word])
            let found4 = try Int.fetchAll(db, sql: "SELECT rowid FROM note_ft4 WHERE note_ft4 MATCH ? ORDER BY 1", arguments: [word])
            let expected = try Int.fetchAll(
                db, sql: "SELECT id FROM note WHERE ' ' || body || ' ' LIKE '% ' || ? || ' %' ORDER BY 1", arguments: [word])
            guard found == expected, found4 == expected else { throw WriterProblem("\(word): \(found), \(found4), \(expected)") }
        }
    }

    /// Throws if a full-text index does not match its content.
    public static func checkIndexes(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            guard try db.tableExists("log") else { return }
            try FTS5Index("note_ft").checkIntegrity(db)
            try FTS4Index("note_ft4").checkIntegrity(db)
        }
    }
}

/// What is wrong with a database.
public struct WriterProblem: Error, CustomStringConvertible {
    /// The problem, as a sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A generator whose numbers depend only on its state.
struct WriterRandom: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
