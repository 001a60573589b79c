import Foundation
import Persistence
import Testing

// Batches that fail in the middle of a group.

private struct Sample: MutablePersistableRecord, Equatable {
    static let databaseTableName = "sample"
    var id: Int64?
    var number: Int
    var text = "text"

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["number"] = number
        container["text"] = text
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A method for batches.
private enum Method: CaseIterable {
    case insert, replace, upsert

    func makeSamples() -> [Sample] { (1...200).map { Sample(id: self == .upsert ? 1000 + Int64($0) : nil, number: $0) } }

    func write(_ samples: inout [Sample], _ db: Database) throws {
        switch self {
        case .insert: try samples.insertAll(db)
        case .replace: try samples.insertAll(db, onConflict: .replace)
        case .upsert: try samples.upsertAll(db)
        }
    }
}

/// What is around a batch.
private enum Place: CaseIterable { case nothing, transaction, savepoint }

/// Why a batch fails.
private struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let code: ResultCode
    /// Whether SQLite rolls back the whole transaction: after some errors, it does so unless it can undo the statement.
    var endsTransaction = false
    /// The size of the database; nil for no limit.
    var maximumPageCount: Int?
    /// Checks a record in the middle of a group.
    var check: (@Sendable (DatabaseQueue) throws -> Bool)?
    var testDescription: String { name }

    /// Whether the group keeps the rows before the record, which is then written alone.
    var isCounted: Bool { code == .SQLITE_CONSTRAINT_CHECK || code == .SQLITE_CONSTRAINT_UNIQUE }

    static let all =
        [
            Fault(name: "a constraint", code: .SQLITE_CONSTRAINT_CHECK, check: { _ in false }),
            Fault(name: "the error of a function", code: .SQLITE_ERROR, check: { _ in throw TestError() }),
            Fault(
                name: "an interrupt", code: .SQLITE_INTERRUPT, endsTransaction: true,
                check: {
                    $0.interrupt()
                    return true
                }),
            Fault(name: "a full database", code: .SQLITE_FULL, endsTransaction: true, maximumPageCount: 20),
        ]
        + [
            .SQLITE_CONSTRAINT_CHECK, .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_FUNCTION, .SQLITE_BUSY, .SQLITE_MISMATCH,
            .SQLITE_TOOBIG,
            .SQLITE_NOMEM, .SQLITE_FULL, .SQLITE_IOERR,
        ].map { code in
            Fault(
                name: "a function with the code \(code)", code: code, endsTransaction: code == .SQLITE_IOERR,
                check: { _ in throw DatabaseError(resultCode: code) })
        }
}

/// Notes the changes that it is notified of, unless they are rolled back with their transaction.
private final class Recorder: TransactionObserver {
    var log: [String] = []
    private var committedCount = 0
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { log.append("\(event.kind) \(event.rowID)") }
    func databaseDidCommit(_ db: Database) {
        log.append("commit")
        committedCount = log.count
    }
    func databaseDidRollback(_ db: Database) { log.removeLast(log.count - committedCount) }
}

@Suite struct GroupFaultTests {
    /// How often the check of the faulty record fails.
    private let failureCount = Locked(0)

    private func makeQueue(_ fault: Fault, _ folder: TemporaryFolder) throws -> DatabaseQueue {
        let queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        // The connection retains the function, which must not retain it.
        let function = DatabaseFunction("passes", argumentCount: 1, pure: true) { [failureCount, weak queue] values in
            guard let queue, values[0] == 150.databaseValue, failureCount.value > 0 else { return true }
            failureCount.value -= 1
            return try fault.check?(queue) ?? true
        }
        try queue.write { db in
            db.add(function: function)
            // For a table with such a check, SQLite can undo a statement.
            let check = fault.check == nil ? "" : ", CHECK (passes(number))"
            try db.execute(sql: "CREATE TABLE sample (id INTEGER PRIMARY KEY, number INTEGER, text TEXT\(check))")
        }
        return queue
    }

    @Test(arguments: Fault.all, [1, 100])
    private func `A batch that fails in the middle of a group leaves nothing behind`(_ fault: Fault, _ count: Int) throws {
        // A record that fails only in its group is written.
        if count == 1, fault.isCounted { return }
        for method in Method.allCases {
            for place in Place.allCases {
                let comment: Comment = "\(method), \(place)"
                let folder = try TemporaryFolder()
                let queue = try makeQueue(fault, folder)
                var samples = method.makeSamples()
                if let count = fault.maximumPageCount {
                    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
                    for index in samples.indices { samples[index].text = String(repeating: "x", count: 1000) }
                }
                let original = samples
                let recorder = Recorder()
                queue.add(transactionObserver: recorder)
                recorder.log = []
                failureCount.value = count
                func insert(_ number: Int, _ db: Database) throws {
                    var sample = Sample(number: number)
                    try sample.insert(db)
                }
                func fail(_ db: Database) throws {
                    var error: DatabaseError?
                    let groups = try db.statements {
                        error = #expect(throws: DatabaseError.self, comment) { try method.write(&samples, db) }
                    }.filter { $0.contains("), (") }
                    #expect(error?.extendedResultCode == fault.code, comment)
                    #expect(groups.count > 1, comment)
                    #expect(samples == original, comment)
                    if let error { throw error }
                }
                var isKept = true
                do {
                    try queue.writeWithoutTransaction { (db) throws in
                        switch place {
                        case .nothing:
                            try insert(-1, db)
                            try? fail(db)
                            try insert(-2, db)
                        case .transaction:
                            isKept = false
                            try db.inTransaction {
                                try insert(-1, db)
                                try fail(db)
                                return .commit
                            }
                        case .savepoint:
                            isKept = !fault.endsTransaction
                            try db.inTransaction {
                                try insert(-1, db)
                                try? db.inSavepoint {
                                    try fail(db)
                                    return .commit
                                }
                                try insert(-2, db)
                                return .commit
                            }
                        }
                    }
                    #expect(isKept, comment)
                } catch {
                    #expect(!isKept, comment)
                }
                try queue.writeWithoutTransaction { (db) throws in
                    #expect(!db.isInsideTransaction, comment)
                    #expect(try db.integers("SELECT number FROM sample ORDER BY id") == (isKept ? [-1, -2] : []), comment)
                    let log = place == .nothing ? ["insert 1", "commit", "insert 2", "commit"] : ["insert 1", "insert 2", "commit"]
                    #expect(recorder.log == (isKept ? log : []), comment)
                    // The connection goes on, and so does the group.
                    failureCount.value = 0
                    try db.execute(sql: "PRAGMA max_page_count = 10000")
                    #expect(try db.statements { try method.write(&samples, db) }.contains { $0.contains("), (") }, comment)
                    let ids = try db.integers("SELECT id FROM sample WHERE number > 0 ORDER BY number")
                    #expect(samples.map(\.id) == ids, comment)
                    #expect(ids.count == 200, comment)
                    #expect(try db.texts("PRAGMA integrity_check") == ["ok"], comment)
                }
            }
        }
    }
    @Test(arguments: Fault.all.filter(\.isCounted))
    private func `A check that fails once does not write rows twice`(_ fault: Fault) throws {
        for method in Method.allCases {
            let folder = try TemporaryFolder()
            let queue = try makeQueue(fault, folder)
            failureCount.value = 1
            try queue.write { (db) throws in
                var samples = method.makeSamples()
                try method.write(&samples, db)
                #expect(try db.integers("SELECT number FROM sample ORDER BY id") == (1...200).map { $0 }, "\(method)")
                #expect(try db.integers("SELECT id FROM sample ORDER BY id") == samples.map(\.id), "\(method)")
            }
            #expect(failureCount.value == 0)
        }
    }
}
