import RowDecoding

/// The callbacks of ``ValueObservation/handleEvents(willStart:willFetch:willTrackRegion:databaseDidChange:didReceiveValue:didFail:didCancel:)``.
struct ObservationEvents: Sendable {
    private var handlers: [Handlers] = []

    struct Handlers: Sendable {
        var willStart: (@Sendable () -> Void)?
        var willFetch: (@Sendable () -> Void)?
        var willTrackRegion: (@Sendable (DatabaseRegion) -> Void)?
        var databaseDidChange: (@Sendable () -> Void)?
        var didFail: (@Sendable (any Error) -> Void)?
        var didCancel: (@Sendable () -> Void)?
    }

    mutating func add(_ handlers: Handlers) { self.handlers.append(handlers) }

    func willStart() { handlers.forEach { $0.willStart?() } }
    func willFetch() { handlers.forEach { $0.willFetch?() } }
    func willTrackRegion(_ region: DatabaseRegion) { handlers.forEach { $0.willTrackRegion?(region) } }
    func databaseDidChange() { handlers.forEach { $0.databaseDidChange?() } }
    func didFail(_ error: any Error) { handlers.forEach { $0.didFail?(error) } }
    func didCancel() { handlers.forEach { $0.didCancel?() } }
}
