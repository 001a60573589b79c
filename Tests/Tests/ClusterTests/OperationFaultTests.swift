import DqliteCluster
import Foundation
import Strata
import Testing

/// What happens to hosts, disks and clients, to nodes that are processes. `make soak` runs the tests with transfers longer:
/// `STRATA_LEADER_KILLS`.
@Suite(.enabled(if: DqliteNode.isAvailable, "libdqlite is not installed"), .serialized, .timeLimit(.minutes(20)))
struct OperationFaultTests {
    private func makeTable(_ cluster: DqliteCluster) throws {
        try cluster.write(id: "t") { db in try db.execute(sql: "CREATE TABLE t (a TEXT NOT NULL)") }
    }

    private func insert(_ cluster: DqliteCluster, _ value: String) throws {
        try cluster.write(id: value) { db in try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) }
    }

    private func values(_ cluster: DqliteCluster) throws -> [String] {
        try cluster.read(.repeatable) { db in try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY rowid") }
    }

    // MARK: - Clients

    /// Ways in which a client goes without closing its connection.
    enum Disappearance: CaseIterable {
        /// Its process, or its virtual machine, is paused.
        case paused
        /// The cable of its host is pulled out.
        case unplugged
    }

    @Test(arguments: TestNetwork.isAvailable ? Disappearance.allCases : [.paused])
    func `A client that vanishes inside a transaction does not keep others from writing`(_ disappearance: Disappearance) throws {
        let nodes = try NodeProcesses(options: ["idle=500"], network: disappearance == .unplugged ? TestNetwork(hostCount: 4) : nil)
        let cluster = try nodes.open()
        try makeTable(cluster)
        let client = try nodes.client()
        #expect(try client.run("BEGIN IMMEDIATE") == "ok")
        #expect(try client.run("INSERT INTO t VALUES ('vanished')") == "ok")
        let leader = try cluster.leader().id
        switch disappearance {
        case .paused: client.signal(SIGSTOP)
        case .unplugged: try nodes.network?.unplug(4)
        }
        // Its busy timeout is 20 s, and the keepalive of the system takes hours.
        try insert(cluster, "kept")
        #expect(try values(cluster) == ["kept"])
        #expect(try nodes.problem(leader).contains("a client has kept a transaction open for"))
        // The client is not told that its transaction has succeeded.
        switch disappearance {
        case .paused: client.signal(SIGCONT)
        case .unplugged: try nodes.network?.plug(4)
        }
        #expect(try client.run("COMMIT") != "ok")
        #expect(try values(cluster) == ["kept"])
        try cluster.close()
    }

    @Test
    func `A statement without an end is ended by the leader, and others write meanwhile and afterwards`() throws {
        // The election takes 3 s, as long as the leader is not silent for longer.
        let nodes = try NodeProcesses(latency: 200, options: ["statement=300"])
        let cluster = try nodes.open()
        try makeTable(cluster)
        let client = try nodes.client()
        for round in 1...3 {
            try client.send(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*), (SELECT max(a) FROM t) FROM n")
            try insert(cluster, "\(round)")
            let answer = try client.answer()
            #expect(answer.contains("took longer than the limit of the leader"), "\(answer)")
        }
        #expect(try values(cluster) == ["1", "2", "3"])
        try cluster.close()
    }

    // MARK: - Disks

    @Test(.enabled(if: TestNetwork.canMount, "the process may not mount file systems"))
    func `A leader whose disk becomes full hands its leadership over, and does not start before there is space`() throws {
        let disk = try SmallDisk(megabytes: 100)
        let nodes = try NodeProcesses(options: ["reserve=20000000"], folders: [2: disk.path])
        let cluster = try nodes.open()
        try makeTable(cluster)
        nodes.lead(2, cluster)
        try insert(cluster, "before")
        try disk.fill(leaving: 1_000_000)
        yieldThread(until: "another node leads") { (try? cluster.leader().id).map { $0 != 2 } ?? false }
        for number in 1...5 { try insert(cluster, "\(number)") }
        #expect(try nodes.problem(2).contains("less than the reserve of 20000000. The node has handed its leadership over to"))
        nodes.stop(2)
        #expect(throws: ProcessFailure.self) { try nodes.start(2) }
        try disk.empty()
        try nodes.start(2)
        nodes.lead(2, cluster)
        try insert(cluster, "after")
        #expect(try values(cluster) == ["before", "1", "2", "3", "4", "5", "after"])
        try cluster.close()
    }

    @Test(.enabled(if: TestNetwork.canMount, "the process may not mount file systems"))
    func `A write that meets a full disk names the disk, or has an unknown outcome, and is neither lost nor applied twice`() throws {
        let disk = try SmallDisk(megabytes: 60)
        let nodes = try NodeProcesses(options: ["reserve=0"], folders: [2: disk.path])
        let cluster = try nodes.open()
        try makeTable(cluster)
        nodes.lead(2, cluster)
        try disk.fill(leaving: 0)
        // What libraft has allocated in advance is filled first.
        var acknowledged: [String] = []
        var uncertain: Set<String> = []
        var failure: (any Error)?
        while failure == nil {
            let value = "\(acknowledged.count)"
            do {
                try cluster.write { db in
                    try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value])
                    try db.execute(sql: "CREATE TABLE IF NOT EXISTS ballast (a); INSERT INTO ballast VALUES (zeroblob(1000000))")
                }
                acknowledged.append(value)
            } catch {
                failure = error
                if case ClusterError.outcomeUnknown? = error as? ClusterError { uncertain.insert(value) }
            }
        }
        let message = "\(String(describing: failure))"
        #expect(message.contains("could not write to its disk") || !uncertain.isEmpty, "\(message)")
        // The way out that the guide has.
        nodes.stop(2)
        try insert(cluster, "other")
        let applied = try values(cluster)
        #expect(Set(applied).count == applied.count)
        #expect(Set(acknowledged).subtracting(applied).isEmpty)
        #expect(Set(applied).subtracting(acknowledged).subtracting(uncertain) == ["other"])
        try cluster.close()
    }

    // MARK: - Members

    @Test(arguments: TestNetwork.isAvailable ? Disappearance.allCases : [.paused])
    func `A member whose host does not answer is reported, not promoted, and can be removed and replaced`(_ disappearance: Disappearance)
        throws
    {
        let nodes = try NodeProcesses(laterCount: 1, network: disappearance == .unplugged ? TestNetwork(hostCount: 4) : nil)
        let cluster = try nodes.open()
        try makeTable(cluster)
        nodes.lead(1, cluster)
        func expectNoAnswer(_ body: () throws -> Void) {
            let error = #expect(throws: ClusterError.self) { try body() }
            #expect("\(String(describing: error))".contains("no node answers at"), "\(String(describing: error))")
        }
        expectNoAnswer { try cluster.add(id: 4, address: nodes.addresses[3]) }
        try cluster.demote(id: 3)
        switch disappearance {
        case .paused: nodes.pause(3)
        case .unplugged: try nodes.network?.unplug(3)
        }
        // The kernel of a paused node still accepts connections.
        #expect(try cluster.members(timeout: .seconds(3)).filter { !$0.isReachable }.map(\.node.id) == [3])
        expectNoAnswer { try cluster.promote(id: 3) }
        // No change is in progress that keeps others from happening.
        try nodes.start(4)
        try cluster.remove(id: 3)
        try nodes.join(4, cluster)
        #expect(try cluster.nodes().map(\.id).sorted() == [1, 2, 4])
        #expect(try cluster.status().warnings == [])
        try insert(cluster, "after")
        #expect(try values(cluster) == ["after"])
        if disappearance == .paused { nodes.resume(3) }
        try cluster.close()
    }

    // MARK: - Migrations

    @Test
    func `A migration whose commit outlasts the election is reported as what it is`() throws {
        let nodes = try NodeProcesses()
        let cluster = try nodes.open()
        try makeTable(cluster)
        for round in 1...max(FailoverTests.killCount / 2, 1) {
            nodes.lead(1, cluster)
            let own = try nodes.open()
            // The followers are paused before the commit, and continue when the leader has given up.
            let resumption = Semaphore("the migration's closure has ended")
            var migrator = DatabaseMigrator()
            for earlier in 1..<round { migrator.registerMigration("\(earlier)") { _ in } }
            migrator.registerMigration("\(round)") { db in
                try db.execute(sql: "CREATE TABLE m\(round) (a)")
                for id in [UInt64(2), 3] { nodes.pause(id) }
                resumption.signal()
            }
            let resumed = Semaphore("the followers continue")
            Thread.detachNewThread {
                resumption.wait()
                while (try? nodes.isLeader(1)) != false { sched_yield() }
                for id in [UInt64(2), 3] { nodes.resume(id) }
                resumed.signal()
            }
            let result = Result { try migrator.migrate(own) }
            resumed.wait()
            let tables = try cluster.read(.repeatable) { db in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master") }
            let isApplied = tables.contains("m\(round)")
            switch result {
            case .success: #expect(isApplied)
            case .failure(let error):
                #expect(error is MigrationError, "\(error)")
                let isRolledBack = "\(error)".contains("failed, and was rolled back")
                #expect(isRolledBack ? !isApplied : "\(error)".contains("failed, and may or may not"), "\(error), \(tables)")
            }
            try migrator.migrate(cluster)
            try own.close()
        }
        try cluster.close()
    }

    // MARK: - Partitions

    /// How the host of the leader leaves the others.
    enum Separation: CaseIterable {
        case cutOff, unplugged
    }

    @Test(.enabled(if: TestNetwork.isAvailable, "the process may not make network namespaces"), arguments: Separation.allCases)
    func `No acknowledged write is lost or applied twice while hosts are cut off and unplugged`(_ separation: Separation) async throws {
        let network = try TestNetwork(hostCount: 4)
        let nodes = try NodeProcesses(network: network)
        let cluster = try nodes.open()
        try makeTable(cluster)
        let journal = FailoverTests.Journal()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<3 {
                group.addTask {
                    try await journal.write(client, nodes) { try $0.execute(sql: "INSERT INTO t VALUES (?)", arguments: [$1]) }
                }
            }
            for _ in 0..<FailoverTests.killCount {
                await journal.waitForMore(8)
                let leader = Int(try cluster.leader().id)
                let others = (1...3).filter { $0 != leader }
                switch separation {
                case .cutOff: try network.cut(leader, from: others)
                case .unplugged: try network.unplug(leader)
                }
                // The clients continue on the other hosts.
                await journal.waitForMore(8)
                switch separation {
                case .cutOff: try network.heal(leader, with: others)
                case .unplugged: try network.plug(leader)
                }
            }
            await journal.waitForMore(8)
            journal.end()
            try await group.waitForAll()
        }
        journal.expectOutcomes(try values(cluster))
        try cluster.close()
    }

    /// An operator has given node 1 an empty disk, and its process begins a cluster, while the others elect a leader.
    @Test
    func `Clients that are connected don't follow a second cluster at a member's address`() throws {
        let nodes = try NodeProcesses()
        let cluster = try nodes.open()
        try makeTable(cluster)
        nodes.lead(2, cluster)
        try insert(cluster, "1")
        nodes.stop(1)
        try FileManager.default.removeItem(atPath: nodes.directory(1))
        try nodes.start(1)
        nodes.stop(2)
        // Now the second cluster has the only leader, unless node 1 votes for node 3.
        if let fresh = try? DqliteCluster(addresses: nodes.addresses, database: "app", leaderTimeout: .seconds(2)) {
            #expect(try values(fresh) == ["1"])
            try fresh.close()
        }
        let early = Result { try cluster.write(timeout: .seconds(2)) { db in try db.execute(sql: "INSERT INTO t VALUES ('early')") } }
        if case .failure(let error) = early { #expect(!(error is DatabaseError), "\(error)") }
        try nodes.start(2)
        try insert(cluster, "2")
        let isEarly = if case .success = early { true } else { false }
        #expect(try values(cluster).filter { $0 != "early" || isEarly } == (isEarly ? ["1", "early", "2"] : ["1", "2"]))
        try cluster.close()
    }
}
