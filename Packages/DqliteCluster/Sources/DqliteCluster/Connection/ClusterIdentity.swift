import CDqliteCluster
import Foundation
import SQLiteDriver

// The ID of a cluster, which tells it from another one at the same addresses. It is a row in a database of its own, `strata`.

extension NodeConnection {
    /// The time that a node may take to tell the ID of its cluster.
    static let identityPatience = Duration.seconds(1)

    /// Asks a node for the leader of its cluster, and the leader for the ID.
    ///
    /// - Returns: nil if the node does not know a leader.
    static func cluster(of address: NodeAddress, creating newID: String? = nil) throws -> (id: String?, members: [String])? {
        let deadline = Deadline(after: identityPatience)
        let leader = try NodeConnection(address, timeout: identityPatience, deadline: deadline, ClusterCounts()).leader().address
        if leader.isEmpty { return nil }
        let connection = try NodeConnection(try NodeAddress(leader), timeout: identityPatience, deadline: deadline, ClusterCounts())
        defer { connection.close() }
        let members = try connection.nodes().map(\.address)
        return (try connection.clusterID(creating: newID), members)
    }

    /// Asks a node for the members of its cluster.
    ///
    /// - Returns: an empty array if the node does not belong to a cluster.
    static func members(knownBy address: NodeAddress) throws -> [String] {
        let connection = try NodeConnection(
            address, timeout: identityPatience, deadline: Deadline(after: identityPatience), ClusterCounts())
        defer { connection.close() }
        return try connection.nodes().map(\.address)
    }

    /// Returns the ID of the cluster that the node leads. The connection can't open another database afterwards.
    ///
    /// - Parameter newID: the ID of a cluster that has none; nil to leave it without.
    /// - Returns: nil if the cluster has no ID: an earlier version has begun it, or it has just begun.
    /// - Throws: ``NodeFailure``, also if the node is not the leader.
    func clusterID(creating newID: String? = nil) throws -> String? {
        let database = try self.open("strata")
        do {
            if let id = try firstText("SELECT id FROM cluster", in: database) { return id }
        } catch let error as NodeFailure where error.primaryCode == SQLITE_ERROR {
            // There is no table.
        }
        guard let newID else { return nil }
        _ = try run(.execSQL, "CREATE TABLE IF NOT EXISTS cluster (id TEXT NOT NULL)", in: database)
        // Of the nodes that do so at the same time, one inserts a row.
        _ = try run(.execSQL, "INSERT INTO cluster SELECT '\(newID)' WHERE NOT EXISTS (SELECT 1 FROM cluster)", in: database)
        return try firstText("SELECT id FROM cluster", in: database)
    }

    private func firstText(_ sql: String, in database: UInt32) throws -> String? {
        guard case .rows(let rows) = try run(.querySQL, sql, in: database) else { throw WireError("an unexpected response to a query") }
        return rows.text(row: 0, column: 0)
    }

    private func run(_ kind: WireRequest.Kind, _ sql: String, in database: UInt32) throws -> WireResponse {
        var request = WireRequest(kind)
        request.append(word: UInt64(database))
        try request.append(text: sql)
        return try send(request)
    }
}

/// Reads the ID of a node's cluster when the cluster has a leader, and keeps it in the node's folder. Gives the cluster an ID if it has none.
final class NodeIdentification: Sendable {
    private let hasEnded = Guarded(false)
    private let wakeUp = DispatchSemaphore(value: 0)

    init(_ identity: NodeIdentity, directory: String) {
        guard let address = try? NodeAddress(identity.address) else { return }
        let newID = UUID().uuidString.lowercased()
        Thread.detachNewThread { [hasEnded, wakeUp] in
            while !hasEnded.withLock({ $0 }) {
                if let cluster = try? NodeConnection.cluster(of: address, creating: newID), let id = cluster.id {
                    var known = identity
                    known.cluster = id
                    known.members = cluster.members.filter { $0 != identity.address }
                    if hasEnded.withLock({ $0 || (try? known.store(in: directory)) != nil }) { return }
                }
                _ = wakeUp.wait(timeout: .now() + 1)
            }
        }
    }

    /// Ends the thread. Nothing is written to the folder afterwards.
    func end() {
        hasEnded.withLock { $0 = true }
        wakeUp.signal()
    }
}
