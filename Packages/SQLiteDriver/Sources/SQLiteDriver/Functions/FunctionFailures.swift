extension ResultCode {
    /// The code with which a function of SQLite fails, and its message.
    static func failure(with error: any Error) -> (code: ResultCode, message: String) {
        guard let error = error as? DatabaseError else { return (.SQLITE_ERROR, "\(error)") }
        let message = error.message ?? error.extendedResultCode.errorString
        // SQLite does not treat these codes, or negative ones, as errors.
        let isError = ![.SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE].contains(error.resultCode) && error.extendedResultCode.rawValue > 0
        return (isError ? error.extendedResultCode : .SQLITE_ERROR, message)
    }
}

extension Database {
    /// Makes an error the reason why the current statement fails. It is for code that SQLite calls, and that can only return a result code:
    /// the tokenizers of full-text tables, or the modules of virtual tables.
    ///
    /// The code must be returned to SQLite. When SQLite then fails the statement with this code, the statement's error has the message of
    /// `error`, and `error` as its ``DatabaseError/underlyingError``.
    ///
    /// - Returns: the extended code of a ``DatabaseError``, or `SQLITE_ERROR` for other errors.
    package func resultCode(failingWith error: any Error) -> CInt {
        let (code, message) = ResultCode.failure(with: error)
        functionFailure = (error, code.rawValue, message, carriesMessage: false)
        return code.rawValue
    }
}
