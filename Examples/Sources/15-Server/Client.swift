import ExampleSupport
import Foundation

/// A client of the server, with one connection.
struct Client {
    private var reader: MessageReader
    private let socket: Socket

    init(port: UInt16) async throws {
        socket = try await Socket.connected(to: port)
        reader = MessageReader(socket)
    }

    /// Sends a request, and returns the status and the body of the answer.
    mutating func send(_ method: String, _ path: String, _ body: Data = Data()) async throws -> (status: Int, body: Data) {
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.count)\r\n\r\n"
        try await socket.transmit(Array(head.utf8) + body)
        guard let (lines, body) = await reader.next(), let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { throw ExampleError("The server has not answered.") }
        return (status, body)
    }

    mutating func add(_ author: String, _ text: String, board: String = NoteStore.mainBoard) async throws -> Int {
        try await send("POST", "/notes?board=\(board)", try JSONEncoder().encode(NewNote(author: author, text: text))).status
    }

    /// Asks for the stream of events.
    mutating func watch() async throws {
        try await socket.transmit(Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        _ = await reader.next()
    }

    /// Returns the next event: the latest notes.
    mutating func nextEvent() async throws -> [Note] {
        guard let event = await reader.take(through: Array("\n\n".utf8)) else { throw ExampleError("The stream has ended.") }
        return try Self.decoder.decode([Note].self, from: Data(event.dropFirst("data: ".utf8.count)))
    }

    func end() { socket.end() }

    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

/// The results of a load test.
struct Load: Sendable {
    var answered = 0
    var failed = 0

    /// Sends requests on several connections at the same time, one in ten of which adds a note.
    static func test(port: UInt16, connections: Int, requests: Int) async throws -> Load {
        try await withThrowingTaskGroup(of: Load.self) { group in
            for connection in 1...connections {
                group.addTask {
                    var load = Load()
                    var client = try await Client(port: port)
                    defer { client.end() }
                    for number in 1...requests {
                        let status =
                            number.isMultiple(of: 10)
                            ? try await client.add("Connection \(connection)", "Number \(number)")
                            : try await client.send("GET", number.isMultiple(of: 2) ? "/notes" : "/search?q=moon").status
                        if status < 300 { load.answered += 1 } else { load.failed += 1 }
                    }
                    return load
                }
            }
            return try await group.reduce(into: Load()) { total, load in
                total.answered += load.answered
                total.failed += load.failed
            }
        }
    }
}
