/// An error response of a node.
struct NodeFailure: Error, Equatable {
    let code: Int32
    let message: String

    /// The node is not the leader: the request was not run.
    static let notLeader: Int32 = 10250
    /// The node has lost the leadership since it got the request: the request may or may not have run.
    static let leadershipLost: Int32 = 10506
    static let busy: Int32 = 5

    /// The result code without its extension.
    var primaryCode: Int32 { code & 0xff }
}

/// A connection to a node, for one request at a time.
///
/// Use it from one thread at a time; ``shutDown()`` can be called from any thread.
final class NodeConnection {
    private let socket: NodeSocket
    private let counts: ClusterCounts
    private var parser = WireMessageParser()
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)

    /// How long the node may take to answer.
    var timeout: Duration

    /// Called each second while the node does not answer. Throws if waiting is pointless.
    var checkWait: (() throws -> Void)?

    var address: NodeAddress { socket.address }

    /// Connects to a node.
    ///
    /// - Parameter timeout: how long a node may take to answer.
    init(_ address: NodeAddress, timeout: Duration, deadline: Deadline, _ counts: ClusterCounts) throws {
        self.timeout = timeout
        self.counts = counts
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
        let deadline = AccessTime.limited(Deadline(after: timeout))
        try socket.send(try request.finished(), deadline)
        counts.noteRequest()
        return try receive(deadline)
    }

    /// Returns the next response, for rows in several messages.
    func receive() throws -> WireResponse {
        try receive(AccessTime.limited(Deadline(after: timeout)))
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

    func nodes() throws -> [WireResponse.Node] {
        var request = WireRequest(.cluster)
        request.append(word: 1)
        guard case .nodes(let nodes) = try send(request) else { throw WireError("an unexpected response about the nodes") }
        return nodes
    }

    /// Sends a request that a node answers with an empty response.
    func perform(_ request: WireRequest) throws {
        guard case .empty = try send(request) else { throw WireError("an unexpected response to a change of the nodes") }
    }
}
