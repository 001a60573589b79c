import Foundation

/// A request of HTTP/1.1.
struct Request: Sendable {
    var method: String
    var path: String
    var query: [String: String]
    var body: Data

    /// The board that the request is about.
    var board: String { query["board"] ?? NoteStore.mainBoard }
}

/// An answer.
struct Response: Sendable {
    var status = 200
    var type = "application/json"
    var body = Data()

    static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Response(status: status, body: try encoder.encode(value))
    }

    static func problem(_ message: String, status: Int) throws -> Response { try json(["error": message], status: status) }

    var bytes: [UInt8] {
        let reasons = [
            200: "OK", 201: "Created", 400: "Bad Request", 404: "Not Found", 503: "Service Unavailable", 504: "Gateway Timeout",
        ]
        let reason = reasons[status] ?? "Internal Server Error"
        let head = "HTTP/1.1 \(status) \(reason)\r\nContent-Type: \(type); charset=utf-8\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}

/// Reads requests, or answers, from a socket: a head of lines, and a body of `Content-Length` bytes.
struct MessageReader {
    let socket: Socket
    private var bytes: [UInt8] = []
    private static let limit = 1_000_000

    init(_ socket: Socket) { self.socket = socket }

    /// Returns the lines of the next head and the body, or nil at the end of the stream.
    mutating func next() async -> (lines: [String], body: Data)? {
        guard let head = await take(through: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
        let length =
            lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) } ?? 0
        guard !lines.isEmpty, (0...Self.limit).contains(length) else { return nil }
        while bytes.count < length {
            guard await receive() else { return nil }
        }
        defer { bytes.removeFirst(length) }
        return (lines, Data(bytes[..<length]))
    }

    /// Returns the next request, or nil at the end of the stream and for input that is not HTTP.
    mutating func nextRequest() async -> Request? {
        guard let (lines, body) = await next() else { return nil }
        let words = lines[0].split(separator: " ")
        guard words.count == 3, let url = URLComponents(string: String(words[1])) else { return nil }
        let query = (url.queryItems ?? []).map { ($0.name, $0.value?.replacingOccurrences(of: "+", with: " ") ?? "") }
        return Request(
            method: String(words[0]), path: url.path, query: Dictionary(query, uniquingKeysWith: { $1 }), body: body)
    }

    /// Returns the bytes up to a delimiter, and removes them.
    mutating func take(through delimiter: [UInt8]) async -> [UInt8]? {
        while true {
            if let end = bytes.firstRange(of: delimiter)?.upperBound {
                defer { bytes.removeFirst(end) }
                return Array(bytes[..<end])
            }
            guard bytes.count < Self.limit, await receive() else { return nil }
        }
    }

    private mutating func receive() async -> Bool {
        let received = await socket.receive()
        bytes += received
        return !received.isEmpty
    }
}
