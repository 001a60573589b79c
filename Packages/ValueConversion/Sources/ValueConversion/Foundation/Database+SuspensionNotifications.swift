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
    public static let suspendNotification: Notification.Name = observedNotifications.suspend

    /// The notification that resumes suspended databases. It calls ``resume()``.
    ///
    /// ```swift
    /// NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
    /// ```
    public static let resumeNotification: Notification.Name = observedNotifications.resume

    /// The names of both notifications, which are observed for as long as the process lives, from the time that the program reads one.
    private static let observedNotifications = {
        let (suspend, resume) = (Notification.Name("Strata.Database.suspend"), Notification.Name("Strata.Database.resume"))
        // The center retains the observers.
        _ = NotificationCenter.default.addObserver(forName: suspend, object: nil, queue: nil) { _ in Database.suspend() }
        _ = NotificationCenter.default.addObserver(forName: resume, object: nil, queue: nil) { _ in Database.resume() }
        return (suspend: suspend, resume: resume)
    }()
}
