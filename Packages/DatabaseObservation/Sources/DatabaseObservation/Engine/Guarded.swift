import Dispatch

/// A value that a lock guards.
///
/// It is a semaphore for the reasons of SQLiteDriver's own lock. Critical sections are a few instructions long, and call no code of the
/// program, except that of a reducer, whose lock no one else waits for.
///
/// `@unchecked Sendable`: the value is only used while the semaphore is held.
final class Guarded<Value>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        semaphore.wait()
        defer { semaphore.signal() }
        return try body(&value)
    }
}
