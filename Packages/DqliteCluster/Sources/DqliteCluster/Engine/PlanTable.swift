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

    func insert(_ plan: RemotePlan) {
        lock.lock()
        defer { lock.unlock() }
        if entries.count >= countToSweep {
            entries = entries.filter { $0.value.plan != nil }
            countToSweep = max(256, entries.count * 2)
        }
        entries[plan.id] = Entry(plan: plan)
    }

    subscript(id: Int) -> RemotePlan? {
        lock.lock()
        defer { lock.unlock() }
        return entries[id]?.plan
    }
}
