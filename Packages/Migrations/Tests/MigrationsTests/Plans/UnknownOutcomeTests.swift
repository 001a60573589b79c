import Foundation
import Migrations
import Testing

/// A commit whose outcome is not known, as of a cluster that has lost its leader meanwhile.
struct UnknownOutcomeTests {
    private struct UnknownOutcome: ErrorWithOutcome {
        let isOutcomeUnknown: Bool
    }

    /// Makes commits fail, and calls a closure after the rollback.
    private final class Refusal: TransactionObserver {
        let error: any Error
        let afterRollback: () throws -> Void

        init(_ error: any Error, afterRollback: @escaping () throws -> Void = {}) {
            self.error = error
            self.afterRollback = afterRollback
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseWillCommit() throws { throw error }
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) { try? afterRollback() }
    }

    private let folder: TemporaryFolder
    private let queue: DatabaseQueue
    private let other: DatabaseQueue

    init() throws {
        folder = try TemporaryFolder()
        queue = try DatabaseQueue(path: folder.path("a.sqlite"))
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        other = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
    }

    @Test
    func `A migration that was applied has not failed`() throws {
        // What the commit has done although it failed, another connection does.
        let refusal = Refusal(UnknownOutcome(isOutcomeUnknown: true)) { [other] in try DatabaseMigrator.players.migrate(other) }
        queue.add(transactionObserver: refusal, extent: .databaseLifetime)
        try DatabaseMigrator.players.migrate(queue)
        #expect(try queue.texts("SELECT name FROM player") == ["Arthur", "Barbara"])
    }

    @Test(arguments: [true, false])
    func `A migration that was not applied has been rolled back`(isUnknown: Bool) throws {
        let refusal = Refusal(UnknownOutcome(isOutcomeUnknown: isUnknown))
        queue.add(transactionObserver: refusal, extent: .databaseLifetime)
        let error = #expect(throws: MigrationError.self) { try DatabaseMigrator.players.migrate(queue) }
        let outcome = isUnknown ? "was rolled back, as the database shows, after this error" : "was rolled back"
        #expect(error?.description.contains("failed, and \(outcome): ") == true)
        #expect(error?.underlyingError is UnknownOutcome)
        queue.remove(transactionObserver: refusal)
        try DatabaseMigrator.players.migrate(queue)
    }

    @Test
    func `If the table of migrations can't be read, the error says that the migration may have been applied`() throws {
        let isLocked = Locked(false)
        let refusal = Refusal(UnknownOutcome(isOutcomeUnknown: true)) { [other] in
            // Until the end of the test, nobody else can begin a transaction.
            if !isLocked.value { try other.writeWithoutTransaction { try $0.beginTransaction(.immediate) } }
            isLocked.value = true
        }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let impatient = try DatabaseQueue(path: folder.path("a.sqlite"), configuration: configuration)
        impatient.add(transactionObserver: refusal, extent: .databaseLifetime)
        let error = #expect(throws: MigrationError.self) { try DatabaseMigrator.players.migrate(impatient) }
        #expect(error?.description.contains("\"createPlayer\" failed, and may or may not have been applied") == true)
        #expect(isLocked.value)
        try other.writeWithoutTransaction { try $0.rollback() }
    }
}
