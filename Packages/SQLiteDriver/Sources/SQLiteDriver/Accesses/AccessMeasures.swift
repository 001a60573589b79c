/// The measures of one access, for monitors.
///
/// `@unchecked Sendable`: the thread of the access, and then the thread or task that waits for it, use them one after the other.
final class AccessMeasures: @unchecked Sendable {
    private let monitors: [any DatabaseMonitor]
    private let start = ContinuousClock.now
    private var report: DatabaseAccessReport

    /// - Returns: nil for an access that nobody monitors.
    init?(_ request: AccessRequest, _ configuration: Configuration, path: String) {
        if configuration.monitors.isEmpty || request.origin == .database { return nil }
        monitors = configuration.monitors
        report = DatabaseAccessReport(kind: request.kind, databaseName: configuration.nameForMonitors(path: path))
    }

    /// Records that the access is a write in a transaction.
    func isInTransaction() {
        if report.kind == .writeWithoutTransaction { report.kind = .write }
    }

    fileprivate func measure<T>(_ database: Database, _ body: (Database) throws -> T) rethrows -> T {
        let begin = ContinuousClock.now
        report.waitTime = start.duration(to: begin)
        let changeCount = database.totalChangesCount
        database.accessMeasures = self
        defer {
            database.accessMeasures = nil
            report.changedRowCount = database.totalChangesCount - changeCount
            report.duration = begin.duration(to: .now)
        }
        return try body(database)
    }

    fileprivate func report(_ error: (any Error)?) {
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
        guard let self else { return try access() }
        let result = Result { try access() }
        self.report(result.error)
        return try result.get()
    }

    /// Runs an access from its request to its end, and then reports it.
    func reporting<T: Sendable>(_ access: () async throws -> T) async throws -> T {
        guard let self else { return try await access() }
        do {
            let value = try await access()
            self.report(nil)
            return value
        } catch {
            self.report(error)
            throw error
        }
    }

    /// Runs the program's closure, inside the access.
    @inline(__always)
    func measuring<T>(_ database: Database, _ body: (Database) throws -> T) rethrows -> T {
        guard let self else { return try body(database) }
        return try self.measure(database, body)
    }

    /// Reports the end of a callback, or the error with which it did not begin.
    func didEnd(_ error: (any Error)?) { self?.report(error) }
}

extension Result {
    fileprivate var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
