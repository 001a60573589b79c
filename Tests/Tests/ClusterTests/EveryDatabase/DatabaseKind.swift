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

    /// The kinds whose databases are files, which other processes can change.
    static let files = shared.filter { $0 != .cluster }

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
    private let folder: TemporaryFolder

    /// - Parameter attachingOther: whether each connection attaches a database as `other`.
    init(
        _ kind: DatabaseKind, _ configuration: Configuration = Configuration(), attachingOther: Bool = false, schema: String = ""
    ) throws {
        self.kind = kind
        var configuration = configuration
        if kind == .walQueue { configuration.journalMode = .wal }
        configuration.busyMode = .timeout(20)
        folder = try TemporaryFolder()
        if attachingOther {
            let path = kind == .memory ? ":memory:" : folder.path("other.sqlite")
            if kind == .walQueue || kind == .pool {
                try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
            }
            configuration.prepareDatabase { try $0.execute(sql: "ATTACH DATABASE ? AS other", arguments: [path]) }
        }
        self.configuration = configuration
        writer = try Self.open(kind, folder, name, configuration)
        try writer.write { try $0.execute(sql: schema) }
    }

    deinit {
        try? writer.close()
    }

    /// Opens the same database for another client.
    func openAgain(readonly: Bool = false) throws -> any DatabaseWriter {
        var configuration = configuration
        configuration.readonly = readonly
        return try Self.open(kind, folder, name, configuration)
    }

    /// Changes the database, whose kind is one of `DatabaseKind.files`, in another process.
    func changeInOtherProcess(_ sql: String) throws { try runInAnotherProcess(sql, folder.path("a.sqlite")) }

    private static func open(
        _ kind: DatabaseKind, _ folder: TemporaryFolder, _ name: String, _ configuration: Configuration
    ) throws -> any DatabaseWriter {
        let path = folder.path("a.sqlite")
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
