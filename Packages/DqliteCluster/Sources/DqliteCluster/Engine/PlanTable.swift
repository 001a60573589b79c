import SQLiteDriver

/// The plans of a connection's statements, by the number in their SQL.
final class PlanTable: Sendable {
    private struct Entry {
        weak var plan: RemotePlan?
    }

    private struct Contents {
        var entries: [Int: Entry] = [:]
        var countToSweep = 256
    }

    private let contents = Guarded(Contents())

    /// Adds a plan.
    ///
    /// - Returns: the numbers of plans whose statements no longer exist, from time to time.
    func insert(_ plan: RemotePlan) -> [Int] {
        contents.withLock { contents in
            contents.entries[plan.id] = Entry(plan: plan)
            guard contents.entries.count > contents.countToSweep else { return [] }
            let removed = contents.entries.filter { $0.value.plan == nil }.map(\.key)
            for id in removed { contents.entries[id] = nil }
            contents.countToSweep = max(256, contents.entries.count * 2)
            return removed
        }
    }

    subscript(id: Int) -> RemotePlan? {
        contents.withLock { $0.entries[id]?.plan }
    }
}
