import FaultScenarios
import Foundation
import Strata
import Testing

/// Checkpoints that are stopped where commits of other connections can overtake them: https://www.sqlite.org/wal.html#walresetbug
@Suite("Overtaken checkpoints", .serialized)
struct OvertakenCheckpointTests {
    /// What another connection does while the checkpoint is stopped. Before the checkpoint takes its lock, the other connection commits rows
    /// and copies the whole log. Once the checkpoint has read the header of the log, the other one resets the log.
    enum Overtaking: CaseIterable {
        /// By a whole transaction.
        case commit
        /// By committing a transaction that began before the checkpoint. It holds the lock that some checkpoints wait for.
        case endOfTransaction
    }

    /// What runs a checkpoint, as SQL or as calls of the driver.
    struct Trigger: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The number of rows that it inserts.
        var insertedCount = 0
        /// Whether it concerns attached databases, too.
        var attaches = false
        let run: @Sendable (Database) throws -> Void

        /// Whether commits run the checkpoint.
        var isAutomatic: Bool { !testDescription.contains("checkpoint(") && !testDescription.contains("wal_checkpoint") }

        /// Whether it holds the lock of writers, if it can have it.
        var waitsForWriters: Bool {
            ["full", "restart", "truncate"].contains { testDescription.localizedCaseInsensitiveContains($0) }
        }

        static func sql(_ sql: String) -> Trigger {
            Trigger(testDescription: sql, attaches: !sql.contains("main")) { try $0.execute(sql: sql) }
        }

        static let all =
            Database.CheckpointMode.allCases.map { mode in Trigger(testDescription: "checkpoint(.\(mode))") { try $0.checkpoint(mode) } }
            + Database.CheckpointMode.allCases.map { mode in
                Trigger(testDescription: "checkpoint(.\(mode), on: nil)", attaches: true) { try $0.checkpoint(mode, on: nil) }
            } + ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].map { sql("PRAGMA wal_checkpoint(\($0))") }
            + [
                sql("PRAGMA main.wal_checkpoint"),
                Trigger(testDescription: "an automatic checkpoint", insertedCount: 8000, attaches: true) {
                    try $0.execute(sql: CheckpointedFile.insertion(8000))
                },
                Trigger(testDescription: "PRAGMA wal_autocheckpoint = 1", insertedCount: 1, attaches: true) {
                    try $0.execute(sql: "PRAGMA wal_autocheckpoint = 1; \(CheckpointedFile.insertion(1))")
                },
                Trigger(testDescription: "VACUUM") { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 1; VACUUM") },
                Trigger(testDescription: "rebuild(table:)") { db in
                    try db.execute(sql: "PRAGMA wal_autocheckpoint = 1")
                    try db.rebuild(table: "t") { table in
                        table.column("id", .integer).primaryKey()
                        table.column("x", .blob)
                    }
                },
                Trigger(testDescription: "backup(to:)") { db in
                    try db.execute(sql: "PRAGMA wal_autocheckpoint = 1")
                    try DatabaseQueue().writeWithoutTransaction { copy in
                        try db.backup(to: copy)
                        try copy.backup(to: db)
                    }
                    // SQLite runs automatic checkpoints at the end of statements.
                    try db.execute(sql: "SELECT 1")
                },
            ]
    }

    /// What runs a checkpoint, and what overtakes it.
    struct Situation: Sendable, CustomTestStringConvertible {
        let trigger: Trigger
        let overtaking: Overtaking
        let committer: Committer

        var testDescription: String { "\(trigger.testDescription), overtaken by a \(overtaking) of \(committer)" }

        /// Only another process leaves a transaction open.
        static let all = Trigger.all.flatMap { trigger in
            Committer.allCases.map { Situation(trigger: trigger, overtaking: .commit, committer: $0) }
                + [Situation(trigger: trigger, overtaking: .endOfTransaction, committer: .otherProcess)]
        }
    }

    /// Runs something on a connection while another connection overtakes its first checkpoint.
    ///
    /// - Parameters:
    ///   - open: opens the connection, and returns what it runs, and how it is closed.
    ///   - insertedCount: the number of rows that it inserts.
    /// - Returns: what was lost, whether a checkpoint was stopped after it had read the header, and whether the other connection could commit
    ///   then.
    private func overtake(
        _ overtaking: Overtaking, by committer: Committer, insertedCount: Int,
        open: (CheckpointedFile) throws -> (run: () throws -> Void, close: () throws -> Void)
    ) throws -> (loss: String?, wasStopped: Bool, didCommit: Bool) {
        let file = try CheckpointedFile()
        let other = try Party(committer, file.path)
        try file.insert(500, other)
        let connection = try open(file)
        try other.tries("PRAGMA wal_checkpoint")
        var failure: (any Error)?
        var stops = 0
        var countOfCommits = 0
        try file.files.watchingCheckpoints { step in
            do {
                switch (stops, step) {
                case (0, .begin):
                    stops = 1
                    try file.insert(20, other)
                    try other.tries("PRAGMA wal_checkpoint")
                    if overtaking == .endOfTransaction { try other.tries("BEGIN IMMEDIATE; \(CheckpointedFile.insertion(1))") }
                case (1, .header):
                    stops = 2
                    let count = file.committedCount
                    try file.insert(1, other, overtaking == .endOfTransaction ? "COMMIT" : nil)
                    countOfCommits = file.committedCount - count
                default: break
                }
            } catch {
                failure = error
            }
        } _: {
            try file.insert(insertedCount, connection.run)
        }
        if let failure { throw failure }
        if stops == 1, overtaking == .endOfTransaction { try file.insert(1, other, "COMMIT") }
        for _ in 0..<5 { try file.insert(1, other) }
        try other.tries("PRAGMA wal_checkpoint(TRUNCATE)")
        try connection.close()
        try other.close()
        return (try file.loss(), stops == 2, countOfCommits == 1)
    }

    @Test(arguments: [
        ("PRAGMA wal_checkpoint", 0, Overtaking.commit), ("PRAGMA wal_checkpoint", 0, .endOfTransaction),
        ("PRAGMA wal_checkpoint(FULL)", 0, .endOfTransaction), ("PRAGMA wal_checkpoint(RESTART)", 0, .endOfTransaction),
        ("PRAGMA wal_checkpoint(TRUNCATE)", 0, .endOfTransaction),
        (CheckpointedFile.insertion(8000), 8000, .commit),
    ])
    func `SQLite's own checkpoints lose rows where it has the defect`(_ sql: String, _ insertedCount: Int, _ overtaking: Overtaking) throws
    {
        let (loss, wasStopped, _) = try overtake(overtaking, by: .otherProcess, insertedCount: insertedCount) { file in
            let connection = try CConnection(file.uri)
            try connection.run("SELECT count(*) FROM t")
            return ({ try connection.run(sql) }, { connection.close() })
        }
        #expect(wasStopped)
        #expect((loss != nil) == SQLiteLibrary.current.defects.contains(.walReset), "\(loss ?? "nothing was lost")")
    }

    @Test(arguments: Checkpointer.allCases, Situation.all)
    func `Strata's checkpoints lose nothing`(_ checkpointer: Checkpointer, _ situation: Situation) throws {
        try expectNoLoss(situation) { file, configuration in
            switch checkpointer {
            case .pool: try DatabasePool(path: file.uri, configuration: configuration)
            case .queue: try DatabaseQueue(path: file.uri, configuration: configuration)
            }
        }
    }

    @Test(arguments: Checkpointer.allCases, Situation.all.filter(\.trigger.attaches))
    func `Strata's checkpoints of attached databases lose nothing`(_ checkpointer: Checkpointer, _ situation: Situation) throws {
        try expectNoLoss(situation) { file, configuration in
            var configuration = configuration
            let uri = file.uri
            configuration.prepareDatabase { try $0.execute(sql: "ATTACH ? AS other", arguments: [uri]) }
            let path = file.files.path("main.sqlite")
            let writer: any DatabaseWriter =
                switch checkpointer {
                case .pool: try DatabasePool(path: path, configuration: configuration)
                case .queue: try DatabaseQueue(path: path, configuration: configuration)
                }
            // SQLite refuses PRAGMA wal_checkpoint if the main database was not read since its journal mode was set.
            try writer.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE main.other (a)") }
            return writer
        }
    }

    @Test(arguments: Checkpointer.allCases, Committer.allCases)
    func `While the last connection is closed, no other one can commit`(_ checkpointer: Checkpointer, _ committer: Committer) throws {
        let file = try CheckpointedFile()
        let writer: any DatabaseWriter =
            switch checkpointer {
            case .pool: try DatabasePool(path: file.uri)
            case .queue: try DatabaseQueue(path: file.uri)
            }
        try file.insert(500) { try writer.write { try $0.execute(sql: CheckpointedFile.insertion(500)) } }
        var stepCount = 0
        var refusalCount = 0
        var failure: (any Error)?
        try file.files.watchingCheckpoints { _ in
            stepCount += 1
            // The first steps, and some of the many that copy pages.
            guard stepCount < 10 || stepCount % 50 == 0 else { return }
            do {
                let other = try Party(committer, file.path)
                let count = file.committedCount
                try file.insert(1, other)
                if file.committedCount == count { refusalCount += 1 }
                try other.close()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                refusalCount += 1
            } catch {
                failure = error
            }
        } _: {
            try writer.close()
        }
        if let failure { throw failure }
        #expect(refusalCount > 0 && file.committedCount == 500)
        #expect(try file.loss() == nil)
    }

    private func expectNoLoss(
        _ situation: Situation, open: (CheckpointedFile, Configuration) throws -> any DatabaseWriter,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (trigger, overtaking) = (situation.trigger, situation.overtaking)
        let (loss, wasStopped, didCommit) = try overtake(overtaking, by: situation.committer, insertedCount: trigger.insertedCount) {
            file in
            var configuration = Configuration()
            configuration.busyMode = .immediateError
            let writer = try open(file, configuration)
            let run = {
                try writer.writeWithoutTransaction { try trigger.run($0) }
                // A pool runs automatic checkpoints of its own file on another thread.
                guard trigger.isAutomatic, let pool = writer as? DatabasePool, pool.path == file.uri else { return }
                yieldThread(until: "a checkpoint has ended") { pool.status().lastCheckpoint != nil }
            }
            return (run, { try writer.close() })
        }
        #expect(loss == nil, sourceLocation: sourceLocation)
        #expect(wasStopped, sourceLocation: sourceLocation)
        // The protection does not keep other connections from committing. A checkpoint that has the lock of writers does.
        #expect(didCommit || (trigger.waitsForWriters && overtaking == .commit), sourceLocation: sourceLocation)
    }
}
