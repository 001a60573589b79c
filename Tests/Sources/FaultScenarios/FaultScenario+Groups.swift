import Foundation
import Strata

extension FaultScenario {
    /// Batches that are written in groups: their tables have no triggers, no foreign keys, and for upserts no indexes.
    static let groups = FaultScenario(
        name: "batches in groups",
        steps: [
            { writer, _ in
                try writer.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
                            CREATE TABLE tag (id INTEGER PRIMARY KEY, text TEXT NOT NULL)
                            """)
                }
            },
            { writer, _ in
                try insertNotes(1...200, writer) { insert in
                    try writer.write { db in
                        // Too little memory for the changes: some are written in the middle of a group.
                        try db.execute(sql: "PRAGMA cache_size = 5")
                        try insert(db)
                    }
                }
            },
            { writer, _ in
                try insertNotes(201...400, writer) { insert in
                    try writer.writeWithoutTransaction { db in
                        try db.execute(sql: "PRAGMA cache_size = 5")
                        try insert(db)
                    }
                }
            },
            { writer, _ in
                try insertNotes(401...600, writer) { insert in
                    try writer.write { db in
                        try db.execute(sql: "PRAGMA cache_size = 5; UPDATE word SET n = n + 1")
                        do {
                            try db.inSavepoint {
                                try insert(db)
                                return .commit
                            }
                        } catch {
                            if db.isInsideTransaction {
                                try check(try Note.fetchCount(db) == 400, "rows of the failed batch are left")
                                try check(try Int.fetchOne(db, sql: "SELECT sum(n) FROM word") == 2500, "the earlier change is lost")
                            }
                            throw error
                        }
                    }
                }
            },
            { writer, _ in
                try writer.write { db in
                    try db.execute(sql: "PRAGMA cache_size = 5")
                    // Some of the rows exist.
                    for first in [1, 101] { try (first..<first + 200).map { Tag(id: Int64($0), text: "tag \(first)") }.upsertAll(db) }
                }
            },
        ])

    /// Inserts notes, and checks their row IDs and what an observer is notified of.
    private static func insertNotes(
        _ numbers: ClosedRange<Int64>, _ writer: any DatabaseWriter, _ write: ((Database) throws -> Void) throws -> Void
    ) throws {
        var notes = numbers.map { Note(id: nil, text: "note \($0) \(String(repeating: "x", count: 50))") }
        let observer = NoteObserver()
        writer.add(transactionObserver: observer)
        defer { writer.remove(transactionObserver: observer) }
        var isWritten = false
        do {
            try write { db in
                try notes.insertAll(db)
                isWritten = true
            }
        } catch {
            try check(isWritten || notes.allSatisfy { $0.id == nil }, "the failed records have row IDs")
            try check(isWritten || observer.pending.isEmpty, "an observer is notified of the failed batch")
            try check(observer.committed.isEmpty, "an observer is notified of the commit of the failed batch")
            throw error
        }
        try check(notes.map(\.id) == Array(numbers), "the records have other IDs")
        try check(observer.committed == Array(numbers), "an observer is notified of \(observer.committed)")
    }
}

private struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var text: String

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

private struct Tag: Codable, PersistableRecord {
    var id: Int64
    var text: String
}

/// Notes the inserted rows of a table.
private final class NoteObserver: TransactionObserver {
    var pending: [Int64] = []
    var committed: [Int64] = []
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "note" }
    func databaseDidChange(with event: DatabaseEvent) { pending.append(event.rowID) }
    func databaseDidCommit(_ db: Database) { (committed, pending) = (committed + pending, []) }
    func databaseDidRollback(_ db: Database) { pending = [] }
}
