import SQLiteDriver

/// Observes a region, as programs do that fetch again after each change of it.
final class RegionWatcher: TransactionObserver {
    var region: DatabaseRegion
    private var isChanged = false
    private(set) var isNotified = false

    init(_ region: DatabaseRegion) { self.region = region }

    func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
        kind.tableName.hasPrefix("sqlite_") || region.isModified(byEventsOfKind: kind)
    }

    func databaseDidChange(with event: DatabaseEvent) {
        if region.isModified(by: event) { isChanged = true }
    }

    func databaseDidChange(in changes: DatabaseRegion) {
        if !region.isDisjoint(with: changes) { isChanged = true }
    }

    func databaseDidCommit(_ db: Database) {
        isNotified = isNotified || isChanged
        isChanged = false
    }

    func databaseDidRollback(_ db: Database) { isChanged = false }

    /// Whether a commit has changed the region since the last call.
    func take() -> Bool {
        defer { isNotified = false }
        return isNotified
    }
}

extension Database {
    /// The rows of a query, as a string.
    func content(_ sql: String) throws -> String {
        let statement = try makeStatement(sql: sql)
        var lines: [String] = []
        while try statement.step() {
            lines.append((0..<statement.columnCount).map { "\(statement.databaseValue(at: $0))" }.joined(separator: "|"))
        }
        return lines.joined(separator: "\n")
    }

    /// The region that a query reads. A number after `rowid = ` at its end is the only row of the given table that it reads.
    func region(of sql: String, _ table: String? = nil) throws -> DatabaseRegion {
        try recordingAccesses {
            let statement = try makeStatement(sql: sql)
            if let table, let number = sql.split(separator: " ").last.flatMap({ Int64($0) }) {
                statement.narrowNextRun(toRows: [number], ofTable: table)
            }
            try statement.run()
        }.region
    }
}
