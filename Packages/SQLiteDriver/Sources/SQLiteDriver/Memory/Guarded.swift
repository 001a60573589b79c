/// A value that a lock guards.
///
/// Critical sections don't call code of the program, except an observation's reducer, whose lock no other thread waits for.
///
/// `@unchecked Sendable`: the value is only used while the lock is held.
package final class Guarded<Value>: @unchecked Sendable {
    private let lock = Lock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
