import DqliteCluster
import Foundation
import Strata
import Testing

/// The kinds of databases, which all promise the same about schema changes, observation, cancellation, priorities, errors, closing and
/// reentrant accesses. The suites of this folder run over each of them. Where a cluster differs, its README says so, and a test expects it.
enum DatabaseKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, queue, walQueue, pool, cluster

    var testDescription: String { rawValue }

    /// The kinds that can be tested here.
    static let all = allCases.filter { $0 != .cluster || DqliteNode.isAvailable }

    /// The kinds whose databases several clients can open.
    static let shared = all.filter { $0 != .memory }

    /// Three nodes, which keep their leader when the machine is so busy that it is not heard for some seconds: an election fails
    /// commits with an error that says that they may have happened.
    static let nodes = try! NodeProcesses(latency: 500)
}

/// A new database of a kind.
final class TestDatabase: Sendable {
    let kind: DatabaseKind
    let writer: any DatabaseWriter
    private let configuration: Configuration
    private let name = "db\(UUID().uuidString.prefix(8))"
    private let folder: URL

    init(_ kind: DatabaseKind, _ configuration: Configuration = Configuration(), schema: String = "") throws {
        self.kind = kind
        var configuration = configuration
        if kind == .walQueue { configuration.journalMode = .wal }
        configuration.busyMode = .timeout(20)
        self.configuration = configuration
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-kind-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        writer = try Self.open(kind, folder, name, configuration)
        try writer.write { try $0.execute(sql: schema) }
    }

    deinit {
        try? writer.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Opens the same database for another client.
    func openAgain(readonly: Bool = false) throws -> any DatabaseWriter {
        var configuration = configuration
        configuration.readonly = readonly
        return try Self.open(kind, folder, name, configuration)
    }

    private static func open(
        _ kind: DatabaseKind, _ folder: URL, _ name: String, _ configuration: Configuration
    ) throws -> any DatabaseWriter {
        let path = folder.appendingPathComponent("a.sqlite").path
        switch kind {
        case .memory: return try DatabaseQueue(configuration: configuration)
        case .queue, .walQueue: return try DatabaseQueue(path: path, configuration: configuration)
        case .pool: return try DatabasePool(path: path, configuration: configuration)
        case .cluster:
            return try DqliteCluster(
                addresses: DatabaseKind.nodes.addresses, database: name, configuration: configuration, leaderTimeout: .seconds(20))
        }
    }
}

/// A value behind a lock.
///
/// `@unchecked Sendable`: the lock guards the value.
final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var content: Value

    init(_ content: Value) {
        self.content = content
    }

    var value: Value { lock.withLock { content } }

    func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T { try lock.withLock { try body(&content) } }
}

/// Collects values from any thread, and lets tests wait for them.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class Values<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [Value] = []
    private var waits: [(isEnough: ([Value]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// What was collected until now.
    var all: [Value] { lock.withLock { values } }

    func append(_ value: Value) {
        let ended = lock.withLock {
            values.append(value)
            let ended = waits.filter { $0.isEnough(values) }
            waits.removeAll { $0.isEnough(values) }
            return ended
        }
        for wait in ended { wait.continuation.resume() }
    }

    /// Waits until there are enough values, or until the time limit of the test ends it.
    func wait(until isEnough: @escaping @Sendable ([Value]) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    if Task.isCancelled || isEnough(values) { return true }
                    waits.append((isEnough, continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let ended = lock.withLock {
                defer { waits = [] }
                return waits
            }
            for wait in ended { wait.continuation.resume() }
        }
    }
}

struct TestError: Error, Equatable {}
