import Dispatch

/// The place of a thread in the line for a connection.
final class ReaderSlot: Sendable {
    private struct State {
        var turn: ReaderPool.Turn?
        var isLeft = false
    }

    private let state = Guarded(State())
    private let semaphore = DispatchSemaphore(value: 0)

    /// Gives the thread its turn, and returns false if the thread has left.
    func fill(_ turn: ReaderPool.Turn) -> Bool {
        let isTaken = state.withLock { state in
            state.turn = turn
            return !state.isLeft
        }
        semaphore.signal()
        return isTaken
    }

    /// Leaves the line, because the thread no longer waits.
    ///
    /// - Returns: the turn that the thread was given before.
    func leave() -> ReaderPool.Turn? {
        state.withLock { state in
            state.isLeft = true
            return state.turn
        }
    }

    func wait() -> ReaderPool.Turn {
        semaphore.wait()
        guard let turn = state.withLock({ $0.turn }) else { fatalError("A waiter of the pool was woken without a turn.") }
        return turn
    }
}
