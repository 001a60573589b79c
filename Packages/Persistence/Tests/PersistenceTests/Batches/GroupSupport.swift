import Persistence
import Testing

// What batches do in groups, and row by row. A batch with `progress` is written row by row, and so tells what a group must do.

/// What a batch did.
struct BatchOutcome {
    var error: String?
    var ids: [Int64?] = []
    var contents: [String] = []
    var events: [String] = []
    var totalChangesCount = 0
    var lastInsertedRowID: Int64 = 0
    var isInsideTransaction = false

    /// The first difference, for the message of a failed test.
    func difference(from other: BatchOutcome) -> String? {
        func first(_ name: String, _ one: [String], _ other: [String]) -> String? {
            if one == other { return nil }
            let index = zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset ?? min(one.count, other.count)
            return
                "\(name) \(index) of \(one.count) and \(other.count): \(one.dropFirst(index).first ?? "-"), \(other.dropFirst(index).first ?? "-")"
        }
        return first("error", [error ?? "none"], [other.error ?? "none"]) ?? first(
            "ID", ids.map { "\($0 ?? 0)" }, other.ids.map { "\($0 ?? 0)" })
            ?? first("row", contents, other.contents) ?? first("event", events, other.events)
            ?? first(
                "count", ["\(totalChangesCount) \(lastInsertedRowID) \(isInsideTransaction)"],
                ["\(other.totalChangesCount) \(other.lastInsertedRowID) \(other.isInsideTransaction)"])
    }
}

/// Collects the events of committed transactions.
private final class Events: TransactionObserver {
    var all: [String] = []
    private var pending: [String] = []
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { pending.append("\(event.kind) \(event.tableName) \(event.rowID)") }
    func databaseDidChange() { pending.append("unreported") }
    func databaseDidCommit(_ db: Database) { (all, pending) = (all + pending, []) }
    func databaseDidRollback(_ db: Database) { pending = [] }
}

extension Database {
    /// The statements that insert several rows.
    func groups(_ body: () throws -> Void) throws -> [String] {
        try statements(body).filter { $0.hasPrefix("INSERT") && $0.contains("), (") }
    }

    /// What a batch does to a new database, and how many groups it has.
    ///
    /// - Parameter batch: returns the row IDs.
    static func outcome(_ sql: String, _ batch: (Database) throws -> [Int64?]) throws -> (outcome: BatchOutcome, groupCount: Int) {
        var outcome = BatchOutcome()
        let events = Events()
        let queue = try DatabaseQueue()
        let groupCount = try queue.writeWithoutTransaction { db in
            try db.execute(sql: sql)
            db.add(transactionObserver: events)
            let changesCount = db.totalChangesCount
            let groups = try db.groups {
                try? db.inTransaction {
                    do {
                        outcome.ids = try batch(db)
                    } catch {
                        outcome.error =
                            (error as? DatabaseError).map { "\($0.extendedResultCode) \($0.message ?? "") \($0.sql ?? "")" } ?? "\(error)"
                    }
                    outcome.isInsideTransaction = db.isInsideTransaction
                    return .commit
                }
            }
            outcome.totalChangesCount = db.totalChangesCount - changesCount
            outcome.lastInsertedRowID = db.lastInsertedRowID
            for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY name")
            {
                outcome.contents += try db.rows("SELECT * FROM \(table.quotedDatabaseIdentifier) ORDER BY 1").map { "\(table) \($0)" }
            }
            return groups.count
        }
        // What SQLite does not report is reported once for each statement.
        outcome.events = events.all.filter { $0 != "unreported" } + Set(events.all.filter { $0 == "unreported" })
        return (outcome, groupCount)
    }

    /// Expects that a batch does the same in groups and row by row.
    ///
    /// - Parameters:
    ///   - isCounted: whether the counts of the connection, which a failed batch leaves behind, must be equal, too.
    ///   - batch: writes a batch with a closure for its progress, and returns the row IDs.
    /// - Returns: the number of groups.
    @discardableResult
    static func expectSame(
        _ sql: String, _ comment: @autoclosure () -> Comment? = nil, isCounted: Bool = true,
        sourceLocation: SourceLocation = #_sourceLocation, _ batch: (Database, ((Int) throws -> Void)?) throws -> [Int64?]
    ) throws -> Int {
        var grouped = try outcome(sql) { try batch($0, nil) }
        let single = try outcome(sql) { try batch($0, { _ in }) }
        if !isCounted {
            grouped.outcome.totalChangesCount = single.outcome.totalChangesCount
            grouped.outcome.lastInsertedRowID = single.outcome.lastInsertedRowID
        }
        let difference = grouped.outcome.difference(from: single.outcome)
        #expect(difference == nil, comment(), sourceLocation: sourceLocation)
        #expect(single.groupCount == 0, comment(), sourceLocation: sourceLocation)
        return grouped.groupCount
    }
}
