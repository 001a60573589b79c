import SQLiteDriver
import Testing

struct TestError: Error, Equatable {}

/// Expects an error with a result code, primary or extended, and returns the error.
@discardableResult
func expectError<Result>(
    _ code: ResultCode, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> DatabaseError? {
    let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation, performing: body)
    if let error {
        #expect(code ~= error.extendedResultCode, "\(error)", sourceLocation: sourceLocation)
    }
    return error
}

extension ExitTest.Result {
    /// What the process wrote to standard error before it ended.
    var message: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
