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
    private let folder: TemporaryFolder

    init(_ kind: DatabaseKind, _ configuration: Configuration = Configuration(), schema: String = "") throws {
        self.kind = kind
        var configuration = configuration
        if kind == .walQueue { configuration.journalMode = .wal }
        configuration.busyMode = .timeout(20)
        self.configuration = configuration
        folder = try TemporaryFolder()
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
