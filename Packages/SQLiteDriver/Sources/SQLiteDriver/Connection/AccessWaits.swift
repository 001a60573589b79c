import CSQLiteShims

/// What threads wait for that are inside an access, and want another one: of another connection, or of another database.
///
/// A thread that has no access keeps nobody waiting. Those that have one can wait for each other in a circle, `a.write { b.write { } }` here
/// and `b.write { a.write { } }` there: the last one of them gets an error instead. A circle is closed by a thread that begins to wait, so
/// it is enough to look then.
///
/// `@unchecked Sendable`: the lock guards the table.
final class AccessWaits: @unchecked Sendable {
    static let shared = AccessWaits()

    /// What a thread can wait for.
    enum Resource {
        /// The end of the accesses to a connection.
        case connection(Database)
        /// The end of all reads of a pool.
        case readers(ReaderPool)
    }

    private let lock = Lock()
    private var waits: [UInt: [Resource]] = [:]

    /// Whether this thread is inside an access, to whatever connection.
    static var isInsideAccess: Bool { strata_access_depth() > 0 }

    /// This thread is about to wait.
    ///
    /// - Returns: what to give to ``end(_:)`` when the wait is over.
    /// - Throws: `SQLITE_MISUSE` when someone whom it would wait for waits for this thread.
    func begin(_ resources: [Resource]) throws -> UInt {
        let thread = strata_current_thread()
        try lock.withLock {
            var visited: Set<UInt> = []
            if resources.contains(where: { leads($0, to: thread, &visited) }) {
                throw DatabaseError(
                    code: .SQLITE_MISUSE, message: "database accesses wait for each other",
                    advice: "Nest accesses to several connections in the same order everywhere, or don't nest them.")
            }
            waits[thread] = resources
        }
        return thread
    }

    /// The wait of a thread is over.
    func end(_ thread: UInt) {
        lock.withLock { waits[thread] = nil }
    }

    private func leads(_ resource: Resource, to thread: UInt, _ visited: inout Set<UInt>) -> Bool {
        let holders: [UInt] =
            switch resource {
            case .connection(let database): [database.accessingThread]
            case .readers(let pool): pool.readingThreads
            }
        for holder in holders where holder != 0 {
            if holder == thread { return true }
            guard visited.insert(holder).inserted, let next = waits[holder] else { continue }
            if next.contains(where: { leads($0, to: thread, &visited) }) { return true }
        }
        return false
    }
}
