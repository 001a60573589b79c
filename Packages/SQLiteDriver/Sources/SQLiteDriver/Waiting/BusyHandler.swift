import CSQLiteShims

// The handler that SQLite calls while another connection has a lock that this connection needs. SQLite's own timeout would continue
// sleeping after the waiting task is cancelled. This handler sleeps in the same steps, and checks for cancellation between them.

extension Database {
    /// Installs the handler that waits as the configuration says.
    ///
    /// - Parameter isProtecting: whether to install it even if it never waits, because it protects a checkpoint.
    func setUpBusyHandler(_ connection: SQLiteConnection, isProtecting: Bool = false) {
        if case .immediateError = configuration.busyMode, !isProtecting {
            sqlite3_busy_handler(connection, nil, nil)
            return
        }
        // The connection closes its handle before it is deallocated, so it outlives the callbacks.
        sqlite3_busy_handler(
            connection,
            { context, numberOfTries in
                guard let context else { return 0 }
                let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                return database.handlesBusyLock(numberOfTries: Int(numberOfTries)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Retries a closure that fails with `SQLITE_BUSY` because of a lock for which SQLite does not call the busy handler, as long as the
    /// busy mode waits.
    ///
    /// Two locks are of this kind: the lock of another connection's checkpoint, and the lock of another connection's transaction while the
    /// journal mode changes to WAL. Waits of the closure for other locks count as well: together, the waits last as long as one wait.
    func retryingWhenBusy<T>(_ body: () throws -> T) throws -> T {
        lockWaits = LockWaits()
        defer { lockWaits = LockWaits() }
        while true {
            do {
                return try body()
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                lockWaits.earlier += lockWaits.current
                lockWaits.current = 0
                guard !lockWaits.hasGivenUp, waitsForLock(numberOfTries: lockWaits.earlier) else { throw error }
                lockWaits.earlier += 1
            }
        }
    }

    /// Waits inside SQLite's busy handler, and returns whether SQLite should try again.
    private func handlesBusyLock(numberOfTries: Int) -> Bool {
        let waits = waitsForLock(numberOfTries: lockWaits.earlier + numberOfTries)
        if waits { lockWaits.current = numberOfTries + 1 } else { lockWaits.hasGivenUp = true }
        return waits || !logProtection.beginAfterWaiting()
    }

    /// Waits, and returns whether SQLite should try again.
    package func waitsForLock(numberOfTries: Int) -> Bool {
        if let taskAccess, taskAccess.endsWait() { return false }
        if isSuspended || monitoring?.hasReachedLimit == true { return false }
        switch configuration.busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return callback(numberOfTries)
        case .timeout(let seconds):
            // The first waits are short, because most locks are held for a short time.
            let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
            func delay(_ index: Int) -> Int { delays[min(index, delays.count - 1)] }
            let waited =
                numberOfTries < delays.count
                ? delays.prefix(numberOfTries).reduce(0, +)
                : delays.reduce(0, +) + (numberOfTries - delays.count) * delay(numberOfTries)
            let timeout = Int64(truncatingIfInRange: seconds * 1000) ?? (seconds > 0 ? Int64.max : 0)
            let remaining = timeout - Int64(waited)
            guard remaining > 0 else { return false }
            let limit = monitoring?.remainingTime.map { Int64(($0 / .milliseconds(1)).rounded(.up)) } ?? remaining
            let milliseconds = CInt(clamping: min(remaining, limit, Int64(delay(numberOfTries))))
            if let taskAccess { taskAccess.waitForLock(milliseconds) } else { sqlite3_sleep(milliseconds) }
            return true
        }
    }
}

/// The waits for locks during one operation.
struct LockWaits {
    /// The number of waits before the current call of SQLite, which counts its own from 0.
    var earlier = 0
    /// The number of waits in the current call of SQLite.
    var current = 0
    /// Whether the busy mode has ended the wait.
    var hasGivenUp = false
}
