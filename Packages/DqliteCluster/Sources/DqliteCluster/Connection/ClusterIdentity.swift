import CDqliteCluster
import Foundation
import SQLiteDriver

// The ID of a cluster, which tells it from another one at the same addresses. It is a row in a database of its own, `strata`.

extension NodeConnection {
    /// Returns the ID of the cluster that the node leads. The connection can't open another database afterwards.
    ///
    /// - Parameters:
    ///   - newID: the ID of a cluster that has none; nil to leave it without.
    ///   - isReplacing: whether the cluster gets the new ID even if it has one.
    /// - Returns: nil if the cluster has no ID: an earlier version has begun it, or it has just begun.
    /// - Throws: ``NodeFailure``, also if the node is not the leader.
    func clusterID(creating newID: String? = nil, isReplacing: Bool = false) throws -> String? {
        let database = try self.open("strata")
        let reading = "SELECT id FROM cluster"
        do {
            if let id = try firstRows(reading, in: database).text(row: 0, column: 0) {
                guard isReplacing, let newID, id != newID else { return id }
                _ = try run(.execSQL, "UPDATE cluster SET id = '\(newID)'", in: database)
                return newID
            }
        } catch let error as NodeFailure where error.primaryCode == SQLITE_ERROR {
            // There is no table.
        }
        guard let newID else { return nil }
        _ = try run(.execSQL, "CREATE TABLE IF NOT EXISTS cluster (id TEXT NOT NULL)", in: database)
        // Of the nodes that do so at the same time, one inserts a row.
        _ = try run(.execSQL, "INSERT INTO cluster SELECT '\(newID)' WHERE NOT EXISTS (SELECT 1 FROM cluster)", in: database)
        return try firstRows(reading, in: database).text(row: 0, column: 0)
    }
}

/// Reads the ID of a node's cluster when the cluster has a leader, and keeps it in the node's folder. Gives the cluster an ID if it has none.
final class NodeIdentification: Sendable {
    private let hasEnded = Guarded(false)
    private let wakeUp = DispatchSemaphore(value: 0)
    private let isKnown = DispatchSemaphore(value: 0)

    init(_ identity: NodeIdentity, directory: String) {
        guard let address = try? NodeAddress(identity.address) else { return }
        let newID = identity.newCluster ?? UUID().uuidString.lowercased()
        Thread.detachNewThread { [hasEnded, wakeUp, isKnown] in
            while !hasEnded.withLock({ $0 }) {
                if let cluster = try? Inquiry.short.cluster(of: address, creating: newID, isReplacing: identity.newCluster != nil),
                    let id = cluster.id
                {
                    var known = identity
                    known.newCluster = nil
                    known.cluster = id
                    known.members = cluster.members.filter { $0 != identity.address }
                    if hasEnded.withLock({ $0 || (try? known.store(in: directory)) != nil }) {
                        isKnown.signal()
                        return
                    }
                }
                _ = wakeUp.wait(timeout: .now() + 1)
            }
        }
    }

    /// Waits until the folder has the ID.
    ///
    /// - Returns: false if it takes longer.
    func wait(seconds: Double) -> Bool { isKnown.wait(timeout: .now() + seconds) == .success }

    /// Ends the thread. Nothing is written to the folder afterwards.
    func end() {
        hasEnded.withLock { $0 = true }
        wakeUp.signal()
    }
}
