import RowDecoding

/// The repetitions of a fetch that has failed for a reason that passes: its statement took longer than
/// ``Configuration/statementTimeLimit``, or another process kept its lock.
package struct FetchRetries {
    /// How many fetches in a row may fail.
    package static let maximumCount = 10

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)

    private var failureCount = 0

    package init() {}

    /// Returns how long to wait before the next fetch: each time twice as long.
    ///
    /// - Returns: nil if the observation must end with the error.
    package mutating func pause(after error: any Error) -> Duration? {
        guard Self.passes(error) else { return nil }
        failureCount += 1
        if failureCount >= Self.maximumCount { return nil }
        return min(Self.firstPause * (1 << (failureCount - 1)), Self.longestPause)
    }

    /// A fetch has succeeded.
    package mutating func reset() { failureCount = 0 }

    private static func passes(_ error: any Error) -> Bool {
        if let error = error as? DatabaseTimeoutError { return error.phase == .runningStatement }
        return (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
    }
}
