// The life of a statement: it begins, and then it ends or fails. Participants take part, in the orders of the lists below.
//
// A statement without needs skips all of this: see `StatementNeeds` and `Statement.begin()`. The connection's own queries skip most of it:
// see `InternalQuery`.

/// A participant in the lives of a connection's statements. It has no state of its own.
protocol StatementParticipant: Sendable {
    /// When it takes part; empty for a participant in each life.
    var need: StatementNeeds.Need { get }

    /// Prepares the run of a statement.
    ///
    /// - Throws: an error if the statement must not run. Participants that have prepared the run then learn of a failure, this one included.
    func statementWillBegin(_ statement: Statement, in db: Database) throws

    /// Follows a statement that has succeeded.
    func statementDidEnd(_ end: inout StatementEnd, in db: Database)

    /// Follows a statement that has failed, which may have made SQLite roll back the transaction; or that could not begin, because this
    /// participant or a later one has refused it.
    func statementDidFail(_ failure: inout StatementFailure, in db: Database)
}

extension StatementParticipant {
    var need: StatementNeeds.Need { [] }
    func statementWillBegin(_ statement: Statement, in db: Database) throws {}
    func statementDidEnd(_ end: inout StatementEnd, in db: Database) {}
    func statementDidFail(_ failure: inout StatementFailure, in db: Database) {}

    fileprivate func takesPart(_ needs: StatementNeeds.Need) -> Bool { need.isSubset(of: needs) }
}

/// A statement that has succeeded, and what its participants have found out.
struct StatementEnd {
    let statement: Statement
    /// Whether the transaction of the statement began where writing is forbidden.
    var isReading = false
    /// Whether the statement has ended the transaction that was open before.
    var endsTransaction = false
}

/// A statement that has failed, and what its participants have found out.
struct StatementFailure {
    let statement: Statement
    /// The error to throw: the statement's error, or that of an observer that has refused the commit.
    var error: any Error
    /// Whether SQLite has rolled back the transaction of the statement.
    var hasRolledBack = false
    /// Whether an observer has refused the commit.
    var isRefused = false
}

/// The orders in which participants take part.
enum StatementParticipants {
    /// The participants in the begin of a statement. The first ones only check whether it may run.
    static let begin: [any StatementParticipant] = [
        // It releases locks, so nothing may have happened for the statement before.
        SuspensionCheck(),
        // An observer that misuses the connection gets this error, and not that of its statement.
        ObserverCheck(),
        // A COMMIT that must not run is an error, even in a transaction that has failed.
        GuardCheck(),
        CancellationCheck(),
        FailedTransactionCheck(),
        WritingCheck(),
        // A commit is protected from cancellation once nothing else of this connection can refuse it.
        ProtectedEnd(),
        AccessRecording(),
        // It notes what to compare the changes with.
        ObservedChanges(),
        // It prepares the run elsewhere.
        EngineRun(),
        // It holds a lock, for as short a time as possible.
        LogPragmaRun(),
    ]

    /// The participants in the end of a statement.
    static let end: [any StatementParticipant] = [
        EngineRun(),
        LogPragmaRun(),
        // What follows asks whether a transaction is open.
        FollowedTransaction(),
        // They take the changes of earlier statements before the observers are notified.
        FollowedSavepoints(),
        // What follows reads the new schema.
        FollowedSchema(),
        AccessRecording(),
        // Observers of the commit find it counted.
        CountedCommit(),
        // Observers may use the connection.
        ObservedChanges(),
        // The rest of a closure that has ended its transaction may not.
        EarlyEnd(),
        ProtectedEnd(),
    ]

    /// The participants in the failure of a statement.
    static let failure: [any StatementParticipant] = [
        // It knows first how the run went elsewhere.
        EngineRun(),
        FollowedSchema(),
        LogPragmaRun(),
        FollowedTransaction(),
        // It reports what has failed with the transaction, and then that the transaction has ended.
        ObservedChanges(),
        EarlyEnd(),
        ProtectedEnd(),
    ]
}

extension Database {
    /// Prepares the run of a statement, or throws if it must not run.
    func statementWillBegin(_ statement: Statement) throws {
        for (index, participant) in StatementParticipants.begin.enumerated() where participant.takesPart(needs.current) {
            do {
                try participant.statementWillBegin(statement, in: self)
            } catch {
                throw statementDidNotBegin(statement, preparedBy: StatementParticipants.begin[...index], with: error)
            }
        }
    }

    /// Throws if a statement must not run, for one that skips the other participants.
    func check(_ statement: Statement, by participants: [any StatementParticipant]) throws {
        for participant in participants where participant.takesPart(needs.current) {
            try participant.statementWillBegin(statement, in: self)
        }
    }

    /// Follows a statement that has succeeded.
    func statementDidEnd(_ statement: Statement) {
        var end = StatementEnd(statement: statement)
        for participant in StatementParticipants.end where participant.takesPart(needs.current) {
            participant.statementDidEnd(&end, in: self)
        }
    }

    /// Follows a statement that has failed.
    ///
    /// - Returns: the error to throw.
    func statementDidFail(_ statement: Statement, with error: any Error) -> any Error {
        follow(StatementFailure(statement: statement, error: error), by: StatementParticipants.failure)
    }

    /// Follows a statement that a participant has refused. Those that have prepared its run learn that it has failed, and with them those
    /// that follow each failure. If the statement was refused by a check, nothing has happened.
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
