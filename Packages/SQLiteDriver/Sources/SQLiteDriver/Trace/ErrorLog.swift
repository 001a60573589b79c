import CSQLiteShims

extension Database {
    /// A function that SQLite's error log calls with errors, warnings and notices.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    /// The recipient of SQLite's error log, for the whole process; nil by default.
    ///
    /// ```swift
    /// Database.logError = { resultCode, message in
    ///     print("SQLite \(resultCode): \(message)")
    /// }
    /// ```
    ///
    /// Set it when the program starts, before it opens a database: SQLite accepts a log only before its first use in the process.
    /// If it is set too late, the new function is called once, with `SQLITE_MISUSE` and the cause, and the property stays nil. If it
    /// was set in time, the function can be replaced and removed at any time.
    ///
    /// The process has one copy of the system's SQLite and one log. On Apple's platforms, frameworks of the system often use SQLite
    /// before the program does. From version 3.42 on (macOS 14, iOS 17), SQLite accepts a log after such a use; before, setting the
    /// property fails as described. Code that sets a log through the C API replaces this one, and is replaced by it. Without a log, errors
    /// are thrown as usual, and only warnings and notices are lost, such as the notice of a recovered journal.
    ///
    /// The function is called on the thread of the error, and must not use SQLite.
    ///
    /// Source: <https://www.sqlite.org/errlog.html>
    public static var logError: LogErrorFunction? {
        get { ErrorLog.shared.function }
        set { ErrorLog.shared.setFunction(newValue) }
    }
}

extension Database {
    /// Prints a warning about the program to standard error.
    package static func printWarning(_ message: String) { strata_print_warning(message) }
}

/// SQLite's error log, and the first initialization of SQLite, which must not overlap with setting the log.
final class ErrorLog: Sendable {
    static let shared = ErrorLog()

    private struct Configuration {
        var isInstalled = false
        var isInitialized = false
    }

    /// Locked while SQLite is configured or initialized: the two are not thread-safe together.
    private let configuration = Guarded(Configuration())

    /// It has a separate lock, because SQLite may log while it is being initialized.
    private let currentFunction = Guarded<Database.LogErrorFunction?>(nil)

    var function: Database.LogErrorFunction? {
        currentFunction.withLock { $0 }
    }

    func setFunction(_ function: Database.LogErrorFunction?) {
        if let function, let obstacle = install() {
            return function(.SQLITE_MISUSE, "the error log was not set: \(obstacle)")
        }
        currentFunction.withLock { $0 = function }
    }

    /// Initializes SQLite, unless that was done. Called before the driver's first call that would initialize SQLite implicitly.
    func initializeSQLite() {
        configuration.withLock { configuration in
            // An error is ignored here: the call that follows fails in the same way, and reports it.
            if !configuration.isInitialized { configuration.isInitialized = sqlite3_initialize() == SQLITE_OK }
        }
    }

    /// Makes SQLite call the current ``function``, or returns why SQLite does not accept a log.
    private func install() -> String? {
        configuration.withLock { configuration in
            if configuration.isInstalled { return nil }
            // Since 3.42, SQLite accepts a log after its initialization, but does not protect it from threads that log meanwhile. The driver
            // knows that its connections may log.
            if configuration.isInitialized { return "SQLite is in use already. Set Database.logError before opening any database." }
            // SQLite must not be shut down for it, as other code may have open databases.
            let code = strata_sqlite3_config_log(
                { _, code, message in
                    guard let message, let function = ErrorLog.shared.function else { return }
                    function(ResultCode(rawValue: code), String(cString: message))
                }, nil)
            configuration.isInstalled = code == SQLITE_OK
            if configuration.isInstalled { return nil }
            return """
                other code in this process, such as a framework of the system, has used SQLite before, and SQLite \(String(cString: sqlite3_libversion())) \
                accepts no log after that. Errors are thrown all the same.
                """
        }
    }
}
