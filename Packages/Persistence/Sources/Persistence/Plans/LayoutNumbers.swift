import Foundation

/// Makes the numbers that identify the layouts of records: their columns, in order.
///
/// A plan writes the records whose layout has the plan's number, and finds their values by position. Programs can pass a container to other
/// record types and to other connections. So a number stands for the same columns in the whole process, and is never reused. Two types or
/// two connections may use different numbers for the same columns.
final class LayoutNumbers: @unchecked Sendable {
    // Sendable because a lock guards the mutable state.

    static let shared = LayoutNumbers()

    private let lock = NSLock()
    private var last = 0

    /// Returns a new number, from 1.
    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
