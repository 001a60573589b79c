/// The needs of a connection's statements: which participants in their lives must not be skipped.
///
/// Each need follows the property that decides about it: the property sets the need whenever it changes.
///
/// It is used only on the thread of the access. Its properties, which each statement reads, are not checked for exclusive access: they are
/// read and written in single operations, which don't overlap.
@usableFromInline
final class StatementNeeds {
    /// Reasons for a statement to have more participants than each statement has.
    @usableFromInline
    struct Need: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt16

        @inlinable
        init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The connection follows ``Database/suspend()``.
        static var suspension: Need { Need(rawValue: 1) }
        /// Observers that must not use the connection are being notified.
        static var notification: Need { Need(rawValue: 2) }
        /// The transaction belongs to a closure that can't end it.
        static var guardedTransaction: Need { Need(rawValue: 4) }
        /// The access belongs to a task, which may be cancelled.
        static var task: Need { Need(rawValue: 8) }
        /// The transaction has failed, so its statements must not run.
        static var failedTransaction: Need { Need(rawValue: 16) }
        /// The access records what it reads.
        @inlinable static var recording: Need { Need(rawValue: 32) }
        /// An engine runs the statements.
        static var engine: Need { Need(rawValue: 64) }
        /// A PRAGMA about the write-ahead log is running.
        static var logPragma: Need { Need(rawValue: 128) }
        /// There are observers.
        @inlinable static var observation: Need { Need(rawValue: 256) }
        /// Statements are measured.
        static var monitoring: Need { Need(rawValue: 512) }
    }

    /// The current needs. If there are none, most statements skip their participants.
    @exclusivity(unchecked)
    @usableFromInline
    private(set) var current: Need = []

    /// The number of the current observation period, in which neither the observers nor what they observe change.
    @exclusivity(unchecked)
    @usableFromInline
    private(set) var observationPeriod = 1

    /// Whether no observer is interested in the changes of the running statement: see ``Statement/beginUnobserved()``.
    @exclusivity(unchecked)
    @usableFromInline
    var isRunUnobserved = false

    /// Whether a need exists.
    subscript(_ need: Need) -> Bool {
        get { current.contains(need) }
        set { if newValue { current.insert(need) } else { current.remove(need) } }
    }

    /// Whether there are needs besides ``Need/observation``.
    @inlinable
    var areBeyondObservation: Bool { !current.subtracting(.observation).isEmpty }

    /// Begins a period: observers are asked about each statement before its next run.
    func beginObservationPeriod() {
        observationPeriod &+= 1
        isRunUnobserved = false
    }
}
