import CSQLiteShims

extension Database {
    /// Makes the statements that are running on the connection fail with `SQLITE_INTERRUPT`. Safe from any thread.
    ///
    /// Source: <https://www.sqlite.org/c3ref/interrupt.html>
    func interrupt() {
        handleLock.withLock {
            if let handle = sqliteConnection { sqlite3_interrupt(handle) }
        }
    }

    /// Lets the access be cancelled: SQLite asks every thousand instructions of its virtual machine, and statements ask before
    /// they begin.
    func installCancellation(_ cancellation: AccessCancellation) {
        self.cancellation = cancellation
        updateNeedsAttention()
        guard let handle = sqliteConnection else { return }
        sqlite3_progress_handler(
            handle, 1000,
            { context in
                guard let context else { return 0 }
                return Unmanaged<AccessCancellation>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
            }, Unmanaged.passUnretained(cancellation).toOpaque())
    }

    func removeCancellation() {
        guard cancellation != nil else { return }
        if let handle = sqliteConnection { sqlite3_progress_handler(handle, 0, nil, nil) }
        cancellation = nil
        updateNeedsAttention()
    }

    /// Whether statements must ask before they begin: see `statementWillBegin(_:)`.
    func updateNeedsAttention() {
        state.pointee.needsAttention =
            transactionFailure != nil || cancellation != nil || observation.isActive || recordedRegion != nil
            || configuration.observesSuspensionNotifications
    }
}
