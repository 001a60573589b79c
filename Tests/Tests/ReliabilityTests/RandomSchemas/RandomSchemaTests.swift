import Foundation
import Strata
import Testing

// The schema changes at random, between the steps of all that reads and writes: by this connection, by another connection, by another
// process; in transactions and between them, and rolled back. What each step gives must be what a connection gives that has never seen
// another schema.
//
// A run is made of a seed and a number of steps, which a failure names. `make soak SEED=… STEPS=…` repeats it, or makes a longer one:
// Scripts/soak.sh.

@Suite(.serialized) struct RandomSchemaTests {
    /// The kind of the tested connection, and the journal mode of its file.
    enum Kind: String, CaseIterable {
        case queue, queueInWALMode, pool, sharedMemory
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let seed = environment["STRATA_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
    private static let steps = environment["STRATA_STEPS"].flatMap { Int($0) }

    @Test(arguments: Kind.allCases)
    func `Each step gives what a fresh connection gives`(_ kind: Kind) throws {
        let steps = Self.steps ?? 250
        print("random schemas, \(kind): STRATA_SEED=\(Self.seed) STRATA_STEPS=\(steps)")
        let run = try RandomSchemaRun(kind, seed: Self.seed)
        do {
            while run.step < steps { try run.runAccess() }
        } catch {
            Issue.record("\(kind), seed \(Self.seed), step \(run.step): \(error)\n\(run.history.joined(separator: "\n"))")
        }
        try run.end()
    }
}

/// One run: a connection that keeps all that it can, and what happens to it.
final class RandomSchemaRun {
    let kind: RandomSchemaTests.Kind
    private let folder: TemporaryFolder
    private let path: String
    private let writer: any DatabaseWriter
    private let other: DatabaseQueue
    private var process: OtherProcess?
    private var random: SeededGenerator

    /// What the readers keep, for each connection.
    private var kept: [ObjectIdentifier: KeptReaders] = [:]

    /// How many steps were made.
    private(set) var step = 0

    /// The last steps.
    private(set) var history: [String] = []

    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private struct Rollback: Error {}

    init(_ kind: RandomSchemaTests.Kind, seed: UInt64) throws {
        self.kind = kind
        random = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        path = kind == .sharedMemory ? "file:\(UUID().uuidString)?mode=memory&cache=shared" : folder.path("a.sqlite")
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        configuration.maximumReaderCount = 2
        writer =
            kind == .pool
            ? try DatabasePool(path: path, configuration: configuration) : try DatabaseQueue(path: path, configuration: configuration)
        let isInWALMode = kind == .queueInWALMode
        try writer.writeWithoutTransaction { db in
            if isInWALMode { try db.execute(sql: "PRAGMA journal_mode = WAL") }
            try db.execute(sql: SchemaChanges.creation)
        }
        other = try DatabaseQueue(path: path, configuration: configuration)
        if kind != .sharedMemory { process = try OtherProcess(path) }
    }

    func end() throws {
        kept = [:]
        try process?.end()
        try other.close()
        try writer.close()
    }

    // MARK: - Accesses

    /// Makes an access of some steps.
    func runAccess() throws {
        let count = Int.random(in: 1...8, using: &random)
        note("access")
        do {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<3:
                note("without transaction")
                try writer.writeWithoutTransaction { try runSteps(count, $0, canWrite: true) }
            case 3, 4:
                note("write")
                try writer.write { try runSteps(count, $0, canWrite: true) }
            case 5:
                note("write, rolled back")
                try writer.write { db in
                    try runSteps(count, db, canWrite: true)
                    throw Rollback()
                }
            default:
                note("read")
                try writer.read { try runSteps(count, $0, canWrite: false) }
            }
        } catch is Rollback {
        } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_LOCKED].contains(error.resultCode) {
            // Another connection has the lock, which does not concern the schema.
            note("locked")
        }
    }

    private func runSteps(_ count: Int, _ db: Database, canWrite: Bool) throws {
        let readers = kept[ObjectIdentifier(db)] ?? KeptReaders()
        kept[ObjectIdentifier(db)] = readers
        for _ in 0..<count {
            step += 1
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<5: try change(db, canWrite: canWrite)
            case 5..<8 where canWrite: try write(db)
            case 8 where canWrite: try runSavepoint(db)
            case 9: try readers.leaveCursor(db, &random) { note($0) }
            case 10: try readers.advanceCursor { note($0) }
            case 11: readers.askNames(&random) { note($0) }
            default: try read(db, readers)
            }
        }
        readers.endAccess()
    }

    private func runSavepoint(_ db: Database) throws {
        let isRolledBack = Bool.random(using: &random)
        note("savepoint\(isRolledBack ? ", rolled back" : "")")
        try db.inSavepoint {
            try runSteps(Int.random(in: 1...4, using: &random), db, canWrite: true)
            return isRolledBack ? .rollback : .commit
        }
        note("end of savepoint")
    }

    private func note(_ text: String) {
        history.append("  \(step): \(text)")
        if history.count > 60 { history.removeFirst() }
    }

    // MARK: - Steps

    /// Changes the schema. A change that does not fit the schema, or that meets a lock, is skipped.
    private func change(_ db: Database, canWrite: Bool) throws {
        let changer = Int.random(in: (canWrite ? 0 : 1)..<(process == nil ? 2 : 3), using: &random)
        let sql = SchemaChanges.next(step, isTemporaryAllowed: changer == 0, &random)
        do {
            switch changer {
            case 0:
                try db.inSavepoint {
                    try db.execute(sql: sql)
                    return .commit
                }
            case 1: try other.write { try $0.execute(sql: sql) }
            default: try process?.run("BEGIN; \(sql); COMMIT")
            }
            note("change by \(["this connection", "another connection", "another process"][changer]): \(sql)")
        } catch is DatabaseError {
            // Its transaction may be over already.
            if changer == 2 { _ = try? process?.run("ROLLBACK") }
            note("change failed: \(sql)")
        }
    }

    private func read(_ db: Database, _ readers: KeptReaders) throws {
        // Outside transactions, this connection sees the table as it was when a cursor began, as long as the cursor is running.
        if !db.isInsideTransaction { readers.endAccess() }
        let reader = SchemaReader.all.randomElement(using: &random)!
        note("read: \(reader.name)")
        let result = fingerprint { try reader.read(db, readers) }
        try withFreshCopy(of: db) { fresh in
            let expected = fingerprint { try reader.read(fresh, KeptReaders()) }
            guard result != expected else { return }
            throw Difference(description: "\(reader.name) gives\n\(result)\nand with a fresh connection\n\(expected)")
        }
    }

    private func write(_ db: Database) throws {
        let readers = kept[ObjectIdentifier(db)]!
        if !db.isInsideTransaction { readers.endAccess() }
        let writer = SchemaWriter.all.randomElement(using: &random)!
        note("write: \(writer.name)")
        let step = step
        let copy = try FreshCopy(of: copySource(db), temporaryOf: db, in: folder)
        func run(_ db: Database, _ readers: KeptReaders) throws -> String {
            fingerprint {
                var result = ""
                // What a writer has done before its error is undone in both.
                try db.inSavepoint {
                    result = try writer.write(db, readers, step)
                    return .commit
                }
                return result
            } + "\n" + (try db.contents())
        }
        let result = try run(db, readers)
        let expected = try copy.withDatabase { try run($0, KeptReaders()) }
        guard result != expected else { return }
        throw Difference(description: "\(writer.name) gives\n\(result)\nand with a fresh connection\n\(expected)")
    }

    // MARK: - Fresh connections

    private func withFreshCopy(of db: Database, _ body: (Database) throws -> Void) throws {
        try FreshCopy(of: copySource(db), temporaryOf: db, in: folder).withDatabase(body)
    }

    /// A connection that sees what another connection sees: a copy by that connection would make SQLite check its schema.
    private func copySource(_ db: Database) -> FreshCopy.Source {
        db.isInsideTransaction || kind == .sharedMemory ? .connection(db) : .other(other)
    }
}

/// The result or the error of a closure, as a string.
func fingerprint(_ body: () throws -> String) -> String {
    do {
        return try body()
    } catch let error as DatabaseError {
        // The advice may speak of the way that led to the error.
        return "\(error.extendedResultCode) \(error.message ?? "")"
    } catch {
        return "\(error)"
    }
}
