import Foundation
import SQLiteDriver
import Testing

extension Configuration {
    /// The configuration, with connections that don't keep the log when the last one is closed, as Apple's SQLite does by default.
    var removingLog: Configuration {
        var configuration = self
        configuration.prepareDatabase { $0.removeLogWhenClosed() }
        return configuration
    }
}

/// Runs a closure on a thread of its own, and waits for its end.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    done.wait()
}

/// Runs a closure on a thread of its own, as tests share the few threads of the cooperative pool and of the global queues.
func onAThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    // When a continuation is resumed before its task waits for it, the thread sanitizer does not see their order. It sees a lock's order.
    let lock = NSLock()
    let value = await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let value = body()
            lock.withLock {}
            continuation.resume(returning: value)
        }
    }
    lock.withLock {}
    return value
}

/// Runs a closure on a thread of its own, and returns whether it ends, instead of deadlocking.
func comesToItsEnd(_ body: @escaping @Sendable () -> Void) async -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return await onAThread { done.wait(timeout: .now() + 300) == .success }
}

extension DispatchSemaphore {
    /// Waits on a thread of its own.
    func signalled() async {
        await onAThread { self.wait() }
    }
}
