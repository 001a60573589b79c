import Foundation

/// A value behind a lock.
///
/// `@unchecked Sendable`: the lock guards the value.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Value

    init(_ content: Value) {
        self.content = content
    }

    var value: Value {
        get { lock.withLock { content } }
        set { lock.withLock { content = newValue } }
    }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result { try lock.withLock { try body(&content) } }
}

/// Passes values that are not Sendable between threads. Tests must make sure that one thread uses a value at a time.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

extension Locked<Int> {
    func increment() { withLock { $0 += 1 } }

    /// Returns the count, and sets it to 0.
    func take() -> Int {
        withLock { count in
            defer { count = 0 }
            return count
        }
    }
}
