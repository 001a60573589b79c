import Foundation
import Strata

/// One use of a database, from the first connection to the last.
struct LeakRound {
    private let number: Int
    private let path: String

    struct Unexpected: Error {
        let what: String
    }

    init(_ number: Int, _ folder: URL) {
        self.number = number
        path = folder.appendingPathComponent("\(number % 7).sqlite").path
    }

    func run() async throws {
        let writer = try open()
        let escaped = try use(writer)
        try await cancel(writer)
        try close(writer, escaped)
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func open() throws -> any DatabaseWriter {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(tokenizer: WordTokenizer.self)
            db.add(
                function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
                    Int.fromDatabaseValue(values[0]).map { $0 * 2 }
                })
            db.add(collation: DatabaseCollation("backwards") { $0 < $1 ? .descending : $0 > $1 ? .ascending : .same })
        }
        return number % 2 == 0
            ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Uses a database in many ways, and returns what should not be kept.
    private func use(_ writer: any DatabaseWriter) throws -> Escape {
        try write(writer)
        let escaped = try read(writer)
        try fail(writer)
        try failToOpen()
        try observe(writer)
        try migrate(writer)
        if let pool = writer as? DatabasePool { try snapshot(pool) }
        let copy = try DatabaseQueue()
        try writer.backup(to: copy)
        try copy.close()
        return escaped
    }

    private func close(_ writer: any DatabaseWriter, _ escaped: Escape) throws {
        // A statement keeps its connection open.
        do {
            try writer.close()
            throw Unexpected(what: "closed with \(escaped.objects.count) objects that are alive")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
        escaped.objects = []
        try writer.close()
    }

    private func write(_ writer: any DatabaseWriter) throws {
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT COLLATE backwards UNIQUE, body TEXT)")
            try db.create(virtualTable: "note_ft", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.tokenizer = WordTokenizer.tokenizerDescriptor()
                t.column("body")
            }
            var notes = (1...20).map { Note(id: nil, title: "title \($0)", body: "swift sqlite \($0)") }
            try notes.insertAll(db)
            notes[3].body = "changed"
            try notes[3].update(db)
        }
    }

    private func read(_ writer: any DatabaseWriter) throws -> Escape {
        let escape = Escape()
        try writer.read { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM note")
            let cursor = try Row.fetchCursor(db, sql: "SELECT *, twice(id) FROM note ORDER BY title")
            let row = try cursor.next()
            let found = try Note.search("swif").fetchAll(db)
            if found.count != 19 || row == nil { throw Unexpected(what: "\(found.count) notes") }
            escape.objects = [statement as AnyObject, cursor as AnyObject, row as AnyObject]
        }
        return escape
    }

    private func fail(_ writer: any DatabaseWriter) throws {
        for sql in ["INSERT INTO note (id) VALUES (1)", "SELECT", "SELECT * FROM nothing", "INSERT INTO note (body) VALUES ('bad')"] {
            do {
                try writer.write { db in
                    try db.execute(sql: "UPDATE note SET body = 'undone'")
                    try db.execute(sql: sql)
                }
                throw Unexpected(what: "no error of \(sql)")
            } catch is DatabaseError {}
        }
    }

    private func failToOpen() throws {
        let file = path + "-no-database"
        try Data("This is a text, and no database, of more than the hundred bytes that the header of a file of SQLite has.....".utf8)
            .write(to: URL(fileURLWithPath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for isPool in [false, true] {
            do {
                let writer: any DatabaseWriter = isPool ? try DatabasePool(path: file) : try DatabaseQueue(path: file)
                try writer.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
                throw Unexpected(what: "a text was opened")
            } catch is DatabaseError {}
        }
    }

    private func migrate(_ writer: any DatabaseWriter) throws {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { db in try db.execute(sql: "CREATE TABLE migrated (a)") }
        migrator.registerMigration("second") { db in try db.execute(sql: "INSERT INTO nothing VALUES (1)") }
        do {
            try migrator.migrate(writer)
            throw Unexpected(what: "a migration without its table")
        } catch is MigrationError {}
    }

    private func snapshot(_ pool: DatabasePool) throws {
        let snapshot = try pool.makeSnapshot()
        let count = try snapshot.read { db in try Note.fetchCount(db) }
        if count != 19 { throw Unexpected(what: "\(count) notes in the snapshot") }
    }

    /// Cancels a write, and reads from tasks.
    private func cancel(_ writer: any DatabaseWriter) async throws {
        let hasBegun = AsyncStream<Void>.makeStream()
        let task = Task {
            try await writer.write { db in
                hasBegun.continuation.finish()
                try db.execute(
                    sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO migrated SELECT max(i) FROM n")
            }
        }
        for await _ in hasBegun.stream {}
        task.cancel()
        do {
            try await task.value
            throw Unexpected(what: "an endless statement has ended")
        } catch is CancellationError {}
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await writer.read { db in try Note.fetchCount(db) } } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        if counts != [19, 19, 19, 19] { throw Unexpected(what: "\(counts) notes") }
    }

    private func observe(_ writer: any DatabaseWriter) throws {
        let changed = DispatchSemaphore(value: 0)
        let observation = ValueObservation.tracking { db in try Note.fetchCount(db) }
        let cancellable = observation.start(in: writer, scheduling: .async(onQueue: DispatchQueue(label: "leaks"))) { _ in
            changed.signal()
        } onChange: { _ in
            changed.signal()
        }
        changed.wait()
        try writer.write { db in _ = try Note.filter(Column("id") == 7).deleteAll(db) }
        changed.wait()
        cancellable.cancel()
    }
}

/// `@unchecked Sendable`: one thread writes it, and then another reads it.
private final class Escape: @unchecked Sendable {
    var objects: [AnyObject] = []
}

private struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var title: String
    var body: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private final class WordTokenizer: FTS5WrapperTokenizer {
    static let name = "words"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback) throws {
        if token == "bad" { throw DatabaseError(message: "bad") }
        try tokenCallback(token, flags)
    }
}
