import SQLiteDriver

/// The time limit of the access that this thread runs, which its requests share.
enum AccessTime {
    /// The deadline of the access, if it has a limit.
    static var deadline: Deadline? { AccessDeadline.ofThread.map { Deadline($0.instant) } }

    /// Whether the time is over.
    static var hasPassed: Bool { deadline?.hasPassed ?? false }

    /// Returns the earlier of a time and the deadline of the access.
    static func limited(_ deadline: Deadline) -> Deadline {
        self.deadline.map { $0.earlier(of: deadline) } ?? deadline
    }
}
