import Foundation
import SQLiteDriver

extension Database {
    /// Suspends the databases that follow ``Configuration/observesSuspensionNotifications``: ``suspend()`` as a notification.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    ///
    /// The databases are suspended when `post` returns. Notifications of the default center count, whoever posts them.
    public static let suspendNotification: Notification.Name = {
        // Whoever posts the notification asks for its name first.
        SuspensionObservers.start()
        return SuspensionObservers.suspend
    }()

    /// Lets suspended databases go on: ``resume()`` as a notification.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    public static let resumeNotification: Notification.Name = {
        SuspensionObservers.start()
        return SuspensionObservers.resume
    }()
}

/// What turns notifications into calls, for as long as the process lives.
private enum SuspensionObservers {
    static let suspend = Notification.Name("Strata.Database.suspend")
    static let resume = Notification.Name("Strata.Database.resume")

    /// Observes both notifications. More than once is no more than once.
    static func start() { _ = tokens }

    // Never removed, and never used from outside: the observers stay with the center.
    nonisolated(unsafe) private static let tokens: [any NSObjectProtocol] = [
        NotificationCenter.default.addObserver(forName: suspend, object: nil, queue: nil) { _ in Database.suspend() },
        NotificationCenter.default.addObserver(forName: resume, object: nil, queue: nil) { _ in Database.resume() },
    ]
}
