/// The measures of one access, for monitors.
///
/// `@unchecked Sendable`: the thread of the access, and then the thread or task that waits for it, use them one after the other.
final class AccessMeasures: @unchecked Sendable {
    private let monitors: [any DatabaseMonitor]
    fileprivate let start: ContinuousClock.Instant
    fileprivate var report: DatabaseAccessReport

    /// - Returns: nil for an access that nobody monitors.
    init?(_ request: AccessRequest, _ configuration: Configuration, path: String, since start: ContinuousClock.Instant? = nil) {
        if configuration.monitors.isEmpty || request.origin == .database { return nil }
        monitors = configuration.monitors
        self.start = start ?? .now
        report = DatabaseAccessReport(kind: request.kind, databaseName: configuration.nameForMonitors(path: path))
    }

    /// Records that the access is a write in a transaction.
    func isInTransaction() {
        if report.kind == .writeWithoutTransaction { report.kind = .write }
    }

    /// Reports the end of the access, or the error with which it did not begin.
    func report(_ error: (any Error)?) {
        if report.duration == nil { report.waitTime = start.duration(to: .now) }
        if let error {
            report.errorType = (error as? DatabaseError)?.extendedResultCode.name ?? String(describing: type(of: error))
        }
        for monitor in monitors { monitor.accessDidEnd(report) }
    }
}

extension AccessMeasures? {
    /// Runs an access from its request to its end, and then reports it.
    @inline(__always)
    func reporting<T>(_ access: () throws -> T) throws -> T {
        do {
            let value = try access()
            self?.report(nil)
            return value
        } catch {
            self?.report(error)
            throw error
        }
    }

    /// Runs an access from its request to its end, and then reports it.
    func reporting<T: Sendable>(_ access: () async throws -> T) async throws -> T {
        do {
            let value = try await access()
            self?.report(nil)
            return value
        } catch {
            self?.report(error)
            throw error
        }
    }

    /// Runs the program's closure, inside the access.
    func measuring<T>(_ database: Database, _ body: (Database) throws -> T) rethrows -> T {
        guard let measures = self else { return try body(database) }
        let begin = ContinuousClock.now
        measures.report.waitTime = measures.start.duration(to: begin)
        let changeCount = database.totalChangesCount
        database.accessMeasures = measures
        defer {
            database.accessMeasures = nil
            measures.report.changedRowCount = database.totalChangesCount - changeCount
            measures.report.duration = begin.duration(to: .now)
        }
        return try body(database)
    }
}

extension Configuration {
    /// Reports an access that did not begin, because its database could not be opened.
    ///
    /// - Parameter start: when it was requested.
    package func reportFailedAccess(
        _ kind: DatabaseAccessReport.Kind, path: String, since start: ContinuousClock.Instant, _ error: any Error
    ) {
        AccessMeasures(AccessRequest(kind), self, path: path, since: start)?.report(error)
    }
}
