import Foundation
import SQLiteDriver

extension Database {
    /// The notification that suspends all databases with ``Configuration/observesSuspensionNotifications``. It calls ``suspend()``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
    /// ```
    ///
    /// The databases are suspended when `post` returns. Post the notification to the default center, with any sender.
    public static let suspendNotification: Notification.Name = {
        // To post the notification, the program must read its name first, so the observers start here.
        SuspensionObservers.start()
        return SuspensionObservers.suspend
    }()

    /// The notification that resumes suspended databases. It calls ``resume()``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    public static let resumeNotification: Notification.Name = {
        SuspensionObservers.start()
        return SuspensionObservers.resume
    }()
}

/// Observes the notifications and calls the driver, for as long as the process lives.
private enum SuspensionObservers {
    static let suspend = Notification.Name("Strata.Database.suspend")
    static let resume = Notification.Name("Strata.Database.resume")

    /// Starts to observe both notifications. Further calls have no effect.
    static func start() { _ = tokens }

    // The observers are never removed, and nothing else uses these tokens.
    nonisolated(unsafe) private static let tokens: [any NSObjectProtocol] = [
        NotificationCenter.default.addObserver(forName: suspend, object: nil, queue: nil) { _ in Database.suspend() },
        NotificationCenter.default.addObserver(forName: resume, object: nil, queue: nil) { _ in Database.resume() },
    ]
}
