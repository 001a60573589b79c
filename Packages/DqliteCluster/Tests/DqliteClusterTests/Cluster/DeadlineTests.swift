import DqliteCluster
import Foundation
import Testing

/// Accesses that end at their deadline, whatever they wait for.
///
/// On a busy machine, even an answer that is sent immediately may come later than the short time limits of these tests allow.
@Suite(.timeLimit(.minutes(20)))
struct DeadlineTests {
    let node = ScriptedNode()

    @Test(arguments: ["BEGIN IMMEDIATE TRANSACTION", "PRAGMA schema_version", "INSERT INTO t VALUES (1)"])
    func `An access whose requests are not answered ends with its time limit`(sql: String) throws {
        let cluster = try node.open(accessTimeout: .milliseconds(200))
        node.setScript { $0.sql == sql ? .silence : .standard }
        #expect(throws: DatabaseTimeoutError.self) { try cluster.insert() }
        node.setScript { _ in .standard }
        try eventually { try cluster.insert() }
        #expect(try eventually { try cluster.value() } == 7)
    }

    @Test(arguments: ["BEGIN", "SELECT"])
    func `A read whose leader does not answer ends with the time limit`(start: String) async throws {
        let cluster = try node.open(accessTimeout: .milliseconds(200))
        node.setScript { $0.sql.hasPrefix(start) || $0.sql.contains("strata_t") && start == "SELECT" ? .silence : .standard }
        #expect(throws: DatabaseTimeoutError.self) { try cluster.value() }
        await #expect(throws: DatabaseTimeoutError.self) {
            try await cluster.read { db in try db.execute(sql: "SELECT a FROM t") }
        }
        node.setScript { _ in .standard }
        #expect(try eventually { try cluster.value() } == 7)
    }

    @Test
    func `A task that an access starts has a time limit of its own`() async throws {
        let cluster = try node.open(accessTimeout: .seconds(1))
        let begin = ContinuousClock.now
        @Sendable func wait(until time: Duration) { while begin.duration(to: .now) < time { sched_yield() } }
        let inner = Locked<Task<Void, any Error>?>(nil)
        try await cluster.read { _ in
            wait(until: .milliseconds(700))
            let isInside = Semaphore("the inner access has begun")
            inner.value = Task {
                try await cluster.read { db in
                    isInside.signal()
                    // The time of the outer access is over.
                    wait(until: .milliseconds(1200))
                    try db.execute(sql: "SELECT a FROM t")
                }
            }
            isInside.wait()
        }
        let task = try #require(inner.value)
        try await task.value
    }

    @Test
    func `A leader that can't be found ends an access with its time limit`() throws {
        let cluster = try node.open(accessTimeout: .milliseconds(200))
        node.setScript { $0.isLeader ? .silence : .standard }
        node.dropClients()
        #expect(throws: DatabaseTimeoutError.self) { try cluster.insert() }
        #expect(throws: DatabaseTimeoutError.self) { try cluster.write(.repeatable) { db in try db.execute(sql: "DELETE FROM t") } }
    }

    @Test
    func `An access that is too late for its commit is rolled back, and its outcome is known`() throws {
        let cluster = try node.open(accessTimeout: .milliseconds(100))
        #expect(throws: DatabaseTimeoutError.self) {
            try cluster.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                let clock = ContinuousClock()
                let end = clock.now.advanced(by: .milliseconds(150))
                while clock.now < end {}
            }
        }
        #expect(node.count(of: "COMMIT") == 0)
    }

    @Test
    func `The outcome of a commit that is not answered in time is unknown`() throws {
        let cluster = try node.open(accessTimeout: .milliseconds(200))
        node.setScript { $0.sql == "COMMIT" ? .silence : .standard }
        #expect(isUnknown(insertUntilCommit(cluster)))
        node.wait(for: "COMMIT")
        #expect(node.count(of: "COMMIT") == 1)
    }

    @Test
    func `A task that outlives the access in which it was started has no time limit of that access`() async throws {
        let cluster = try node.open(accessTimeout: .milliseconds(100))
        let isOver = AsyncStream<Void>.makeStream()
        let task = try eventually {
            try cluster.write { db in
                Task {
                    for await _ in isOver.stream {}
                    try await Task.sleep(for: .milliseconds(150))
                    // With the limit of that access, each try would be too late.
                    return try eventually { try cluster.value() }
                }
            }
        }
        isOver.continuation.finish()
        #expect(try await task.value == 7)
    }

    @Test
    func `A request that the leader does not answer in time fails the access`() throws {
        let cluster = try node.open(requestTimeout: .milliseconds(200))
        node.setScript { $0.sql.hasPrefix("INSERT") ? .silence : .standard }
        #expect(isLost(#expect(throws: (any Error).self) { try cluster.insert() }))
        node.setScript { _ in .standard }
        try eventually { try cluster.insert() }
    }

    @Test
    func `The limits of the configuration apply, and those of repeated accesses cover all their runs`() throws {
        let cluster = try node.open()
        node.setScript { $0.sql.hasPrefix("INSERT") ? .silence : $0.sql.hasPrefix("DELETE") ? .end : .standard }
        let timeout = Duration.milliseconds(150)
        func expectTimeout(_ body: () throws -> Void) {
            let error = #expect(throws: DatabaseTimeoutError.self) { try body() }
            #expect(error?.timeout == timeout)
            #expect(error?.hasCommitted == false)
        }
        expectTimeout { try cluster.write(timeout: timeout) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") } }
        expectTimeout { try cluster.write(.repeatable, timeout: timeout) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") } }
        expectTimeout { try cluster.write(id: "order", timeout: timeout) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") } }
        var configuration = Configuration()
        configuration.writeTimeout = timeout
        let other = try eventually {
            try DqliteCluster(
                addresses: [node.address], database: "app", configuration: configuration, accessTimeout: .seconds(waitLimit))
        }
        expectTimeout { try other.insert() }
        // Each run ends with its connection, and the last one with the time.
        node.setScript { $0.sql.hasPrefix("DELETE") && $0.earlierCount < 2 ? .end : $0.sql.hasPrefix("DELETE") ? .silence : .standard }
        expectTimeout { try cluster.write(.repeatable, timeout: timeout) { db in try db.execute(sql: "DELETE FROM t") } }
    }

    @Test
    func `An access that waits for another one ends with its time limit`() throws {
        let cluster = try node.open(accessTimeout: .milliseconds(100))
        let (isBusy, isFree) = (Semaphore("the connection is busy"), Semaphore("the late access has failed"))
        cluster.asyncWriteWithoutTransaction { _ in
            isBusy.signal()
            isFree.wait()
        }
        isBusy.wait()
        let error = #expect(throws: DatabaseTimeoutError.self) { try cluster.insert() }
        #expect(error?.phase == .waitingForConnection)
        isFree.signal()
    }

    /// Otherwise, accesses that have less time than connecting takes would never succeed after a failover.
    @Test
    func `A connection that opens too late for an access is there for the next one`() throws {
        let cluster = try node.open()
        try cluster.insert()
        let mayAnswer = Semaphore("the node may answer")
        node.setScript { request in
            if request.isLeader, request.earlierCount == 0 { mayAnswer.wait() }
            return .standard
        }
        node.dropClients()
        #expect(throws: DatabaseTimeoutError.self) {
            try cluster.write(timeout: .milliseconds(50)) { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        }
        #expect(node.count(of: "PRAGMA cache_spill = 0") == 0)
        mayAnswer.signal()
        node.wait(for: "PRAGMA cache_spill = 0")
        try cluster.insert()
        #expect(node.count(of: "PRAGMA cache_spill = 0") == 1)
        #expect(node.count(of: "COMMIT") == 1)
    }

    @Test
    func `Without a leader, writes that wait for each other fail together`() throws {
        let cluster = try node.open(leaderTimeout: .milliseconds(500))
        try cluster.insert()
        node.setScript { $0.isLeader ? .end : .standard }
        node.dropClients()
        let count = 14
        let hasFailed = Semaphore("a write has failed")
        let reasons = Locked<[String]>([])
        let begin = ContinuousClock.now
        for _ in 0..<count {
            Thread.detachNewThread {
                let result = Result { try cluster.insert() }
                if case .failure(ClusterError.noLeader(let reason)) = result { reasons.withLock { $0.append(reason) } }
                hasFailed.signal()
            }
        }
        for _ in 0..<count { hasFailed.wait() }
        #expect(reasons.value.count == count)
        #expect(reasons.value.allSatisfy { $0.contains("closed the connection") })
        // One after the other, they would take 7 s.
        #expect(begin.duration(to: .now) < .seconds(5))
        // The time without a leader that came before does not count for a later access.
        node.setScript { $0.isLeader && $0.earlierCount < 2 ? .end : .standard }
        try cluster.insert()
    }
}
