/// The time until which an access must have ended.
///
/// It belongs to one access. The accesses to other databases that the access's thread begins inside it must end by then, too.
///
/// A class, because requests that have none are copied several times for each access.
package final class AccessDeadline: Sendable {
    /// The limit as the program has given it.
    let timeout: Duration
    package let instant: ContinuousClock.Instant

    private init(_ timeout: Duration, _ instant: ContinuousClock.Instant) {
        self.timeout = timeout
        self.instant = instant
    }

    package convenience init(_ timeout: Duration) { self.init(timeout, .now.advanced(by: timeout)) }

    /// The time that is left; negative or zero afterwards.
    package var remaining: Duration { ContinuousClock.now.duration(to: instant) }

    /// Returns the error of an access that waited for its database to be opened until the deadline.
    ///
    /// - Parameter start: when the wait began.
    package func errorAfterWait(since start: ContinuousClock.Instant) -> any Error {
        DatabaseTimeoutError(
            timeout: timeout, phase: .waitingForConnection, connectionWait: start.duration(to: .now), lockWait: .zero, runningTime: .zero,
            sql: nil, hasCommitted: false)
    }

    /// Returns the deadline after a time that does not count.
    func postponed(by duration: Duration) -> AccessDeadline { AccessDeadline(timeout, instant.advanced(by: duration)) }

    package static func earliest(_ first: AccessDeadline?, _ second: AccessDeadline?) -> AccessDeadline? {
        guard let first, let second else { return first ?? second }
        return second.instant < first.instant ? second : first
    }

    /// The deadline of the innermost access of this thread that has one.
    package static var ofThread: AccessDeadline? {
        Database.accessedByThread.lazy.compactMap { $0.accessInterruption?.deadline }.first
    }
}
