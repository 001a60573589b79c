import Dispatch

/// How connections to a database are opened and used.
///
/// ```swift
/// var configuration = Configuration()
/// configuration.readonly = true
/// configuration.busyMode = .timeout(10)
/// let queue = try DatabaseQueue(path: "/path/to/database.sqlite", configuration: configuration)
/// ```
public struct Configuration: Sendable {
    /// Whether the connections only read. False by default.
    public var readonly = false

    /// Whether foreign keys are enforced. True by default.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html>
    public var foreignKeysEnabled = true

    /// What a connection does when another one holds a lock that it needs. It waits up to 5 seconds by default.
    public var busyMode: Database.BusyMode = .timeout(5)

    /// A name for the database, shown by debuggers as the name of its dispatch queues.
    public var label: String?

    /// The quality of service of accesses that no caller waits for, those by callback. Others run with that of their caller, or
    /// with the priority of their task.
    ///
    /// A ``targetQueue`` has a quality of service of its own, which takes the place of this one.
    public var qos: DispatchQoS = .default

    /// The queue on which accesses run in the end; nil, as by default, leaves that to the system.
    ///
    /// ```swift
    /// configuration.targetQueue = DispatchQueue(label: "databases", qos: .utility, attributes: .concurrent)
    /// ```
    ///
    /// The accesses of a connection run one after the other on any queue. With a serial queue, those of all connections
    /// that have it as their target do: readers of a pool don't read at the same time then, a ``DatabaseWriter/spawnConcurrentRead(_:)``
    /// waits for ever, and so does an access to one database inside that to another one.
    public var targetQueue: DispatchQueue?

    /// The queue on which accesses to the connection that writes run in the end: that of a ``DatabaseQueue``, and the one of a
    /// ``DatabasePool``. When nil, as by default, it is ``targetQueue``.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of accesses to the reading connections of a ``DatabasePool``: that of ``targetQueue``, or ``qos``.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of accesses to the connection that writes: that of ``writeTargetQueue``, of ``targetQueue``, or
    /// ``qos``.
    public var writeQoS: DispatchQoS { (writeTargetQueue ?? targetQueue)?.qos ?? qos }

    /// How many connections a ``DatabasePool`` reads with at the same time, at least 1. 5 by default. Reads that begin inside another
    /// access, which must not wait for those, use others.
    public var maximumReaderCount = 5

    /// Which journal a ``DatabaseQueue`` uses. As the database file says by default, which for a new one is a rollback journal.
    /// A ``DatabasePool`` always uses the write-ahead log.
    ///
    /// Source: <https://www.sqlite.org/pragma.html#pragma_journal_mode>
    public var journalMode = JournalModeConfiguration.default

    /// Whether a transaction may be left open at the end of an access without a transaction of its own, to be ended by a later
    /// one. False by default: then it is rolled back, and that is an error.
    public var allowsUnsafeTransactions = false

    /// Whether ``DatabasePool`` keeps its idle reading connections when it releases memory.
    public var persistentReadOnlyConnections = false

    /// Whether the descriptions of errors show the arguments of statements, which may be private. False by default.
    public var publicStatementArguments = false

    /// Whether `"text"` stands for a string where no column has that name, as in early versions of SQLite. False by default:
    /// then a misspelled column is an error, where SQLite can tell.
    ///
    /// Source: <https://www.sqlite.org/quirks.html#dblquote>
    public var acceptsDoubleQuotedStringLiterals = false

    /// What gives ``Database/transactionDate``: the system's clock by default.
    ///
    /// ```swift
    /// // In tests, where time stands still:
    /// configuration.transactionClock = .custom { _ in Date(timeIntervalSince1970: 1_700_000_000) }
    /// ```
    public var transactionClock: any TransactionClock = .default

    /// What is known of the schema beyond what SQLite knows, such as the keys of views; nil by default.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// Whether the connections let go of their locks, and take no other ones, between ``Database/suspend()`` and
    /// ``Database/resume()``. False by default: then those do nothing to them.
    ///
    /// Each statement asks, which costs a little.
    public var observesSuspensionNotifications = false

    /// The kind of transaction that `write` opens, and `inTransaction` by default.
    public var defaultTransactionKind: Database.TransactionKind = .immediate

    /// The journal of a database.
    public enum JournalModeConfiguration: Sendable {
        /// That of the database file.
        case `default`
        /// The write-ahead log (<https://www.sqlite.org/wal.html>).
        case wal
    }

    private var preparations: [@Sendable (Database) throws -> Void] = []

    /// Makes the default configuration.
    public init() {}

    /// Adds something to do with each new connection before it is used.
    ///
    /// ```swift
    /// configuration.prepareDatabase { db in
    ///     try db.execute(sql: "PRAGMA cache_size = -20000")
    /// }
    /// ```
    ///
    /// - Parameter prepare: run once for each connection, after the preparations that were added before. An error that it throws
    ///   is thrown by whoever opens the connection.
    public mutating func prepareDatabase(_ prepare: @escaping @Sendable (Database) throws -> Void) {
        preparations.append(prepare)
    }

    /// The same configuration for a connection that only reads, and that no program prepares.
    var forReadingUnprepared: Configuration {
        var configuration = self
        configuration.readonly = true
        configuration.preparations = []
        return configuration
    }

    func prepare(_ db: Database) throws {
        for preparation in preparations {
            try preparation(db)
        }
    }
}

extension Database {
    /// What a connection does when another one holds a lock that it needs.
    public enum BusyMode: Sendable {
        /// Fails at once with `SQLITE_BUSY`.
        case immediateError

        /// Tries again until a number of seconds have passed, then fails with `SQLITE_BUSY`.
        case timeout(Double)

        /// Asks a function what to do.
        case callback(BusyCallback)
    }

    /// Says whether to try again, given the number of tries so far.
    public typealias BusyCallback = @Sendable (_ numberOfTries: Int) -> Bool

    /// When a transaction takes its locks.
    ///
    /// Source: <https://www.sqlite.org/lang_transaction.html>
    public enum TransactionKind: String, Sendable {
        /// With its first statement, a lock for reading or for writing as that one needs.
        case deferred = "DEFERRED"
        /// The write lock, at once.
        case immediate = "IMMEDIATE"
        /// The write lock, at once, which outside the WAL mode keeps other connections from reading too.
        case exclusive = "EXCLUSIVE"
    }

    /// How a transaction or a savepoint ends.
    public enum TransactionCompletion: Sendable {
        /// Its changes are kept.
        case commit
        /// Its changes are undone.
        case rollback
    }
}
