import Foundation
import Strata

/// A note of the log.
struct Note: Codable, Equatable, Sendable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var author: String
    var text: String
    var created: Date

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let author = Column(CodingKeys.author)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// The message that a client sends to add a note.
struct NewNote: Codable, Sendable {
    var author: String
    var text: String
}

/// A note that a search has found.
struct FoundNote: Codable, Sendable {
    var note: Note
    var snippet: String
}

/// The state of the database, for health checks.
struct Health: Codable, Sendable {
    var isServing: Bool
    /// How many reads are running, and how many accesses wait.
    var readers: Int
    var waiting: Int
    /// The size of the write-ahead log, in bytes.
    var logSize: Int
}

/// A statement that scans tables, for those who look for slow ones.
struct CostlyStatement: Codable, Sendable {
    var sql: String
    var runs: Int
    var scannedRows: Int
}

/// The database of the server.
struct NoteStore: Sendable {
    let pool: DatabasePool
    /// Adds up the statements, for those who look for slow ones.
    let statistics = StatementStatistics()

    /// Opens the file, and brings its schema up to date.
    ///
    /// - Parameter log: called with a line for each slow statement.
    init(path: String, log: @escaping @Sendable (String) -> Void) throws {
        var configuration = Configuration()
        configuration.label = "notes"
        // A request that has waited for longer is answered with 504, and one that would have to wait behind 200 others with 503.
        configuration.readTimeout = .seconds(2)
        configuration.writeTimeout = .seconds(2)
        configuration.maximumWaitingAccesses = 200
        configuration.monitors = [statistics]
        configuration.logSlowStatements(above: .milliseconds(100)) { log("\($0)") }
        pool = try DatabasePool(path: path, configuration: configuration)
        try Self.migrator.migrate(pool)
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Create note") { db in
            try db.create(table: "note") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("author", .text).notNull().check { $0 != "" }
                t.column("text", .text).notNull().check { $0 != "" }
                t.column("created", .datetime).notNull()
            }
        }
        migrator.registerMigration("Index note") { db in
            try db.create(virtualTable: "note_ft", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.tokenizer = .porter(wrapping: .unicode61())
                t.column("text")
            }
        }
        return migrator
    }

    /// The latest notes, the newest first.
    static let latest = Note.order { $0.id.desc }.limit(20)

    func latest() async throws -> [Note] {
        try await pool.read { db in try Self.latest.fetchAll(db) }
    }

    func add(_ new: NewNote) async throws -> Note {
        try await pool.write { db in
            var note = try Note(id: nil, author: new.author, text: new.text, created: db.transactionDate)
            try note.insert(db)
            return note
        }
    }

    func search(_ text: String) async throws -> [FoundNote] {
        try await pool.read { db in
            try Note.search(text).fetchAll(db).map { result in
                FoundNote(note: result.record, snippet: result.snippet.marked(open: "[", close: "]"))
            }
        }
    }

    /// The state of the database. It waits for nothing, so that an overloaded server answers, too.
    var health: Health {
        let status = pool.status()
        return Health(
            isServing: !status.isShuttingDown, readers: status.readers.usedCount,
            waiting: status.readers.waitingCount + status.writer.waitingCount, logSize: status.logSize ?? 0)
    }

    func count() async throws -> Int {
        try await pool.read { db in try Note.fetchCount(db) }
    }
}
