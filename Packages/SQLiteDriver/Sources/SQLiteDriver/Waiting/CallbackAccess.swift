/// The limit of an access that takes a callback, while the access is being scheduled.
///
/// Callbacks run after the access that schedules them, so the deadline of that access does not apply to them.
struct LimitedCallback: Sendable {
    @TaskLocal static var current: LimitedCallback?

    let deadline: AccessDeadline
    /// Called with the error of an access that does not begin.
    let onFailure: @Sendable (any Error) -> Void

    /// Schedules a callback.
    static func schedule(
        within timeout: Duration, onFailure: @escaping @Sendable (any Error) -> Void, _ body: () -> Void
    ) {
        $current.withValue(LimitedCallback(deadline: AccessDeadline(timeout), onFailure: onFailure), operation: body)
    }

    /// The deadline of a callback that is scheduled now: the current one, or the one of the configuration's limit, if it is earlier.
    static func deadline(limitedTo timeout: Duration?) -> AccessDeadline? {
        let own = timeout.map { AccessDeadline($0) }
        guard let current = current?.deadline else { return own }
        return own.map { $0.instant < current.instant ? $0 : current } ?? current
    }
}

/// An access that takes a callback.
struct CallbackAccess: Sendable {
    /// Runs the callback, inside the access.
    let run: @Sendable (Database) -> Void
    /// Calls back with the error of an access that does not begin; nil for a callback that takes no error.
    let fail: (@Sendable (any Error) -> Void)?
    let deadline: AccessDeadline?

    /// Adds an access to a line, which it leaves when the callback has run.
    ///
    /// - Parameters:
    ///   - line: the line; nil for an access whose connection is lent, which waits elsewhere.
    ///   - onFailure: called if the access does not begin; nil for a callback that takes no error.
    /// - Returns: nil if the access is refused. Then `onFailure` was called.
    init?(
        _ request: AccessRequest, in line: AccessLine?, onFailure: (@Sendable (any Error) -> Void)?,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        let onFailure = LimitedCallback.current?.onFailure ?? onFailure
        do {
            if onFailure == nil { line?.enterAnyway() } else { try line?.enter(isNested: AccessWaits.isInsideAccess) }
        } catch {
            request.didFail(error)
            onFailure?(error)
            return nil
        }
        deadline = LimitedCallback.deadline(limitedTo: request.timeout)
        run = { db in
            request.runCallback(body, db)
            line?.leave()
        }
        guard let onFailure else {
            fail = nil
            return
        }
        fail = { error in
            line?.leave()
            request.didFail(error)
            onFailure(error)
        }
    }
}
