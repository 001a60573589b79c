/// The time until which an access must have ended.
///
/// It belongs to one access. The accesses to other databases that the access's thread begins inside it must end by then, too.
struct AccessDeadline: Sendable {
    /// The limit as the program has given it.
    let timeout: Duration
    private(set) var instant: ContinuousClock.Instant

    init(_ timeout: Duration) {
        self.timeout = timeout
        instant = .now.advanced(by: timeout)
    }

    /// The time that is left; negative or zero afterwards.
    var remaining: Duration { ContinuousClock.now.duration(to: instant) }

    /// Postpones the deadline by a time that does not count.
    mutating func postpone(by duration: Duration) { instant += duration }

    static func earliest(_ first: AccessDeadline?, _ second: AccessDeadline?) -> AccessDeadline? {
        guard let first, let second else { return first ?? second }
        return second.instant < first.instant ? second : first
    }

    /// The deadline of the innermost access of this thread that has one.
    static var ofThread: AccessDeadline? {
        Database.accessedByThread.lazy.compactMap { $0.accessInterruption?.deadline }.first
    }
}
