import Dispatch
import RowDecoding

/// Looks for commits of other processes, and of other connections of this process, while a database is observed.
///
/// It reads SQLite's `data_version` of each database file on the writing connection, whose own commits don't change that number. The longer
/// nothing has changed, the longer it waits between two reads: a sixteenth of that time, but at least a millisecond, and at most a second.
/// A change is thus noticed within a millisecond while the database changes, and an idle database costs one read per second.
final class OtherCommitsWatch: Sendable {
    private struct State {
        /// The numbers of the states that were last seen; none if the database was locked when the watch began.
        var versions: [Int64]
        var lastChange = DispatchTime.now()
        /// Whether the next read is scheduled.
        var isRunning = false
    }

    private static let queue = DispatchQueue(label: "Strata.otherCommits")

    private let database: ObservedDatabase
    private let state: Guarded<State>

    /// Creates a watch, inside an access to the writing connection.
    ///
    /// - Returns: nil if the configuration does not enable it.
    init?(_ database: ObservedDatabase, _ db: Database) {
        guard db.configuration.observesOtherProcesses else { return nil }
        self.database = database
        state = Guarded(State(versions: (try? db.dataVersions()) ?? []))
    }

    /// Starts to watch, until the database is no longer observed. Called when an observation begins.
    func run() {
        let starts = state.withLock { state in
            state.lastChange = .now()
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { scheduleQuestion() }
    }

    private func scheduleQuestion() {
        let idle = DispatchTime.now().uptimeNanoseconds - state.withLock { $0.lastChange.uptimeNanoseconds }
        let wait = min(max(idle / 16, 1_000_000), 1_000_000_000)
        Self.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(wait))) { [self] in
            // An observation that begins now either has the writer here, or finds that the watch is not running.
            let writer = state.withLock { state in
                let writer = database.state.withLock { $0.writer }
                state.isRunning = writer != nil
                return writer
            }
            writer?.schedule(AccessRequest(.writeWithoutTransaction, .database)) { [self] result in
                guard let db = try? result.get() else { return }
                // The recorder and its watch may have been replaced meanwhile, and a closed connection has none.
                guard db.attachments.value(for: ChangeRecorder.self)?.watch === self else { return }
                ask(db)
                scheduleQuestion()
            }
        }
    }

    private func ask(_ db: Database) {
        // While another process locks the database, the number can't be read.
        guard let versions = try? db.dataVersions() else { return }
        let isChanged = state.withLock { state in
            if state.versions == versions { return false }
            state.versions = versions
            state.lastChange = .now()
            return true
        }
        if isChanged { database.notifyOfOtherCommits(db.commitCounter) }
    }
}

extension Database {
    /// The numbers of the states of the main database and of the attached ones.
    fileprivate func dataVersions() throws -> [Int64] {
        try withInternalStatements {
            // The first two are the main database and the database of temporary tables.
            let names = try Row.fetchAll(cachedStatement(sql: "PRAGMA database_list")).filter { $0[0] > 1 }.map { $0[1] as String }
            let statements = try names.map { try cachedStatement(sql: "PRAGMA \($0.quotedDatabaseIdentifier).data_version") }
            return try [dataVersion()] + statements.compactMap { try Int64.fetchOne($0) }
        }
    }
}
