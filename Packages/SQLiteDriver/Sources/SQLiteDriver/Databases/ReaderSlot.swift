import Dispatch

/// The place of a thread in the line for a connection.
///
/// `@unchecked Sendable`: the lock guards the state.
final class ReaderSlot: @unchecked Sendable {
    private let lock = Lock()
    private let semaphore = DispatchSemaphore(value: 0)
    private var turn: ReaderPool.Turn?
    private var isLeft = false

    /// Gives the thread its turn, and returns false if the thread has left.
    func fill(_ turn: ReaderPool.Turn) -> Bool {
        let isTaken = lock.withLock {
            self.turn = turn
            return !isLeft
        }
        semaphore.signal()
        return isTaken
    }

    /// Leaves the line, as the thread no longer waits.
    ///
    /// - Returns: the turn that the thread was given before.
    func leave() -> ReaderPool.Turn? {
        lock.withLock {
            isLeft = true
            return turn
        }
    }

    func wait() -> ReaderPool.Turn {
        semaphore.wait()
        guard let turn = lock.withLock({ turn }) else { fatalError("A place in the line was left without a turn.") }
        return turn
    }
}
