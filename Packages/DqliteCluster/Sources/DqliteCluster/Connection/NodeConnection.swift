import CDqliteCluster
import SQLiteDriver

/// An error response of a node.
struct NodeFailure: Error, Equatable, CustomStringConvertible {
    let code: Int32
    let message: String

    /// The node is not the leader: the request was not run.
    static let notLeader: Int32 = 10250
    /// The node has lost the leadership since it got the request: the request may or may not have run.
    static let leadershipLost: Int32 = 10506
    /// `SQLITE_NOTFOUND`: the node has no database for the connection, as it lost the leadership, and has it again: a paused leader does so.
    /// The request was not run.
    static let noDatabase: Int32 = 12
    static let busy: Int32 = 5

    /// A commit hook has refused the commit (`SQLITE_CONSTRAINT_COMMITHOOK`).
    static let commitHook: Int32 = 531
    /// `SQLITE_IOERR_WRITE`: libraft reports a full disk so.
    static let diskWrite: Int32 = 778

    /// Whether the node is no longer the leader that the client has connected to.
    var isOfOtherLeadership: Bool { [Self.notLeader, Self.leadershipLost, Self.noDatabase].contains(code) }

    /// The result code without its extension.
    var primaryCode: Int32 { code & 0xff }

    /// What has happened: a node sends SQLite's descriptions also for failures of its own.
    var description: String {
        switch code {
        case Self.notLeader: "the node is not the leader"
        case Self.leadershipLost, Self.noDatabase: "the node has lost the leadership"
        case SQLITE_FULL, Self.diskWrite: "the leader could not write to its disk (\(message), error \(code))"
        default: message.isEmpty ? "error \(code)" : "\(message) (error \(code))"
        }
    }

    /// The error for the program.
    var databaseError: DatabaseError {
        switch primaryCode {
        case SQLITE_INTERRUPT:
            // A client that interrupts a statement closes the connection, and gets no answer.
            DatabaseError(
                resultCode: ResultCode(rawValue: code), message: "the statement took longer than the limit of the leader",
                advice: "Make it shorter, with an index or in parts, or raise DqliteNode.Limits.statementTime on each node.")
        case SQLITE_TOOBIG:
            DatabaseError(
                resultCode: ResultCode(rawValue: code), message: message,
                advice: "A node has values and rows of up to \(WireRequest.maximumSize * 2) bytes.")
        case SQLITE_FULL, SQLITE_IOERR:
            DatabaseError(
                resultCode: ResultCode(rawValue: code), message: description,
                advice: "Look at the disk of the leader. DqliteNode.Limits.diskReserve makes a node hand its leadership over in time.")
        case _ where code == Self.commitHook:
            DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "the transaction changes more than the leader can commit",
                advice: "Write in several transactions, or raise DqliteNode.Limits.transactionSize on each node.")
        default: DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
        }
    }
}

/// A connection to a node, for one request at a time.
///
/// Use it from one thread at a time; ``shutDown()`` can be called from any thread.
final class NodeConnection {
    private let socket: NodeSocket
    private let counts: Guarded<ClusterCounts>
    private var parser = WireMessageParser()
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// How long the node may take to answer.
    var timeout: Duration

    /// When all answers must have come; nil for no limit.
    var limit: Deadline?

    /// Called each second while the node does not answer. Throws if waiting is pointless.
    var checkWait: (() throws -> Void)?

    var address: NodeAddress { socket.address }

    /// Connects to a node.
    ///
    /// - Parameter timeout: how long a node may take to answer.
    init(_ address: NodeAddress, timeout: Duration, deadline: Deadline, _ counts: Guarded<ClusterCounts>) throws {
        self.timeout = timeout
        self.counts = counts
        limit = deadline
        let deadline = deadline.earlier(of: Deadline(after: timeout))
        socket = try NodeSocket(address, deadline)
        var handshake: [UInt8] = []
        handshake.append(word: 1)
        try socket.send(handshake, deadline)
    }

    /// Ends a request that is in progress. Safe from any thread.
    var interruption: @Sendable () -> Void { { [socket] in socket.shutDown() } }

    func close() {
        socket.close()
    }

    /// Sends a request, and returns the response.
    ///
    /// - Throws: ``NodeFailure``, ``SocketError`` or ``WireError``.
    func send(_ request: WireRequest) throws -> WireResponse {
        let deadline = nextDeadline
        try socket.send(try request.finished(), deadline)
        counts.withLock { $0.requests += 1 }
        return try receive(deadline)
    }

    /// Returns the next response, for rows in several messages.
    func receive() throws -> WireResponse {
        try receive(nextDeadline)
    }

    /// When the next answer must have come.
    private var nextDeadline: Deadline {
        let deadline = AccessTime.limited(Deadline(after: timeout))
        return limit.map { $0.earlier(of: deadline) } ?? deadline
    }

    private func receive(_ deadline: Deadline) throws -> WireResponse {
        while true {
            if let message = try parser.next() {
                let response = try WireResponse(message)
                if case .failure(let code, let message) = response {
                    throw NodeFailure(code: Int32(truncatingIfNeeded: code), message: message)
                }
                return response
            }
            do {
                let slice = checkWait == nil ? deadline : deadline.earlier(of: Deadline(after: .seconds(1)))
                let count = try socket.receive(into: &buffer, slice)
                parser.append(buffer[..<count])
            } catch let error as SocketError where error.isTimeout && !deadline.hasPassed {
                try checkWait?()
            }
        }
    }

    // MARK: - Requests

    /// Returns the leader that the node knows.
    func leader() throws -> (id: UInt64, address: String) {
        var request = WireRequest(.leader)
        request.append(word: 0)
        guard case .node(let id, let address) = try send(request) else { throw WireError("an unexpected response about the leader") }
        return (id, address)
    }

    /// Opens a database.
    func open(_ name: String) throws -> UInt32 {
        var client = WireRequest(.client)
        client.append(word: UInt64.random(in: 1...UInt64(Int64.max)))
        guard case .welcome = try send(client) else { throw WireError("an unexpected response to the registration") }
        var request = WireRequest(.open)
        try request.append(text: name)
        request.append(word: 0)
        try request.append(text: "")
        guard case .database(let id) = try send(request) else { throw WireError("an unexpected response to the opening of a database") }
        return id
    }

    /// Runs a statement in a database.
    func run(
        _ kind: WireRequest.Kind, _ sql: String, _ parameters: WireParameters = WireParameters(), in database: UInt32
    ) throws -> WireResponse {
        var request = WireRequest(kind)
        request.append(word: UInt64(database))
        try request.append(text: sql)
        request.append(parameters)
        if request.bytes.count > WireRequest.maximumSize {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG,
                message: "a statement of \(request.bytes.count) bytes, with its arguments, is too large for a cluster, which takes "
                    + "\(WireRequest.maximumSize)",
                advice: "Store large values in parts, in several transactions, or outside the database.")
        }
        return try send(request)
    }

    /// Runs a query in a database.
    ///
    /// - Returns: the first rows. The rows of later messages are skipped.
    func firstRows(_ sql: String, in database: UInt32) throws -> WireRows {
        guard case .rows(let rows) = try run(.querySQL, sql, in: database) else { throw WireError("an unexpected response to a query") }
        var hasMore = rows.hasMore
        while hasMore {
            guard case .rows(let more) = try receive() else { throw WireError("an unexpected response to a query") }
            hasMore = more.hasMore
        }
        return rows
    }

    func nodes() throws -> [WireResponse.Node] {
        var request = WireRequest(.cluster)
        request.append(word: 1)
        guard case .nodes(let nodes) = try send(request) else { throw WireError("an unexpected response about the nodes") }
        return nodes
    }

    /// Returns the files of a database: the database itself, and its write-ahead log.
    func dump(_ name: String) throws -> [WireResponse.File] {
        var request = WireRequest(.dump)
        try request.append(text: name)
        guard case .files(let files) = try send(request) else { throw WireError("an unexpected response to a dump") }
        return files
    }

    /// Sends a request that a node answers with an empty response.
    func perform(_ request: WireRequest) throws {
        guard case .empty = try send(request) else { throw WireError("an unexpected response to a change of the nodes") }
    }
}
