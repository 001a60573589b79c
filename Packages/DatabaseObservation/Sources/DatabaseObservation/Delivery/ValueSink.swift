/// The receiver of an observation's values.
struct ValueSink<Value: Sendable>: Sendable {
    /// Schedules a call of one of the other closures.
    let schedule: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void

    let onError: @Sendable (any Error) -> Void

    /// Receives a value, which contains all commits up to a number. Calls `next` when it can receive another value, immediately or later.
    let onChange: @Sendable (_ value: Value, _ commit: Int, _ next: @escaping @Sendable () -> Void) -> Void

    /// Called when a fetch has found no new value: the last value contains all commits up to a number.
    var onRepetition: @Sendable (_ commit: Int) -> Void = { _ in }
}

/// An observation that was started, as its receiver sees it.
struct StartedObservation: Sendable {
    let cancellable: AnyDatabaseCancellable

    /// Returns whether no commit has changed the observed region since a value.
    ///
    /// - Parameter commit: the number of the last commit that the value contains.
    let isCurrent: @Sendable (_ commit: Int) -> Bool

    /// Requires a value, or a repetition, that contains all commits up to a number.
    ///
    /// - Parameters:
    ///   - commit: the number.
    ///   - isReady: whether the receiver can take another value now. It then does not call `next` for the last value.
    ///   - isImmediate: whether to deliver the value before this closure returns, unless it is being fetched already.
    let require: @Sendable (_ commit: Int, _ isReady: Bool, _ isImmediate: Bool) -> Void
}
