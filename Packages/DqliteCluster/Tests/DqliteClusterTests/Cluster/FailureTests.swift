import DqliteCluster
import Foundation
import Testing

/// A leader that hangs, fails, or sends nonsense at a certain request.
///
/// On a busy machine, even an answer that is sent immediately may come later than the short time limits of these tests allow.
@Suite(.timeLimit(.minutes(20)))
struct ClusterFailureTests {
    let node = ScriptedNode()

    // MARK: - Connections

    /// Otherwise its transaction would block the cluster until the other process ends.
    @Test
    func `A closed connection ends, although another process has inherited it`() throws {
        let cluster = try node.open(accessTimeout: .seconds(10))
        try cluster.insert()
        let sockets = node.clientSockets()
        #expect(!sockets.isEmpty)
        for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
        let inherited = sockets.map { dup($0) }
        defer { for socket in inherited { close(socket) } }
        try cluster.close()
        yieldThread(until: "the node has no clients") { node.clientCount == 0 }
    }

    #if os(Linux)
        /// Otherwise, Linux acknowledges the first piece of an answer after 40 ms, and the node sends the next piece only then.
        @Test
        func `The pieces of an answer are acknowledged immediately`() throws {
            let cluster = try node.open()
            // A connection that has answered several requests is one whose acknowledgements Linux delays.
            for _ in 1...3 { try cluster.insert() }
            let sockets = node.clientSockets()
            #expect(!sockets.isEmpty)
            for socket in sockets {
                var acknowledges: CInt = 0
                var size = socklen_t(MemoryLayout<CInt>.size)
                #expect(getsockopt(socket, CInt(IPPROTO_TCP), TCP_QUICKACK, &acknowledges, &size) == 0)
                #expect(acknowledges == 1)
            }
        }
    #endif

    @Test
    func `The client leaves a silent leader when another node claims to be the leader`() throws {
        let cluster = try node.open()
        try cluster.insert()
        // The other node is a member, and leads when the first one no longer answers.
        let other = ScriptedNode()
        let otherAddress = other.address
        node.setScript { [address = node.address] request in
            switch request.type {
            case 16: .changed { _ in Self.members([address, otherAddress]) }
            default: .standard
            }
        }
        other.setScript { [address = node.address] request in
            request.type == 16 ? .changed { _ in Self.members([address, otherAddress]) } : .standard
        }
        node.dropClients()
        try cluster.insert()
        node.setScript { $0.sql.hasPrefix("INSERT") || $0.isLeader ? .silence : .standard }
        // Without another leader, the request would end with a timeout.
        #expect(isLost(#expect(throws: (any Error).self) { try cluster.insert() }))
        try cluster.insert()
        #expect(other.count(of: "COMMIT") == 1)
    }

    @Test
    func `Once a write has found another leader, reads leave the old one, although it answers`() throws {
        let cluster = try node.open()
        try cluster.insert()
        #expect(try cluster.value() == 7)
        let other = ScriptedNode()
        let members = Self.members([node.address, other.address])
        other.setScript { $0.type == 16 ? .changed { _ in members } : .standard }
        node.setScript { $0.type == 16 ? .changed { _ in members } : $0.sql.hasPrefix("INSERT") ? .end : .standard }
        node.follow(other.address)
        #expect(isLost(#expect(throws: (any Error).self) { try cluster.insert() }))
        try cluster.insert()
        #expect(other.count(of: "COMMIT") == 1)
        #expect(try cluster.value() == 7)
        #expect(node.count(of: "BEGIN DEFERRED TRANSACTION") == 0)
        #expect(other.count(of: "BEGIN DEFERRED TRANSACTION") == 1)
    }

    @Test
    func `Observers are notified of a commit whose outcome is unknown, as anything may have changed`() throws {
        final class Observer: TransactionObserver {
            var changeCount = 0
            var commitCount = 0
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { eventKind.tableName == "t" }
            func databaseDidChange(in changes: DatabaseRegion) { changeCount += 1 }
            func databaseDidChange(with event: DatabaseEvent) {}
            func databaseDidCommit(_ db: Database) { commitCount += 1 }
            func databaseDidRollback(_ db: Database) { changeCount = 0 }
        }
        let cluster = try node.open()
        let observer = Observer()
        cluster.add(transactionObserver: observer, extent: .databaseLifetime)
        node.setScript { $0.sql == "COMMIT" && $0.earlierCount == 0 ? .end : .standard }
        #expect(isUnknown(#expect(throws: (any Error).self) { try cluster.insert() }))
        #expect(observer.changeCount > 0)
        #expect(observer.commitCount == 1)
        // Once.
        let count = observer.changeCount
        try cluster.write { _ in }
        #expect(observer.changeCount == count)
    }

    private static func members(_ addresses: [String]) -> [UInt8] {
        let nodes = addresses.enumerated().map { index, address in
            ScriptedNode.words(UInt64(index + 1)) + ScriptedNode.text(address) + ScriptedNode.words(0)
        }
        return ScriptedNode.message(3, ScriptedNode.words(UInt64(addresses.count)) + nodes.flatMap(\.self))
    }

    @Test(arguments: [true, false])
    func `interrupt() ends the request that is in progress, and the cluster can still be used`(isWrite: Bool) throws {
        let cluster = try node.open()
        if !isWrite { #expect(try cluster.value() == 7) }
        // The node never answers the statement, so that only the interruption can end it.
        node.setScript { [cluster] request in
            guard request.sql.contains(isWrite ? "INSERT" : "strata_t") else { return .standard }
            Thread.detachNewThread { cluster.interrupt() }
            return .silence
        }
        let error = #expect(throws: DatabaseError.self) { if isWrite { try cluster.insert() } else { _ = try cluster.value() } }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
        node.setScript { _ in .standard }
        try cluster.insert()
        #expect(try cluster.value() == 7)
    }

    // MARK: - Lost connections

    @Test
    func `A write that fails before its commit is run again if it is repeatable, and throws otherwise`() throws {
        let cluster = try node.open()
        node.setScript { $0.sql.hasPrefix("INSERT") && $0.earlierCount % 2 == 0 ? .end : .standard }
        var runs = 0
        try cluster.write(.repeatable) { db in
            runs += 1
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(runs == 2)
        #expect(node.count(of: "COMMIT") == 1)
        #expect(isLost(#expect(throws: (any Error).self) { try cluster.insert() }))
        #expect(node.count(of: "COMMIT") == 1)
    }

    @Test(arguments: [true, false], [10250, 12] as [UInt64])
    func `A connection that died between two accesses is replaced without an error`(isWrite: Bool, code: UInt64) throws {
        let cluster = try node.open()
        #expect(try cluster.value() == 7)
        node.dropClients()
        if isWrite { try cluster.insert() } else { #expect(try cluster.value() == 7) }
        node.setScript { $0.sql.hasPrefix("BEGIN") && $0.earlierCount == 0 ? .failure(code, "a test") : .standard }
        if isWrite { try cluster.insert() } else { #expect(try cluster.value() == 7) }
    }

    @Test(arguments: 0..<4)
    func `The outcome of a commit without an answer is unknown, and the commit is not sent again`(kind: Int) throws {
        let cluster = try node.open(requestTimeout: .milliseconds(200))
        let reply: ScriptedNode.Reply =
            switch kind {
            case 0: .end
            case 1: .failure(10506, "leadership lost")
            case 2: .silence
            default: .changed { Array($0.prefix(12)) }
            }
        node.setScript { $0.sql == "COMMIT" ? reply : .standard }
        #expect(isUnknown(insertUntilCommit(cluster)))
        node.wait(for: "COMMIT")
        #expect(
            isUnknown(#expect(throws: (any Error).self) { try cluster.write(.repeatable) { db in try db.execute(sql: "DELETE FROM t") } }))
        node.wait(for: "COMMIT", count: 2)
        #expect(node.count(of: "COMMIT") == 2)
        node.setScript { _ in .standard }
        try eventually { try cluster.insert() }
    }

    @Test
    func `A statement outside a transaction has an unknown outcome, too`() throws {
        let cluster = try node.open()
        node.setScript { $0.sql == "COMMIT" ? .end : .standard }
        let error = #expect(throws: (any Error).self) {
            try cluster.writeWithoutTransaction { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(isUnknown(error), "\(String(describing: error))")
    }

    @Test
    func `A write with an ID that was applied although its answer was lost is not repeated`() throws {
        let cluster = try node.open()
        node.setScript { request in
            if request.sql == "COMMIT" { return request.earlierCount == 0 ? .end : .standard }
            guard request.sql.hasPrefix("INSERT OR IGNORE INTO strata_write"), request.earlierCount == 1 else { return .standard }
            // The table already has the ID.
            return .changed { _ in ScriptedNode.message(6, ScriptedNode.words(1, 0)) }
        }
        var runs = 0
        let isNew = try cluster.write(id: "order") { db in
            runs += 1
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        #expect(isNew)
        #expect(runs == 1)
        #expect(node.count(of: "COMMIT") == 2)
    }

    @Test(arguments: [7, 9, 10, 11, 12, 13, 26, 10250, 10506] as [UInt64])
    func `After an error that may have rolled back the transaction on the node, nothing is committed`(code: UInt64) throws {
        let cluster = try node.open()
        node.setScript { $0.sql == "INSERT INTO t VALUES (1)" ? .failure(code, "a test") : .standard }
        var succeeded = 0
        #expect(throws: (any Error).self) {
            try cluster.write { db in
                // The program catches the error, and continues.
                for number in 1...2 {
                    do {
                        try db.execute(sql: "INSERT INTO t VALUES (\(number))")
                        succeeded += 1
                    } catch {}
                }
            }
        }
        #expect(succeeded == 0)
        #expect(node.count(of: "COMMIT") == 0)
        #expect(node.count(of: "INSERT INTO t VALUES (2)") == 0)
        node.setScript { _ in .standard }
        try cluster.insert()
    }

    @Test
    func `Errors say what has happened on the leader`() throws {
        let cluster = try node.open(leaderTimeout: .milliseconds(300))
        node.setScript { $0.sql.hasPrefix("INSERT") ? .failure(10506, "disk I/O error") : .standard }
        #expect(throws: ClusterError.connectionLost("the node has lost the leadership")) { try cluster.insert() }
        node.setScript { $0.sql == "COMMIT" ? .failure(778, "disk I/O error") : .standard }
        #expect(throws: ClusterError.outcomeUnknown("the leader could not write to its disk (disk I/O error, error 778)")) {
            try cluster.insert()
        }
        node.setScript { $0.sql.hasPrefix("INSERT") ? .failure(13, "database or disk is full") : .standard }
        let error = #expect(throws: DatabaseError.self) { try cluster.insert() }
        #expect(error?.advice?.contains("Look at the disk of the leader") == true)
        node.setScript { $0.isLeader ? .silence : .standard }
        node.dropClients()
        let absence = #expect(throws: ClusterError.self) { try cluster.insert() }
        if case .noLeader(let reason)? = absence { #expect(!reason.isEmpty) } else { Issue.record("\(String(describing: absence))") }
    }

    // MARK: - Other nodes, and garbled messages

    @Test
    func `A node that answers for another cluster is not followed`() throws {
        let cluster = try node.open(leaderTimeout: .milliseconds(300))
        let stranger = ScriptedNode()
        node.follow(stranger.address)
        node.dropClients()
        var reasons: [String] = []
        while !(reasons.last?.contains("another cluster") ?? false), reasons.count < 20 {
            let error = #expect(throws: ClusterError.self) { try cluster.insert() }
            guard case .noLeader(let reason)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            reasons.append(reason)
        }
        #expect(reasons.last?.contains("another cluster") == true, "\(reasons)")
        #expect(stranger.count(of: "COMMIT") == 0)
    }

    @Test(arguments: 0..<4)
    func `Malformed, truncated and oversized answers are errors, after which the cluster can still be used`(round: Int) throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_SEED"] ?? "") ?? UInt64.random(in: 0...UInt64.max / 100)
        let own = seed &+ UInt64(round)
        let cluster = try eventually { try node.open(requestTimeout: .milliseconds(50), leaderTimeout: .milliseconds(50)) }
        let random = Mutex(SeededGenerator(seed: own))
        var errorCount = 0
        for step in 0..<40 {
            node.setScript { _ in
                random.withLock { random in
                    guard Int.random(in: 0..<5, using: &random) == 0 else { return .standard }
                    let word = [0, 1, 0xff, 0xffff_ffff, 1 << 63, .max, 0xeeee_eeee_eeee_eeee, UInt64.random(in: 0...255, using: &random)]
                        .randomElement(using: &random)!
                    let position = 8 * Int.random(in: 0..<8, using: &random)
                    let isCut = Int.random(in: 0..<4, using: &random) == 0
                    return .changed { bytes in
                        var bytes = bytes
                        for index in 0..<8 where position + index < bytes.count {
                            bytes[position + index] = UInt8(truncatingIfNeeded: word >> UInt64(8 * index))
                        }
                        return isCut ? Array(bytes.dropLast(position)) : bytes
                    }
                }
            }
            do {
                if step % 2 == 0 { try cluster.insert() } else { _ = try cluster.value() }
            } catch {
                #expect(error is ClusterError || error is DatabaseError, "seed \(own), step \(step): \(error)")
                errorCount += 1
            }
            node.setScript { _ in .standard }
            node.dropClients()
            while (try? cluster.insert()) == nil || (try? cluster.value()) != 7 {}
        }
        #expect(errorCount > 0)
        // One writes, and one reads.
        #expect(1...2 ~= node.clientSockets().count)
        try cluster.close()
        #expect(node.clientSockets().count == 0)
    }
}
