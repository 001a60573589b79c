import Dispatch
import Foundation

/// What another thread does to end the request that is under way.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class Interruption: @unchecked Sendable {
    private let lock = NSLock()
    private var isBusy = false
    private var isProtected = false
    private var wasInterrupted = false
    private var endRequest: (@Sendable () -> Void)?
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Runs requests that other threads may end.
    ///
    /// - Parameter isProtected: whether nothing ends them, as for a commit.
    func during<T>(isProtected: Bool = false, _ body: () throws -> T) rethrows -> T {
        set(isBusy: true, isProtected: isProtected)
        defer { set(isBusy: false, isProtected: false) }
        return try body()
    }

    private func set(isBusy: Bool, isProtected: Bool) {
        lock.lock()
        defer { lock.unlock() }
        self.isBusy = isBusy
        self.isProtected = isProtected
        wasInterrupted = false
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

    /// Ends the request that is under way. Safe from any thread.
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
