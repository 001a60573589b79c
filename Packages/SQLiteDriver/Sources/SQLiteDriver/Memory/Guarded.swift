import Dispatch

/// A value that a lock guards.
///
/// The lock is a semaphore: the driver does not depend on Foundation, which has `NSLock`, nor on the newer systems that `Synchronization`
/// requires. Critical sections are a few instructions long, and don't call code of the program, except an observation's reducer, whose lock
/// no other thread waits for.
///
/// `@unchecked Sendable`: the value is only used while the semaphore is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let semaphore = DispatchSemaphore(value: 1)
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        semaphore.wait()
        defer { semaphore.signal() }
        return try body(&value)
    }
}
