import CSQLiteShims

// The handler that SQLite calls while another connection has a lock that this connection needs. SQLite's own timeout would continue
// sleeping after the waiting task is cancelled, and tries too seldom where many processes write. This handler tries more often the longer it
// has waited, and checks for cancellation between the tries.

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
        if accessEndsWait() { return false }
        if waitsByMode(numberOfTries) { return true }
        // If the deadline has come meanwhile, its error replaces SQLITE_BUSY: it says how long the access waited for what.
        _ = accessEndsWait()
        return false
    }

    /// Returns whether the access must not wait any longer. The timer of its deadline may be late.
    private func accessEndsWait() -> Bool {
        guard let access else { return false }
        access.checkTime()
        return access.interruption.endsWait()
    }

    /// Waits as the busy mode says, and returns whether SQLite should try again.
    private func waitsByMode(_ numberOfTries: Int) -> Bool {
        if isSuspended || monitoring?.limit?.isReached == true { return false }
        switch configuration.busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return accessInterruption?.waitingForLock { callback(numberOfTries) } ?? callback(numberOfTries)
        case .timeout(let seconds):
            if numberOfTries == 0 { lockWaits.begin = .now }
            let waited = lockWaits.begin.duration(to: .now)
            // Any number is a timeout, also a NaN, and one that a duration can't have.
            let remaining = Duration.seconds(seconds > 0 ? min(seconds, 1e9) : 0) - waited
            guard remaining > .zero else { return false }
            let delay = min(LockWaits.delay(after: waited), remaining, monitoring?.limit?.remainingTime ?? remaining)
            let milliseconds = CInt(max((delay / .milliseconds(1)).rounded(.up), 1))
            if let accessInterruption { accessInterruption.waitForLock(milliseconds) } else { sqlite3_sleep(milliseconds) }
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
    /// When the first wait began.
    var begin = ContinuousClock.now

    /// Returns how long to wait until the next try.
    ///
    /// The first waits are short, because most locks are held for a short time. After 100 ms, the tries become more frequent again: where many
    /// processes write, the lock is free for only a few microseconds between two transactions. After ten seconds, the lock probably belongs to
    /// one long transaction.
    static func delay(after waited: Duration) -> Duration {
        switch waited {
        case ..<(.milliseconds(10)): .milliseconds(1)
        case ..<(.milliseconds(100)): .milliseconds(5)
        case ..<(.seconds(1)): .milliseconds(2)
        case ..<(.seconds(10)): .milliseconds(1)
        default: .milliseconds(10)
        }
    }
}
