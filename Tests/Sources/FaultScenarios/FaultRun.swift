import Foundation
import Strata

/// A source of faults, which make operations fail.
public protocol FaultSource {
    /// The kind of faults, for messages.
    var description: String { get }

    /// Makes the n-th operation from now on fail, counted from 1.
    func arm(at n: Int)

    /// Stops failing operations.
    func disarm()

    /// The number of operations that have failed since ``arm(at:)``.
    var failureCount: Int { get }

    /// The first operation that has failed since ``arm(at:)``, for counts.
    var failedOperation: String { get }

    /// Whether the code of an error is one that the faults explain.
    func explains(_ code: ResultCode) -> Bool
}

/// The kinds of connections.
public enum FaultKind: String, CaseIterable, Sendable {
    case journal, log, pool
    /// A pool whose log is copied all the time.
    case checkpoints

    func open(_ path: String) throws -> any DatabaseWriter {
        switch self {
        case .journal: return try DatabaseQueue(path: path)
        case .log:
            var configuration = Configuration()
            configuration.journalMode = .wal
            return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path)
        case .checkpoints:
            var configuration = Configuration()
            configuration.prepareDatabase { if !$0.configuration.readonly { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 8") } }
            return try DatabasePool(path: path, configuration: configuration)
        }
    }
}

/// A scenario on a kind of connection, with faults at one operation after the other.
public struct FaultRun {
    let scenario: FaultScenario
    let kind: FaultKind

    /// The contents before the first step, and after each of them.
    private let states: [[String]]

    /// The database that the work begins with.
    private let template: Data

    /// Plans a run: does the work without faults.
    public init(_ scenario: FaultScenario, _ kind: FaultKind) throws {
        self.scenario = scenario
        self.kind = kind
        let files = try FaultyFiles()
        var writer = try kind.open(files.uri("a"))
        try scenario.prepare(writer)
        var states = [try writer.read(contents)]
        try writer.close()
        template = try Data(contentsOf: URL(fileURLWithPath: files.path("a")))

        writer = try kind.open(files.uri("a"))
        for step in scenario.steps {
            try step(writer, files)
            states.append(try writer.read(contents))
        }
        try writer.close()
        self.states = states
    }

    /// Does the work again and again, until no operation is left that could fail.
    ///
    /// - Parameters:
    ///   - stride: every which operation fails.
    ///   - first: the first operation that fails, from 1.
    ///   - source: makes the source of the faults.
    /// - Returns: the number of faults of each operation, and what has gone wrong.
    public func run(
        stride: Int, first: Int = 1, source: (FaultyFiles) -> any FaultSource
    ) throws -> (faults: [String: Int], problems: [String]) {
        var faults: [String: Int] = [:]
        var problems: [String] = []
        var n = first
        while let operation = try fail(at: n, source, &problems) {
            faults[operation, default: 0] += 1
            n += stride
        }
        return (faults, problems)
    }

    /// Does the work with a fault at the n-th operation.
    ///
    /// - Returns: the operation, or nil if fewer operations ran.
    private func fail(at n: Int, _ makeSource: (FaultyFiles) -> any FaultSource, _ problems: inout [String]) throws -> String? {
        let files = try FaultyFiles()
        try template.write(to: URL(fileURLWithPath: files.path("a")))
        let source = makeSource(files)
        var found: [String] = []

        source.arm(at: n)
        var completed = 0
        var failure: (any Error)?
        var opened: (any DatabaseWriter)?
        do {
            let writer = try kind.open(files.uri("a"))
            opened = writer
            for step in scenario.steps {
                try step(writer, files)
                completed += 1
            }
        } catch {
            failure = error
        }
        let hasFailed = source.failureCount > 0
        let operation = source.failedOperation
        source.disarm()

        if let failure {
            let error = (failure as? MigrationError)?.underlyingError ?? failure
            if !hasFailed {
                found.append("failed without a fault: \(failure)")
            } else if let code = (error as? DatabaseError)?.resultCode, source.explains(code) {
                // As it should be.
            } else {
                found.append("another error: \(failure)")
            }
        }

        // A commit can fail after it has been written: then the step may have happened.
        let expected = failure == nil ? [states[completed]] : Array(states[completed...min(completed + 1, states.count - 1)])
        if let writer = opened {
            do {
                if try writer.unsafeReentrantWrite({ $0.isInsideTransaction }) { found.append("a transaction is open") }
                let contents = try writer.read(contents)
                if !expected.contains(contents) { found.append("the connection sees \(contents)") }
                try writer.write { db in try db.execute(sql: "CREATE TABLE alive (a); INSERT INTO alive VALUES (1)") }
                try writer.close()
            } catch {
                found.append("the connection is not usable: \(error)")
            }
        }
        if files.openFileCount != 0 { found.append("\(files.openFileCount) files are open") }

        let reopened = try DatabaseQueue(path: files.path("a"))
        try reopened.write { db in
            try db.execute(sql: "DROP TABLE IF EXISTS alive")
            let contents = try contents(db)
            if !expected.contains(contents) { found.append("the file contains \(contents)") }
            let check = try String.fetchAll(db, sql: "PRAGMA integrity_check")
            if check != ["ok"] { found.append("integrity_check: \(check)") }
            try db.checkForeignKeys()
        }
        try reopened.close()
        problems += found.map { "\(scenario.name), \(kind), \(source.description) at operation \(n): \($0)" }
        return hasFailed ? operation : nil
    }
}

/// All of a database in a few lines.
func contents(_ db: Database) throws -> [String] {
    var lines = try String.fetchAll(db, sql: "SELECT type || ' ' || name || ' ' || ifnull(sql, '') FROM sqlite_master ORDER BY 1")
    for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1") {
        let columns = try db.columns(in: table).map { "quote(\($0.name.quotedDatabaseIdentifier))" }.joined(separator: " || ',' || ")
        let rows = try String.fetchAll(db, sql: "SELECT \(columns) FROM \(table.quotedDatabaseIdentifier) ORDER BY 1")
        let digest = rows.joined(separator: "\n").utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }
        lines.append("\(table): \(rows.count) rows, \(digest)")
    }
    return lines
}

/// A check of a scenario that has failed.
public struct FaultCheck: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String
}

/// Throws an error if a condition does not hold.
func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw FaultCheck(description: description()) }
}
