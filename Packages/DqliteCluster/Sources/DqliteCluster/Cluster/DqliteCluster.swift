import SQLiteDriver

/// A database that is replicated by dqlite: SQLite on several machines.
///
/// ```swift
/// let cluster = try DqliteCluster(
///     addresses: ["10.0.0.1:9001", "10.0.0.2:9001", "10.0.0.3:9001"], database: "app")
///
/// try cluster.write { db in
///     try db.execute(
///         sql: "INSERT INTO player (name) VALUES (?)", arguments: ["Arthur"])
/// }
/// ```
///
/// Records, requests and migrations work as with a local database. All statements run on the leader, one of the nodes; when it fails, the
/// others elect another leader, which the cluster finds on its own.
///
/// **Writes** are transactions. They fail with ``ClusterError/connectionLost(_:)`` when the leader is lost before the commit:
/// nothing was written then. `write(.repeatable)` runs such a write again. When the leader is lost during the commit, they fail
/// with ``ClusterError/outcomeUnknown(_:)``; `write(id:)` finds out what happened.
///
/// **Reads** see all acknowledged writes, except for up to about one election timeout after the leader was paused or cut off: then it may
/// answer with the state before. A read inside a transaction that also writes is certain, because the commit proves that the leader is
/// still the leader.
///
/// The access methods come from ``DatabaseWriter``, and work like the methods of a ``DatabasePool``: writes run one after the other, on one
/// connection; reads use up to ``Configuration/maximumReaderCount`` other connections, beside the writes.
///
/// dqlite keeps the database in the memory of each node, and has neither TLS nor authentication: keep its ports on a private network.
public final class DqliteCluster: Sendable {
    /// The configuration of the connections.
    public let configuration: Configuration

    /// The name of the database, after `dqlite:`.
    public let path: String

    /// How long a read or a write may take, from its call to its end, where the configuration has no limit; nil for any time.
    public let accessTimeout: Duration?

    /// The number of requests that this client has sent to nodes, on all its connections. Each request is a round trip.
    ///
    /// ```swift
    /// let count = cluster.requestCount
    /// let players = try cluster.read { db in try Player.fetchAll(db) }
    /// print("\(cluster.requestCount - count) round trips")
    /// ```
    public var requestCount: Int { finder.counts.withLock { $0.requests } }

    let finder: LeaderFinder
    /// The connections, whose engines run their statements on the leader.
    let connections: DatabasePool

    /// Connects to the leader of a cluster.
    ///
    /// - Parameters:
    ///   - addresses: the addresses of some of the nodes, such as `10.0.0.1:9001`. The other nodes are found through them.
    ///   - database: the name of the database. The first connection to a name creates an empty database.
    ///   - configuration: how the connections behave. Options about files don't apply.
    ///   - requestTimeout: how long the leader may take to answer a request. If it has not answered after a second, the other nodes
    ///     are asked whether they have elected another leader meanwhile.
    ///   - leaderTimeout: how long to look for a leader, which includes connecting. An election takes about 5 s, or less if the nodes are
    ///     configured for it.
    ///   - accessTimeout: how long a read or a write may take, with its wait for other accesses and all its requests and repetitions:
    ///     ``Configuration/readTimeout`` and ``Configuration/writeTimeout``, if the configuration does not set them. An access that takes
    ///     longer fails with ``DatabaseTimeoutError``. Nil for no limit.
    ///   - readsNULs: whether strings with NUL characters are read completely. dqlite truncates them at the first NUL.
    /// - Throws: ``ClusterError``, or ``DatabaseError``.
    public init(
        addresses: [String], database: String, configuration: Configuration = Configuration(), requestTimeout: Duration = .seconds(30),
        leaderTimeout: Duration = .seconds(15), accessTimeout: Duration? = nil, readsNULs: Bool = false
    ) throws {
        let finder = try LeaderFinder(
            addresses: addresses, database: database, requestTimeout: requestTimeout, leaderTimeout: leaderTimeout)
        self.finder = finder
        path = "dqlite:\(database)"
        self.configuration = configuration
        self.accessTimeout = accessTimeout
        var own = configuration
        own.label = configuration.label ?? path
        let base = own
        own.makeEngine = { RemoteEngine(finder: finder, configuration: base, readsNULs: readsNULs) }
        own.readTimeout = configuration.readTimeout ?? accessTimeout
        own.writeTimeout = configuration.writeTimeout ?? accessTimeout
        connections = try DatabasePool(path: ":memory:", configuration: own)
        try connections.access(AccessRequest(.writeWithoutTransaction)) { db in
            try db.readOnly { try db.inTransaction(.deferred) { .commit } }
        }
    }
}
