import Foundation
import Testing
import ValueConversion

@Suite struct SuspensionNotificationTests {
    @Test
    func `Notifications suspend and resume the databases that observe them`() throws {
        var configuration = Configuration()
        configuration.observesSuspensionNotifications = true
        let observing = try DatabaseQueue(configuration: configuration)
        let other = try DatabaseQueue()
        for queue in [observing, other] {
            try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        }

        NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        defer { NotificationCenter.default.post(name: Database.resumeNotification, object: nil) }
        let error = #expect(throws: DatabaseError.self) {
            try observing.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(error?.resultCode == .SQLITE_ABORT)
        try other.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }

        NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        try observing.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
}
