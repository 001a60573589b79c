import CSQLiteShims

extension Database {
    /// Is told of an error, or of something else that is worth a note, by SQLite's error log.
    public typealias LogErrorFunction = @Sendable (_ resultCode: ResultCode, _ message: String) -> Void

    /// Where SQLite logs errors and warnings, for the whole process; nil, as by default, for nowhere.
    ///
    /// ```swift
    /// Database.logError = { resultCode, message in
    ///     print("SQLite \(resultCode): \(message)")
    /// }
    /// ```
    ///
    /// Set it when the program starts, before it opens a database: SQLite takes a log only before its first use in the
    /// process, by anyone. When it is too late, the function that is set is called once, with `SQLITE_MISUSE`, and the
    /// property stays nil. Once a function was set in time, it can be replaced and removed at any time.
    ///
    /// The function is called on the thread of the error, and must not use SQLite.
    ///
    /// Source: <https://www.sqlite.org/errlog.html>
    public static var logError: LogErrorFunction? {
        get { ErrorLog.shared.function }
        set { ErrorLog.shared.setFunction(newValue) }
    }
}

/// SQLite's error log, and its first initialization, which must not happen at the same time.
///
/// `@unchecked Sendable`: the locks guard what changes.
final class ErrorLog: @unchecked Sendable {
    static let shared = ErrorLog()

    /// Held while SQLite is configured or initialized: those two are not thread safe together.
    private let configurationLock = Lock()
    private var isInstalled = false
    private var isInitialized = false

    /// A lock of its own: SQLite may log while it is being initialized.
    private let functionLock = Lock()
    private var currentFunction: Database.LogErrorFunction?

    var function: Database.LogErrorFunction? {
        functionLock.withLock { currentFunction }
    }

    func setFunction(_ function: Database.LogErrorFunction?) {
        if let function, !install() {
            return function(
                .SQLITE_MISUSE,
                "the error log was not set: SQLite is in use already. Set Database.logError before opening any database.")
        }
        functionLock.withLock { currentFunction = function }
    }

    /// Initializes SQLite, unless that was done. Called before the driver's first call that would do it by itself.
    func initializeSQLite() {
        configurationLock.withLock {
            // Whatever goes wrong goes wrong again in the call that follows, which has an error to return.
            if !isInitialized { isInitialized = sqlite3_initialize() == SQLITE_OK }
        }
    }

    /// Makes SQLite call ``function``, whatever it will be.
    private func install() -> Bool {
        configurationLock.withLock {
            if isInstalled { return true }
            let code = strata_sqlite3_config_log(
                { _, code, message in
                    guard let message, let function = ErrorLog.shared.function else { return }
                    function(ResultCode(rawValue: code), String(cString: message))
                }, nil)
            isInstalled = code == SQLITE_OK
            return isInstalled
        }
    }
}
