/// The receiver of an observation's values.
struct ValueSink<Value: Sendable>: Sendable {
    /// Schedules a call of one of the other closures.
    let schedule: @Sendable (_ action: @escaping @Sendable () -> Void) -> Void

    let onError: @Sendable (any Error) -> Void

    /// Receives a value. Calls `next` when it can receive another one, at once or later.
    let onChange: @Sendable (_ value: Value, _ next: @escaping @Sendable () -> Void) -> Void
}
