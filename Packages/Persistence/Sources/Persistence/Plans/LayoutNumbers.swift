import QueryInterface

/// Makes the numbers that identify the layouts of records: their columns, in order.
///
/// A plan writes the records whose layout has the plan's number, and finds their values by position. Programs can pass a container to other
/// record types and to other connections. A number therefore stands for the same columns in the whole process, and is never reused. Two
/// types or two connections may use different numbers for the same columns.
enum LayoutNumbers {
    private static let last = Guarded(0)

    /// Returns a new number, from 1.
    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
