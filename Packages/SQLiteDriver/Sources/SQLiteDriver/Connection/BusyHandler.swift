import CSQLiteShims

// What a connection does while another one holds a lock that it needs. SQLite's own timeout would sleep on when the task that
// waits is cancelled; this handler waits in the same steps, and looks up.

extension Database {
    func setUpBusyHandler(_ connection: SQLiteConnection) {
        if case .immediateError = configuration.busyMode { return }
        // The connection outlives its handle, and so its callbacks.
        sqlite3_busy_handler(
            connection,
            { context, numberOfTries in
                guard let context else { return 0 }
                let database = Unmanaged<Database>.fromOpaque(context).takeUnretainedValue()
                return database.waitsForLock(numberOfTries: Int(numberOfTries)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Whether to try again; waits before it says so.
    func waitsForLock(numberOfTries: Int) -> Bool {
        if let taskAccess, taskAccess.isInterrupting {
            taskAccess.didEndWait()
            return false
        }
        if isSuspended { return false }
        switch configuration.busyMode {
        case .immediateError:
            return false
        case .callback(let callback):
            return callback(numberOfTries)
        case .timeout(let seconds):
            // Short waits first, as most locks are held for a short time.
            let delays = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
            func delay(_ index: Int) -> Int { delays[min(index, delays.count - 1)] }
            let waited =
                numberOfTries < delays.count
                ? delays.prefix(numberOfTries).reduce(0, +)
                : delays.reduce(0, +) + (numberOfTries - delays.count) * delay(numberOfTries)
            let timeout = Int64(truncating: seconds * 1000) ?? (seconds > 0 ? Int64.max : 0)
            let remaining = timeout - Int64(waited)
            guard remaining > 0 else { return false }
            sqlite3_sleep(CInt(clamping: min(remaining, Int64(delay(numberOfTries)))))
            return true
        }
    }
}
