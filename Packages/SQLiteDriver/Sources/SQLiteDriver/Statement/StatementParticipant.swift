// The life of a statement: it begins, and then it ends or fails. Participants take part, in the orders of the lists below.
//
// A statement without needs skips all of this: see `StatementNeeds` and `Statement.begin()`. The connection's own queries skip most of it:
// see `InternalQuery`.

/// A participant in the lives of a connection's statements. It has no state of its own.
protocol StatementParticipant: Sendable {
    /// The needs with which it takes part; empty if it takes part in the life of each statement.
    var need: StatementNeeds.Need { get }

    /// Prepares the run of a statement.
    ///
    /// - Throws: an error if the statement must not run. The participants that have prepared the run, this one included, are then notified
    ///   of a failure.
    func statementWillBegin(_ statement: Statement, in db: Database) throws

    /// Follows a statement that has succeeded.
    func statementDidEnd(_ end: inout StatementEnd, in db: Database)

    /// Follows a statement that has failed, or that could not begin because this participant or a later one has refused it. SQLite may
    /// have rolled back the transaction.
    func statementDidFail(_ failure: inout StatementFailure, in db: Database)
}

extension StatementParticipant {
    var need: StatementNeeds.Need { StatementNeeds.Need(rawValue: 0) }
    func statementWillBegin(_ statement: Statement, in db: Database) throws {}
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {}
    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {}

    fileprivate func takesPart(_ needs: StatementNeeds.Need) -> Bool { need.isSubset(of: needs) }
}

/// A statement that has succeeded, with the findings of its participants.
struct StatementEnd {
    let statement: Statement
    /// Whether the transaction of the statement began where writing is forbidden.
    var isReading = false
    /// Whether the statement has ended the transaction that was open before.
    var endsTransaction = false
}

/// A statement that has failed, with the findings of its participants.
struct StatementFailure {
    let statement: Statement
    /// The error to throw: the statement's error, or the error of the observer that has refused the commit.
    var error: any Error
    /// Whether SQLite has rolled back the transaction of the statement.
    var hasRolledBack = false
    /// Whether an observer has refused the commit.
    var isRefused = false
}

/// The orders in which participants take part.
enum StatementParticipants {
    /// The participants in the beginning of a statement. The first ones only check whether it may run.
    static let begin: [any StatementParticipant] = [
        // It releases locks, so nothing may have happened for the statement before.
        SuspensionCheck(),
        // An observer that misuses the connection gets this error, whatever its statement is.
        ObserverCheck(),
        // A COMMIT that must not run is an error, even in a transaction that has failed.
        GuardCheck(),
        CancellationCheck(),
        ShutdownCheck(),
        FailedTransactionCheck(),
        WritingCheck(),
        // A commit is protected from cancellation once nothing else of this connection can refuse it.
        ProtectedEnd(),
        AccessRecording(),
        // It notes the state before the changes.
        ObservedChanges(),
        // Only statements that run are measured.
        StatementMeasures(),
        // The engine prepares its own run.
        EngineRun(),
        // It holds a lock, for as short a time as possible.
        LogPragmaRun(),
    ]

    /// The needs of these participants. Each statement of a task compares them all: that takes less time than to ask the participants.
    static let needsOfBegin = begin.map(\.need)

    /// The checks that also concern the connection's own queries: see `InternalQuery`.
    static let checksOfInternalQueries: [any StatementParticipant] = [SuspensionCheck(), ObserverCheck()]

    /// The participants in the end of a statement.
    static let end: [any StatementParticipant] = [
        EngineRun(),
        LogPragmaRun(),
        // The next participants check whether a transaction is open.
        FollowedTransaction(),
        // They take the changes of earlier statements before the observers are notified.
        FollowedSavepoints(),
        // The next participants read the new schema.
        FollowedSchema(),
        AccessRecording(),
        // Observers of the commit find it counted.
        CountedCommit(),
        // Observers may use the connection.
        ObservedChanges(),
        // It makes later statements of the closure throw. The observers' statements have run.
        EarlyEnd(),
        ProtectedEnd(),
        // Monitors learn of the statement when its end is complete.
        StatementMeasures(),
    ]

    /// The needs of these participants.
    static let needsOfEnd = end.map(\.need)

    /// The participants in the failure of a statement.
    static let failure: [any StatementParticipant] = [
        // The engine replaces the error, which the others then see.
        EngineRun(),
        FollowedSchema(),
        LogPragmaRun(),
        FollowedTransaction(),
        // It reports the changes that the failed statement keeps, and then the end of the transaction.
        ObservedChanges(),
        EarlyEnd(),
        ProtectedEnd(),
        // It replaces the error of a statement that took too long, which the others must see.
        LimitedStatement(),
        StatementMeasures(),
    ]
}

extension Database {
    /// Prepares the run of a statement, or throws if it must not run.
    func statementWillBegin(_ statement: Statement) throws {
        for (index, need) in StatementParticipants.needsOfBegin.enumerated() where need.isSubset(of: needs.current) {
            do {
                try StatementParticipants.begin[index].statementWillBegin(statement, in: self)
            } catch {
                throw thrownError(statementDidNotBegin(statement, preparedBy: StatementParticipants.begin[...index], with: error))
            }
        }
    }

    /// Throws if one of some participants refuses a statement. The statement skips the other participants.
    func check(_ statement: Statement, by participants: [any StatementParticipant]) throws {
        for participant in participants where participant.takesPart(needs.current) {
            try participant.statementWillBegin(statement, in: self)
        }
    }

    /// Follows a statement that has succeeded.
    func statementDidEnd(_ statement: Statement) {
        var end = StatementEnd(statement: statement)
        for (index, need) in StatementParticipants.needsOfEnd.enumerated() where need.isSubset(of: needs.current) {
            StatementParticipants.end[index].statementDidEnd(&end, in: self)
        }
    }

    /// Follows a statement that has failed.
    ///
    /// - Returns: the error to throw.
    func statementDidFail(_ statement: Statement, with error: any Error) -> any Error {
        thrownError(follow(StatementFailure(statement: statement, error: error), by: StatementParticipants.failure))
    }

    /// Follows a statement that a participant has refused. The participants that have prepared its run are notified of a failure, together
    /// with those that only follow failures. If a check has refused the statement before anything was prepared, nothing happens.
    ///
    /// - Returns: the error to throw.
    private func statementDidNotBegin(
        _ statement: Statement, preparedBy participants: ArraySlice<any StatementParticipant>, with error: any Error
    ) -> any Error {
        func ids(_ participants: some Sequence<any StatementParticipant>) -> Set<ObjectIdentifier> {
            Set(participants.map { ObjectIdentifier(type(of: $0)) })
        }
        let failure = StatementParticipants.failure
        let prepared = ids(participants.filter { $0.takesPart(needs.current) })
        if prepared.isDisjoint(with: ids(failure)) { return error }
        let unprepared = ids(StatementParticipants.begin).subtracting(prepared)
        return follow(
            StatementFailure(statement: statement, error: error),
            by: failure.filter { !unprepared.contains(ObjectIdentifier(type(of: $0))) })
    }

    private func follow(_ failure: StatementFailure, by participants: [any StatementParticipant]) -> any Error {
        var failure = failure
        for participant in participants where participant.takesPart(needs.current) {
            participant.statementDidFail(&failure, in: self)
        }
        return failure.error
    }
}
