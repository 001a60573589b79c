import Dispatch
import SQLiteDriver

/// The means by which another thread ends the request that is in progress.
final class Interruption: Sendable {
    private struct State {
        var isBusy = false
        var isProtected = false
        var wasInterrupted = false
        var endRequest: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())
    private let wakeUp = DispatchSemaphore(value: 0)

    /// Runs requests that nothing interrupts, such as a commit.
    func protecting<T>(_ body: () throws -> T) rethrows -> T {
        begin(isProtected: true)
        defer { _ = end() }
        return try body()
    }

    /// Runs requests that other threads may end.
    ///
    /// - Returns: also whether a thread has ended them: the connection is then closed, even if all answers had arrived.
    func during<T>(_ body: () throws -> T) throws -> (value: T, wasInterrupted: Bool) {
        begin(isProtected: false)
        let result = Result { try body() }
        let wasInterrupted = end()
        return (try result.get(), wasInterrupted)
    }

    private func begin(isProtected: Bool) {
        state.withLock { state in
            state.isBusy = true
            state.isProtected = isProtected
            state.wasInterrupted = false
        }
    }

    private func end() -> Bool {
        state.withLock { state in
            defer { state.wasInterrupted = false }
            state.isBusy = false
            return state.wasInterrupted
        }
    }

    /// Sets how to end a request on the current connection.
    func setConnection(_ endRequest: (@Sendable () -> Void)?) {
        state.withLock { $0.endRequest = endRequest }
    }

    /// Whether the request that is in progress can't be ended.
    var isProtecting: Bool { state.withLock { $0.isBusy && $0.isProtected } }

    var isInterrupted: Bool { state.withLock { $0.wasInterrupted } }

    /// Ends the request that is in progress. Safe from any thread.
    func interrupt() {
        state.withLock { state in
            guard state.isBusy, !state.isProtected else { return }
            state.wasInterrupted = true
            state.endRequest?()
            wakeUp.signal()
        }
    }

    /// Waits, unless another thread ends the wait.
    func sleep(milliseconds: Int) {
        _ = wakeUp.wait(timeout: .now() + .milliseconds(milliseconds))
    }
}
