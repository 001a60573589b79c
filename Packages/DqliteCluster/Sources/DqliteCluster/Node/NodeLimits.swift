import CDqliteCluster

extension DqliteNode {
    /// What a node does not let its clients and its disk do to the cluster.
    ///
    /// ```swift
    /// var limits = DqliteNode.Limits()
    /// limits.idleTransaction = .seconds(5)
    /// limits.diskReserve = 1_000_000_000
    /// ```
    ///
    /// A node runs all statements, and sends its signs of life, on one thread. While a statement runs, no other client is answered, and when
    /// it takes longer than the election timeout, the node loses its leadership. The election timeout is 15 times the network latency of the
    /// node, or 3 s by default.
    public struct Limits: Sendable {
        /// How long a statement may keep the node from everything else. A statement that takes longer is interrupted; if it writes, its
        /// transaction is rolled back. Nil, the default, for half of the election timeout.
        ///
        /// What counts is the time of the processor, without the time in which the node sends rows.
        public var statementTime: Duration?

        /// The number of bytes that a transaction may change, in whole pages. The commit of a larger one fails. Nil, the default, for 20 MB
        /// for each second of the election timeout: a larger commit takes so long that the leader may lose its leadership.
        public var transactionSize: Int?

        /// How long a transaction that has written may wait for its next statement, while all other writers wait for it. 10 s by default.
        /// Then the node hands its leadership over, which rolls the transaction back.
        public var idleTransaction = Duration.seconds(10)

        /// How many bytes must be free on the disk of the node's folder. 256 MB by default. With less, a node does not start, and a leader
        /// hands its leadership over: when the disk of a leader is full, no write succeeds, and the others don't elect another leader.
        public var diskReserve = 256_000_000

        /// The default limits.
        public init() {}

        /// The limits in the form that the guard takes.
        func guardLimits(electionTimeout: Duration) -> strata_guard_limits {
            let size = transactionSize ?? Int(20_000_000 * (electionTimeout / .seconds(1)))
            return strata_guard_limits(
                statement_time: Int64((statementTime ?? electionTimeout / 2) / .nanoseconds(1)),
                transaction_size: CInt(clamping: max(size, 1)), value_size: CInt(clamping: WireRequest.maximumSize * 2))
        }
    }
}
