import Foundation

/// The plans of a connection's statements, by the number in their SQL.
///
/// `@unchecked Sendable`: the lock guards the table. The last reference to a statement, and so to its plan, may be released on any thread.
final class PlanTable: @unchecked Sendable {
    private struct Entry {
        weak var plan: RemotePlan?
    }

    private let lock = NSLock()
    private var entries: [Int: Entry] = [:]
    private var countToSweep = 256

    /// Adds a plan.
    ///
    /// - Returns: the numbers of plans whose statements are gone, now and then.
    func insert(_ plan: RemotePlan) -> [Int] {
        lock.lock()
        defer { lock.unlock() }
        entries[plan.id] = Entry(plan: plan)
        guard entries.count > countToSweep else { return [] }
        let removed = entries.filter { $0.value.plan == nil }.map(\.key)
        for id in removed { entries[id] = nil }
        countToSweep = max(256, entries.count * 2)
        return removed
    }

    subscript(id: Int) -> RemotePlan? {
        lock.lock()
        defer { lock.unlock() }
        return entries[id]?.plan
    }
}
