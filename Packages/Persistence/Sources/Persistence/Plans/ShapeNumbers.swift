import Foundation

/// Gives the numbers that stand for the columns of records in their order: their shapes.
///
/// A plan serves the records of its shape's number, and finds their values by position. Containers go where their users take them: to
/// other record types, and to other connections. So a number means the same columns all over the process, and is never given again.
/// Plans of two types, or of two connections, may have two numbers for the same columns.
final class ShapeNumbers: @unchecked Sendable {
    // Sendable because a lock guards what changes.

    static let shared = ShapeNumbers()

    private let lock = NSLock()
    private var last = 0

    /// A number that was not given before, from 1.
    func next() -> Int {
        lock.withLock {
            last += 1
            return last
        }
    }
}
