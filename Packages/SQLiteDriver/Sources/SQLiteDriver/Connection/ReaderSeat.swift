import Dispatch

/// A place in the line for a thread.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ReaderSeat: @unchecked Sendable {
    private let lock = Lock()
    private let semaphore = DispatchSemaphore(value: 0)
    private var result: Result<SerializedConnection, any Error>?
    private var isLeft = false

    /// - Returns: false when the thread has left.
    func fill(_ result: Result<SerializedConnection, any Error>) -> Bool {
        let isTaken = lock.withLock {
            self.result = result
            return !isLeft
        }
        semaphore.signal()
        return isTaken
    }

    /// The thread does not wait any more.
    ///
    /// - Returns: what it was given before.
    func leave() -> Result<SerializedConnection, any Error>? {
        lock.withLock {
            isLeft = true
            return result
        }
    }

    func wait() throws -> SerializedConnection {
        semaphore.wait()
        guard let result = lock.withLock({ result }) else { fatalError("A place in the line was left without a result.") }
        return try result.get()
    }
}
