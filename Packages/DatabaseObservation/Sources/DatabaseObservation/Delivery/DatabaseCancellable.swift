/// An operation that can be cancelled, such as an observation.
public protocol DatabaseCancellable: AnyObject, Sendable {
    /// Cancels it. Nothing happens if it has ended already.
    func cancel()
}

/// An object that cancels an observation when it is released.
///
/// ```swift
/// let cancellable = observation.start(in: queue, scheduling: .task) { error in
///     // the observation has failed
/// } onChange: { players in
///     // fresh players
/// }
/// cancellable.cancel()
/// ```
public final class AnyDatabaseCancellable: DatabaseCancellable {
    private let action: Guarded<(@Sendable () -> Void)?>

    /// Creates an object that calls a closure when it is cancelled or released. The closure is called once.
    public init(cancel: @escaping @Sendable () -> Void) {
        action = Guarded(cancel)
    }

    /// Creates an object that cancels another cancellable.
    public convenience init(_ base: some DatabaseCancellable) {
        self.init(cancel: { base.cancel() })
    }

    deinit {
        cancel()
    }

    /// Cancels the observation: no callback begins afterwards. A callback that is running on another thread may still be running
    /// when this method returns.
    public func cancel() {
        action.withLock { $0.take() }?()
    }
}
