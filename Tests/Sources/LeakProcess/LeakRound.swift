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

    func run() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            db.add(tokenizer: WordTokenizer.self)
            db.add(
                function: DatabaseFunction("twice", argumentCount: 1, pure: true) { values in
                    Int.fromDatabaseValue(values[0]).map { $0 * 2 }
                })
            db.add(collation: DatabaseCollation("backwards") { $0 < $1 ? .descending : $0 > $1 ? .ascending : .same })
        }
        let writer: any DatabaseWriter =
            number % 2 == 0
            ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
        try write(writer)
        var escaped = try read(writer)
        try fail(writer)
        try observe(writer)
        let copy = try DatabaseQueue()
        try writer.backup(to: copy)
        try copy.close()
        // A statement keeps its connection open.
        do {
            try writer.close()
            throw Unexpected(what: "closed with \(escaped.count) objects that are alive")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
        escaped = []
        try writer.close()
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
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

    /// Returns what should not be kept.
    private func read(_ writer: any DatabaseWriter) throws -> [AnyObject] {
        let escape = Escape()
        try writer.read { db in
            let statement = try db.makeStatement(sql: "SELECT * FROM note")
            let cursor = try Row.fetchCursor(db, sql: "SELECT *, twice(id) FROM note ORDER BY title")
            let row = try cursor.next()
            let found = try Note.search("swif").fetchAll(db)
            if found.count != 19 || row == nil { throw Unexpected(what: "\(found.count) notes") }
            escape.objects = [statement as AnyObject, cursor as AnyObject, row as AnyObject]
        }
        return escape.objects
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

/// `@unchecked Sendable`: one thread writes it, and then another one reads it.
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
