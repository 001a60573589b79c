import Dispatch

/// Keeps threads from running some code at the same time.
///
/// A semaphore, because the driver needs neither Foundation, whose `NSLock` it could be, nor the newer systems that
/// `Synchronization` asks for. What it guards takes a few instructions.
final class Lock: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    func withLock<T>(_ body: () throws -> T) rethrows -> T {
        semaphore.wait()
        defer { semaphore.signal() }
        return try body()
    }
}
