/// The program's request for an access.
struct AccessRequest: Sendable {
    /// The limit of the configuration.
    let timeout: Duration?
    /// The measures of the access; nil without monitors.
    let measures: AccessMeasures?

    /// - Parameters:
    ///   - kind: the kind of the access.
    ///   - configuration: the configuration of the database.
    ///   - path: the path of the database.
    init(_ kind: DatabaseAccessReport.Kind, _ configuration: Configuration, path: String) {
        switch kind {
        case .read, .unsafeRead: timeout = configuration.readTimeout
        case .write, .writeWithoutTransaction: timeout = configuration.writeTimeout
        case .barrierWrite: timeout = nil
        }
        measures =
            configuration.monitors.isEmpty
            ? nil : AccessMeasures(kind, configuration.monitors, databaseName: configuration.nameForMonitors(path: path))
    }

    /// Waits for an access and runs it, and then reports it.
    @inline(__always)
    func reporting<T>(_ access: () throws -> T) throws -> T {
        guard let measures else { return try access() }
        do {
            let value = try access()
            measures.report(nil)
            return value
        } catch {
            measures.report(error)
            throw error
        }
    }

    /// Waits for an access and runs it, and then reports it.
    func reporting<T: Sendable>(_ access: () async throws -> T) async throws -> T {
        guard let measures else { return try await access() }
        do {
            let value = try await access()
            measures.report(nil)
            return value
        } catch {
            measures.report(error)
            throw error
        }
    }

    /// Runs the program's closure, inside the access.
    @inline(__always)
    func measuring<T>(_ database: Database, _ body: (Database) throws -> T) rethrows -> T {
        guard let measures else { return try body(database) }
        return try measures.measure(database, body)
    }

    /// Runs the callback of an access.
    func runCallback(_ body: (Database) -> Void, _ database: Database) {
        measuring(database, body)
        measures?.report(nil)
    }

    /// Reports a callback that does not run.
    func didFail(_ error: any Error) { measures?.report(error) }
}

/// The measures of one access, for monitors.
///
/// `@unchecked Sendable`: the thread of the access, and then the thread or task that waits for it, use them one after the other.
final class AccessMeasures: @unchecked Sendable {
    private let monitors: [any DatabaseMonitor]
    private let start = ContinuousClock.now
    private var report: DatabaseAccessReport

    fileprivate init(_ kind: DatabaseAccessReport.Kind, _ monitors: [any DatabaseMonitor], databaseName: String) {
        self.monitors = monitors
        report = DatabaseAccessReport(kind: kind, databaseName: databaseName)
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

extension DatabaseReader {
    /// Returns a request for an access.
    @inline(__always)
    func request(_ kind: DatabaseAccessReport.Kind) -> AccessRequest { AccessRequest(kind, configuration, path: path) }
}
