import Dispatch

/// Options for opening and using connections to a database.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.readonly = true
/// configuration.busyMode = .timeout(10)
/// let queue = try DatabaseQueue(
///     path: "/path/to/database.sqlite", configuration: configuration)
/// ```
public struct Configuration: Sendable {
    /// Whether the connections only read. False by default.
    public var readonly = false

    /// Whether foreign keys are enforced. True by default.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true

    /// The reaction of a connection when another connection has a lock that it needs. By default, it waits for up to 5 seconds.
    public var busyMode: Database.BusyMode = .timeout(5)

    /// The limit of each read's time, if its `timeout:` is not shorter; nil, the default, for no limit. Fetches of observations have no limit. The
    /// time that the program takes between two elements of an asynchronous sequence does not count. See ``DatabaseReader/read(timeout:_:)``.
    public var readTimeout: Duration?

    /// The limit of each write's time, if its `timeout:` is not shorter; nil, the default, for no limit. Exclusive accesses, such as those of
    /// migrations, and maintenance, such as `vacuum()`, `checkpoint(_:)` and backups, have no limit, unless they are inside an access that has one.
    /// See ``DatabaseWriter/write(timeout:_:)``.
    public var writeTimeout: Duration?

    /// How long each statement may run inside SQLite, without the program's work on its rows; nil, the default, for no limit.
    ///
    /// A statement that takes longer is interrupted, and throws ``DatabaseTimeoutError``. If it writes inside a transaction, SQLite rolls
    /// back the transaction. The end of a transaction has no limit.
    ///
    /// SQLite checks the limit every few microseconds, and while it waits for locks, those of `BEGIN` included, but not inside a function of the program, or while it reads
    /// from the disk.
    public var statementTimeLimit: Duration?

    /// How many accesses may wait for a connection: reads for one of the readers of a ``DatabasePool``, and other accesses for the connection of a
    /// queue, or for the one that writes. Nil, the default, for any number.
    ///
    /// A further access throws ``DatabaseUnavailableError`` immediately, so that a server that has more requests than its database can answer
    /// refuses some of them, and answers the others in time. Accesses inside other accesses are not refused, because others may wait for them, nor
    /// are migrations, maintenance, fetches of observations, and ``DatabaseWriter/asyncWriteWithoutTransaction(_:)`` and ``DatabaseWriter/asyncWrite(_:completion:)``, whose callbacks take no error.
    public var maximumWaitingAccesses: Int?

    /// What learns of the accesses to the database and of their statements: none by default.
    public var monitors: [any DatabaseMonitor] = []

    /// A name for the database, shown by debuggers as the name of its dispatch queues.
    public var label: String?

    /// The quality of service of accesses that take a callback: no caller waits for them. Other accesses have the quality of service of
    /// their caller, or the priority of their task.
    ///
    /// The quality of service of a ``targetQueue`` replaces this one.
    public var qos: DispatchQoS = .default

    /// The queue that runs the accesses; nil, the default, leaves the choice to the system.
    ///
    /// ```swift
    /// configuration.targetQueue = DispatchQueue(
    ///     label: "databases", qos: .utility, attributes: .concurrent)
    /// ```
    ///
    /// The accesses of one connection are serialized on any queue. A serial target queue serializes the accesses of all its
    /// connections: then the readers of a pool don't run in parallel, and ``DatabaseWriter/spawnConcurrentRead(_:)`` deadlocks, as
    /// does an access to one database inside an access to another. A blocking access with a limit of time does not stop waiting while
    /// something else runs on its serial target queue: it throws when it has its turn.
    public var targetQueue: DispatchQueue?

    /// The queue that runs the accesses to the connection of a ``DatabaseQueue``, or to the writing connection of a ``DatabasePool``.
    /// If it is nil, the default, or if ``readonly`` is set, these accesses run on ``targetQueue``.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of accesses to the reading connections of a ``DatabasePool``: the quality of service of
    /// ``targetQueue`` if there is one, otherwise ``qos``.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of accesses to the connection that writes: the quality of service of ``writeTargetQueue`` or else
    /// ``targetQueue`` if there is one, otherwise ``qos``.
    public var writeQoS: DispatchQoS { (readonly ? targetQueue : writeTargetQueue ?? targetQueue)?.qos ?? qos }

    /// The maximum number of connections that a ``DatabasePool`` reads with at the same time, at least 1. 5 by default. Reads that
    /// begin inside another access don't count: they must not wait for the others, and may use additional connections.
    public var maximumReaderCount = 5

    /// The journal of a ``DatabaseQueue``. By default, the database file decides; a new file has a rollback journal. A
    /// ``DatabasePool`` always uses the write-ahead log.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_journal_mode>
    public var journalMode = JournalModeConfiguration.default

    /// When commits wait for the disk, in the main database. nil by default: the library's own setting, which is `FULL` unless it was
    /// compiled with another one. A `PRAGMA synchronous` of ``prepareDatabase(_:)`` takes precedence. Connections of an engine ignore it.
    ///
    /// ```swift
    /// configuration.synchronous = .normal
    /// ```
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_synchronous>
    public var synchronous: SynchronousMode?

    /// The size of the write-ahead log, in bytes, beyond which a ``DatabasePool`` makes it begin again; nil, the default, for no limit.
    ///
    /// ```swift
    /// configuration.maximumLogSize = 64 * 1024 * 1024
    /// configuration.logRestartTimeout = .milliseconds(500)
    /// ```
    ///
    /// SQLite can begin the log again only when no reader uses it. Where a read always begins before another has ended, the log grows
    /// without limit. Beyond this size, the pool lets the running reads end before new ones begin, and truncates the log. New reads wait for
    /// that like for other accesses that wait for reads: see ``DatabaseWriter/barrierWriteWithoutTransaction(_:)``. Writes continue meanwhile, so
    /// the log may become longer by what they write in this time.
    ///
    /// A log of less than 1000 pages, or another length of `PRAGMA wal_autocheckpoint`, is left alone.
    public var maximumLogSize: Int?

    /// How long a ``DatabasePool`` tries to make a log that is larger than ``maximumLogSize`` begin again, and how long new reads wait for that
    /// at most. One second by default. If a read, a ``DatabaseSnapshot`` or another process needs the log for longer, nothing fails: the pool
    /// tries again when the log has grown by the size once more.
    public var logRestartTimeout: Duration = .seconds(1)

    /// Whether an access without its own transaction may leave a transaction open, for a later access to end. False by default: then the
    /// transaction is rolled back, and the access throws.
    public var allowsUnsafeTransactions = false

    /// Whether ``DatabasePool`` keeps its idle reading connections when it releases memory.
    public var persistentReadOnlyConnections = false

    /// Whether the descriptions of errors and of trace events show the arguments of statements, which may be private. False by
    /// default.
    public var publicStatementArguments = false

    /// Whether `"text"` is a string literal where no column has that name, as in early versions of SQLite. False by default: a misspelled
    /// column is then an error, where SQLite can detect it.
    ///
    /// Source: <https://www.sqlite.org/quirks.html#dblquote>
    public var acceptsDoubleQuotedStringLiterals = false

    /// The source of ``Database/transactionDate``: the system's clock by default.
    ///
    /// ```swift
    /// // A fixed date, for tests:
    /// configuration.transactionClock = .custom { _ in
    ///     Date(timeIntervalSince1970: 1_700_000_000)
    /// }
    /// ```
    public var transactionClock: any TransactionClock = .default

    /// Additions to what SQLite knows about the schema, such as the keys of views; nil by default.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Returns the engine of a new connection, which runs its statements elsewhere: see ``DatabaseEngine``. Nil by default: SQLite runs
    /// them. Use it with a ``DatabaseQueue`` in memory, or with a ``DatabasePool`` with the path ":memory:".
    public var makeEngine: (@Sendable () throws -> any DatabaseEngine)?

    /// Whether ``Database/suspend()`` makes the connections release their locks and take no others until ``Database/resume()``. False by
    /// default: both methods then have no effect on the connections.
    ///
    /// When true, each statement checks for suspension, at a small cost.
    public var observesSuspensionNotifications = false

    /// Whether observations of the database look for commits of other processes, and of other connections of this process: see
    /// ``Database/dataVersion()``. False by default.
    public var observesOtherProcesses = false

    /// The kind of transaction that `write` begins, and that `inTransaction` begins by default.
    public var defaultTransactionKind: Database.TransactionKind = .immediate

    /// The journal of a database.
    public enum JournalModeConfiguration: Sendable {
        /// The journal mode that the database file records.
        case `default`
        /// The write-ahead log (<https://www.sqlite.org/wal.html>).
        case wal
    }

    /// When commits wait for the disk.
    public enum SynchronousMode: String, Sendable {
        /// Each commit waits: one that has returned survives a loss of power.
        case full = "FULL"
        /// In WAL mode, only checkpoints wait. A loss of power may undo the last commits, but does not damage the database.
        case normal = "NORMAL"
        /// Nothing waits. A loss of power may damage the database, but the end of the program does not.
        case off = "OFF"
    }

    /// Whether opening creates no file, and throws `SQLITE_READONLY_DBMOVED` if the file is removed or replaced meanwhile.
    package var requiresFile = false

    /// The threads that run the accesses of tasks and callbacks, together with those of other databases; nil for threads of Dispatch.
    package var sharedThreads: SharedThreads?

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Creates the default configuration.
    public init() {}

    /// Adds a preparation of each new connection, which runs before the connection is used.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     try db.execute(sql: "PRAGMA cache_size = -20000")
    /// }
    /// ```
    ///
    /// - Parameter prepare: runs once for each connection, after the preparations that were added before. The call that opens the
    ///   connection throws its error.
    public mutating func prepareDatabase(_ prepare: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(prepare)
    }

    /// The same configuration without limits, for migrations, which take as long as they take.
    package var withoutLimits: Configuration {
        changed(self) {
            ($0.readTimeout, $0.writeTimeout, $0.statementTimeLimit, $0.maximumWaitingAccesses) = (nil, nil, nil, nil)
        }
    }

    /// Whether accesses or statements may be refused, or ended early.
    package var hasLimits: Bool {
        readTimeout != nil || writeTimeout != nil || statementTimeLimit != nil || maximumWaitingAccesses != nil
    }

    /// The same configuration for a read-only connection, without the program's preparations.
    var forReadingUnprepared: Configuration {
        changed(self) { ($0.readonly, $0.preparations) = (true, []) }
    }

    /// The name of the database in the reports to monitors.
    func nameForMonitors(path: String) -> String {
        label ?? path.split(separator: "/").last.map(String.init) ?? path
    }

    func prepare(_ db: Database) throws {
        for preparation in preparations {
            try preparation(db)
        }
    }
}

extension Database {
    /// The reaction of a connection when another connection has a lock that it needs.
    public enum BusyMode: Sendable {
        /// Fails immediately with `SQLITE_BUSY`.
        case immediateError

        /// Tries again until a number of seconds have passed, and then fails with `SQLITE_BUSY`.
        case timeout(Double)

        /// Calls a function, which decides whether to try again.
        case callback(BusyCallback)
    }

    /// Returns whether to try again, given the number of tries so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// When a transaction takes its locks.
    ///
    /// Source: <https://www.sqlite.org/lang_transaction.html>
    public enum TransactionKind: String, Sendable {
        /// Takes a read lock or a write lock with its first statement, as the statement needs.
        case deferred = "DEFERRED"
        /// Takes the write lock when it begins.
        case immediate = "IMMEDIATE"
        /// Takes the write lock when it begins. Outside WAL mode, it also keeps other connections from reading.
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction or a savepoint ends.
    public enum TransactionCompletion: Sendable {
        /// Keeps the changes.
        case commit
        /// Undoes the changes.
        case rollback
    }
}
