import CSQLiteShims

/// Carries the cancellation of a task to the database access that the task waits for.
///
/// `@unchecked Sendable`: the lock guards the state, and the flag is atomic.
final class AccessCancellation: @unchecked Sendable {
    private enum State {
        case created
        /// The access is in its queue.
        case waiting(onCancel: () -> Void)
        /// The access is under way.
        case running
        case cancelled
        case ended
    }

    private let lock = Lock()
    private var state = State.created

    /// Not 0 once the task is cancelled: read by statements before they begin, and by SQLite while they run.
    private let flag: UnsafeMutablePointer<UInt>

    init() {
        flag = .allocate(capacity: 1)
        flag.initialize(to: 0)
    }

    deinit {
        flag.deallocate()
    }

    var isCancelled: Bool { strata_atomic_load(flag) != 0 }

    /// The access enters its queue.
    ///
    /// - Parameter onCancel: called when the task is cancelled before the access begins, which then never does.
    /// - Returns: false when the task is cancelled already.
    func wait(onCancel: @escaping () -> Void) -> Bool {
        lock.withLock {
            guard case .created = state else { return false }
            state = .waiting(onCancel: onCancel)
            return true
        }
    }

    /// The access begins.
    ///
    /// - Returns: false when the task is cancelled already: the access must not run.
    func begin() -> Bool {
        lock.withLock {
            guard case .waiting = state else { return false }
            state = .running
            return true
        }
    }

    /// The access has ended.
    ///
    /// - Returns: the result, with `CancellationError` in place of the error that the cancellation has caused.
    func end<T>(_ result: Result<T, any Error>) -> Result<T, any Error> {
        lock.withLock { state = .ended }
        guard isCancelled, case .failure(let error) = result else { return result }
        guard let error = error as? DatabaseError else { return result }
        switch error.resultCode {
        // Waiting for a lock ends with the task, too.
        case .SQLITE_INTERRUPT, .SQLITE_BUSY, .SQLITE_LOCKED: return .failure(CancellationError())
        default: return result
        }
    }

    /// The task is cancelled.
    func cancel() {
        let onCancel: (() -> Void)? = lock.withLock {
            switch state {
            case .created:
                state = .cancelled
            case .waiting(let onCancel):
                state = .cancelled
                return onCancel
            case .running:
                strata_atomic_store(flag, 1)
            case .cancelled, .ended:
                break
            }
            return nil
        }
        onCancel?()
    }
}
