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
    /// How many boards are open, and how many requests wait for one.
    var openBoards: Int
    var waitingForBoards: Int
}

/// A statement that scans tables, for those who look for slow ones.
struct CostlyStatement: Codable, Sendable {
    var sql: String
    var runs: Int
    var scannedRows: Int
}

/// The databases of the server: one for each board, in a file of its own.
struct NoteStore: Sendable {
    /// The board that is always there.
    static let mainBoard = "main"

    let files: DatabaseFolder
    /// Adds up the statements, for those who look for slow ones.
    let statistics = StatementStatistics()

    /// Opens a folder. The schema of a file is brought up to date whenever the file is opened.
    ///
    /// - Parameter log: called with a line for each slow statement.
    init(folder: String, log: @escaping @Sendable (String) -> Void) throws {
        var configuration = DatabaseFolder.defaultConfiguration
        configuration.label = "notes"
        // A request that has waited for longer is answered with 504, and one that would have to wait behind 200 others with 503.
        configuration.readTimeout = .seconds(2)
        configuration.writeTimeout = .seconds(2)
        configuration.maximumWaitingAccesses = 200
        configuration.monitors = [statistics]
        configuration.logSlowStatements(above: .milliseconds(100)) { log("\($0)") }
        var options = DatabaseFolder.Options()
        options.maximumWaitingCount = 200
        let migrator = Self.migrator
        files = try DatabaseFolder(path: folder, configuration: configuration, options: options) { try migrator.migrate($0) }
        try files.write(Self.mainBoard, creating: true) { _ in }
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

    func latest(on board: String) async throws -> [Note] {
        try await files.read(board) { db in try Self.latest.fetchAll(db) }
    }

    /// Adds a note, and creates its board if it is the first one.
    func add(_ new: NewNote, to board: String) async throws -> Note {
        try await files.write(board, creating: true) { db in
            var note = try Note(id: nil, author: new.author, text: new.text, created: db.transactionDate)
            try note.insert(db)
            return note
        }
    }

    func search(_ text: String, on board: String) async throws -> [FoundNote] {
        try await files.read(board) { db in
            try Note.search(text).fetchAll(db).map { result in
                FoundNote(note: result.record, snippet: result.snippet.marked(open: "[", close: "]"))
            }
        }
    }

    /// Returns the latest notes, now and after each change. The board stays open meanwhile. Browsers that watch the same board share the
    /// fetches: a change is fetched once, regardless of their number.
    func changes(on board: String) async throws -> AsyncValueObservation<[Note]> {
        let lease = try await files.lease(board)
        return ValueObservation.tracking { db in try Self.latest.fetchAll(db) }.identified(by: "latest").values(in: lease)
    }

    /// The state of the databases. It waits for nothing, so that an overloaded server answers, too.
    var health: Health {
        let status = files.status()
        return Health(isServing: !status.isShuttingDown, openBoards: status.openCount, waitingForBoards: status.waitingCount)
    }

    /// The number of notes of each board.
    func counts() async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for try await file in files.results({ try await $0.read { db in try Note.fetchCount(db) } }) {
            counts[file.name] = try file.result.get()
        }
        return counts
    }
}
