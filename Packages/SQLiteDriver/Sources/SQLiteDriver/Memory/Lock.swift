import Dispatch

/// A mutual exclusion lock.
///
/// It is a semaphore: the driver does not depend on Foundation, which has `NSLock`, nor on the newer systems that `Synchronization`
/// requires. Critical sections are a few instructions long.
final class Lock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    func withLock<T>(_ body: () throws -> T) rethrows -> T {
        semaphore.wait()
        defer { semaphore.signal() }
        return try body()
    }
}
