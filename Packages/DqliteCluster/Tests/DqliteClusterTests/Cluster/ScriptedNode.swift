import Foundation
import Testing

@testable import DqliteCluster

/// A node that answers as a test defines. It has a table `t` with a column `a`, and runs no SQL.
///
/// `@unchecked Sendable`: the lock guards the properties.
final class ScriptedNode: @unchecked Sendable {
    /// A request, as a test sees it.
    struct Request: Sendable {
        let type: UInt8
        /// The statement, if the request contains one.
        let sql: String
        /// The number of requests with the same type and statement that came before.
        let earlierCount: Int

        var isLeader: Bool { type == WireRequest.Kind.leader.rawValue }
    }

    /// What the node does with a request.
    enum Reply: Sendable {
        /// It answers like a node.
        case standard
        /// It answers like a node, with other bytes.
        case changed(@Sendable ([UInt8]) -> [UInt8])
        /// It answers with an error.
        case failure(UInt64, String)
        /// It never answers.
        case silence
        /// It closes the connection.
        case end
    }

    let port: UInt16
    var address: String { "127.0.0.1:\(port)" }

    private let lock = NSLock()
    private let descriptor: CInt
    private let clients = Locked<[CInt]>([])
    private var requests: [Request] = []
    private var script: @Sendable (Request) -> Reply = { _ in .standard }
    private var leaderAddress: String?

    init() {
        let (descriptor, port) = boundSocket()
        (self.descriptor, self.port) = (descriptor, port)
        listen(descriptor, 64)
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                if client < 0 {
                    if errno == EINTR { continue }
                    // Only this thread closes the descriptor, as another file may have its number at once.
                    close(descriptor)
                    return
                }
                guard let self else {
                    close(client)
                    continue
                }
                let clients = self.clients
                clients.withLock { $0.append(client) }
                Thread.detachNewThread { [weak self] in
                    Self.serve(client) { self?.answer($0) }
                    clients.withLock { clients in
                        clients.removeAll { $0 == client }
                        close(client)
                    }
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
        dropClients()
    }

    /// Says what the node does with each request, and forgets earlier ones.
    func setScript(_ script: @escaping @Sendable (Request) -> Reply) {
        lock.withLock {
            self.script = script
            requests = []
        }
    }

    /// Makes the node report that another node is the leader.
    func follow(_ address: String) {
        lock.withLock { leaderAddress = address }
    }

    /// Closes the connections of all clients.
    func dropClients() {
        clients.withLock { clients in for client in clients { shutdown(client, CInt(SHUT_RDWR)) } }
    }

    /// Returns the number of requests with a statement.
    func count(of sql: String) -> Int {
        lock.withLock { requests.count { $0.sql == sql } }
    }

    /// Waits for a number of requests with a statement: a client that has a short time limit may continue before its request arrives.
    func wait(for sql: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation) {
        yieldThread(until: "\(count) requests with \(sql)", sourceLocation: sourceLocation) { self.count(of: sql) >= count }
    }

    /// The number of connected clients.
    var clientCount: Int { clients.withLock { $0.count } }

    /// The sockets of this process whose other end is the node.
    func clientSockets() -> [CInt] {
        (0..<CInt(8192)).filter { candidate in
            var name = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &name) { name in
                name.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(candidate, $0, &size) }
            }
            return status == 0 && name.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: name.sin_port) == port
        }
    }

    // MARK: - Inside

    /// Reads the requests of a client, and sends the answers, until one of the two ends the connection.
    private static func serve(_ client: CInt, _ answer: (WireMessage) -> [UInt8]?) {
        var parser = WireMessageParser()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var handshakeSize = 8
        while true {
            let count = recv(client, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return }
            let skipped = min(handshakeSize, count)
            handshakeSize -= skipped
            parser.append(buffer[skipped..<count])
            while let message = try? parser.next() {
                guard let bytes = answer(message) else { return }
                if bytes.withUnsafeBytes({ send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }) < 0 { return }
            }
        }
    }

    private func answer(_ message: WireMessage) -> [UInt8]? {
        var sql = ""
        if message.type == WireRequest.Kind.execSQL.rawValue || message.type == WireRequest.Kind.querySQL.rawValue {
            var reader = WireReader(bytes: message.body)
            _ = try? reader.word()
            sql = (try? reader.text()) ?? ""
        }
        let (request, script) = lock.withLock {
            let count = requests.count { $0.type == message.type && $0.sql == sql }
            let request = Request(type: message.type, sql: sql, earlierCount: count)
            requests.append(request)
            return (request, self.script)
        }
        switch script(request) {
        case .standard: return standardAnswer(request)
        case .changed(let change): return change(standardAnswer(request))
        case .failure(let code, let message): return Self.message(0, Self.words(code) + Self.text(message))
        case .silence: return []
        case .end: return nil
        }
    }

    private func standardAnswer(_ request: Request) -> [UInt8] {
        switch WireRequest.Kind(rawValue: request.type) {
        case .leader: Self.message(1, Self.words(1) + Self.text(lock.withLock { leaderAddress } ?? address))
        case .client: Self.message(2, Self.words(0))
        case .open: Self.message(4, Self.words(0))
        case .cluster: Self.message(3, Self.words(1, 1) + Self.text(address) + Self.words(0))
        case .execSQL: Self.message(6, Self.words(1, 1))
        case .querySQL where request.sql.contains("sqlite_master"):
            Self.message(
                7,
                Self.words(3) + Self.text("type") + Self.text("name") + Self.text("sql") + [0x33, 0x03, 0, 0, 0, 0, 0, 0]
                    + Self.text("table") + Self.text("t") + Self.text("CREATE TABLE t (a)") + Self.words(.max))
        case .querySQL: Self.message(7, Self.words(1) + Self.text("a") + Self.words(1, 7, .max))
        default: Self.message(8, Self.words(0))
        }
    }

    // MARK: - Messages

    static func words(_ words: UInt64...) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words { bytes.append(word: word) }
        return bytes
    }

    static func text(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8) + [0]
        bytes.pad()
        return bytes
    }

    static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        words(UInt64(body.count / 8) | UInt64(type) << 32) + body
    }
}

// MARK: - Clients

extension ScriptedNode {
    /// Opens a cluster of the node, which then answers like a node.
    func open(
        requestTimeout: Duration = .seconds(waitLimit), leaderTimeout: Duration = .seconds(waitLimit), accessTimeout: Duration? = nil
    ) throws -> DqliteCluster {
        let cluster = try DqliteCluster(
            addresses: [address], database: "app", requestTimeout: requestTimeout, leaderTimeout: leaderTimeout,
            accessTimeout: accessTimeout)
        setScript { _ in .standard }
        return cluster
    }
}

extension DqliteCluster {
    func insert() throws {
        try write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
    }

    func value() throws -> Int64? {
        try read { db in
            let statement = try db.makeStatement(sql: "SELECT a FROM t")
            return try statement.step() ? statement.int64(at: 0) : nil
        }
    }
}

func isUnknown(_ error: (any Error)?) -> Bool {
    if case ClusterError.outcomeUnknown? = error { true } else { false }
}

func isLost(_ error: (any Error)?) -> Bool {
    if case ClusterError.connectionLost? = error { true } else { false }
}

/// Runs what has a short time limit until the leader answers in time.
func eventually<T>(_ body: () throws -> T) throws -> T {
    for _ in 0..<99 {
        do { return try body() } catch is ClusterError {} catch is DatabaseTimeoutError {}
    }
    return try body()
}

/// Inserts until a commit is sent, and returns the error of the last insertion.
func insertUntilCommit(_ cluster: DqliteCluster) -> (any Error)? {
    while true {
        let error = #expect(throws: (any Error).self) { try cluster.insert() }
        if !(error is DatabaseTimeoutError) && !isLost(error) { return error }
    }
}

/// A value behind a lock.
///
/// `@unchecked Sendable`: the lock guards the value.
final class Mutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func withLock<T>(_ body: (inout Value) -> T) -> T {
        lock.withLock { body(&value) }
    }
}
