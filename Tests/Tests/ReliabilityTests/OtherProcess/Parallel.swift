import Foundation
import Testing

/// How a database file is journaled.
enum Journal: String, CaseIterable {
    case rollback = "DELETE"
    case wal = "WAL"
}

/// Work of a thread while the test continues.
///
/// `@unchecked Sendable`: the semaphore orders the writing of the result before its reading.
final class Parallel<Value>: @unchecked Sendable {
    private let ended = Semaphore("the work of another thread has ended")
    private var result: Result<Value, any Error>?

    init(_ body: @escaping @Sendable () throws -> Value) {
        Thread.detachNewThread { [self] in
            result = Result { try body() }
            ended.signal()
        }
    }

    /// Whether it has come to its end.
    var hasEnded: Bool {
        guard ended.isSignalled() else { return false }
        ended.signal()
        return true
    }

    /// Waits for the end, and gives what came of it.
    func wait(sourceLocation: SourceLocation = #_sourceLocation) throws -> Value {
        ended.wait(sourceLocation: sourceLocation)
        ended.signal()
        guard let result else { throw MissingEvent("the result of another thread") }
        return try result.get()
    }
}
