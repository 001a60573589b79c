import CSQLiteShims

/// The table of threads that are inside an access and wait for another access: to another connection, or to another database.
///
/// A thread outside accesses does not keep other threads waiting. Threads inside accesses can wait for each other in a circle,
/// such as `a.write { b.write { } }` on one thread and `b.write { a.write { } }` on another: the last thread then gets an error
/// instead. Only a thread that begins to wait can close a circle, so it is enough to check at that moment.
final class AccessWaits: Sendable {
    static let shared = AccessWaits()

    /// A resource that a thread can wait for.
    enum Resource {
        /// The end of the accesses to a connection.
        case connection(Database)
        /// The end of all reads of a pool.
        case readers(ReaderPool)
    }

    private let waits = Guarded<[UInt: [Resource]]>([:])

    /// Whether this thread is inside an access to any connection.
    static var isInsideAccess: Bool { strata_current_access() != nil }

    /// Runs a closure that waits for resources.
    ///
    /// - Throws: `SQLITE_MISUSE`, before the closure is called, when one of the threads that it would wait for waits for this thread; or the
    ///   closure's error.
    func waiting<T>(for resources: [Resource], _ wait: () throws -> T) throws -> T {
        if resources.isEmpty { return try wait() }
        let thread = strata_current_thread()
        try waits.withLock { waits in
            var visited: Set<UInt> = []
            if resources.contains(where: { leads($0, to: thread, waits, &visited) }) {
                throw DatabaseError(
                    code: .SQLITE_MISUSE, message: "database accesses wait for each other",
                    advice: "Nest accesses to several connections in the same order everywhere, or don't nest them.")
            }
            waits[thread] = resources
        }
        defer { waits.withLock { $0[thread] = nil } }
        return try wait()
    }

    private func leads(_ resource: Resource, to thread: UInt, _ waits: [UInt: [Resource]], _ visited: inout Set<UInt>) -> Bool {
        let holders: [UInt] =
            switch resource {
            case .connection(let database): [database.accessingThread]
            case .readers(let pool): pool.readingThreads
            }
        for holder in holders where holder != 0 {
            if holder == thread { return true }
            guard visited.insert(holder).inserted, let next = waits[holder] else { continue }
            if next.contains(where: { leads($0, to: thread, waits, &visited) }) { return true }
        }
        return false
    }
}
