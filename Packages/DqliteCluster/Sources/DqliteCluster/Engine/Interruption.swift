import Dispatch
import Foundation

/// What another thread does to end the request that is in progress.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var isBusy = false
    private var isProtected = false
    private var wasInterrupted = false
    private var endRequest: (@Sendable () -> Void)?
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Runs requests that nothing ends, as for a commit.
    func protecting<T>(_ body: () throws -> T) rethrows -> T {
        begin(isProtected: true)
        defer { _ = end() }
        return try body()
    }

    /// Runs requests that other threads may end.
    ///
    /// - Returns: also whether one has: the connection is closed then, even if all answers had come before.
    func during<T>(_ body: () throws -> T) throws -> (value: T, wasInterrupted: Bool) {
        begin(isProtected: false)
        let result = Result { try body() }
        let wasInterrupted = end()
        return (try result.get(), wasInterrupted)
    }

    private func begin(isProtected: Bool) {
        lock.lock()
        defer { lock.unlock() }
        isBusy = true
        self.isProtected = isProtected
        wasInterrupted = false
    }

    private func end() -> Bool {
        lock.lock()
        defer { lock.unlock() }
        defer { wasInterrupted = false }
        isBusy = false
        return wasInterrupted
    }

    /// Sets how to end a request on the current connection.
    func setConnection(_ endRequest: (@Sendable () -> Void)?) {
        lock.lock()
        defer { lock.unlock() }
        self.endRequest = endRequest
    }

    var isInterrupted: Bool {
        lock.lock()
        defer { lock.unlock() }
        return wasInterrupted
    }

    /// Ends the request that is in progress. Safe from any thread.
    func interrupt() {
        lock.lock()
        defer { lock.unlock() }
        guard isBusy, !isProtected else { return }
        wasInterrupted = true
        endRequest?()
        wakeUp.signal()
    }

    /// Waits, unless another thread ends the wait.
    func sleep(milliseconds: Int) {
        _ = wakeUp.wait(timeout: .now() + .milliseconds(milliseconds))
    }
}
