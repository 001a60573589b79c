/// A time at which an operation gives up.
struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now.advanced(by: duration)
    }

    init(_ instant: ContinuousClock.Instant) {
        self.instant = instant
    }

    var hasPassed: Bool { ContinuousClock.now >= instant }

    /// The remaining milliseconds, rounded up; 0 after the deadline.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: instant).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }

    func earlier(of other: Deadline) -> Deadline {
        Deadline(min(instant, other.instant))
    }
}
