/// A message of dqlite's protocol: a header of one word, and a body of whole words. A word has 8 bytes, little-endian.
///
/// Source: <https://dqlite.io/docs/protocol>
struct WireMessage: Equatable {
    let type: UInt8
    let body: [UInt8]

    /// The number of bytes of the header.
    static let headerSize = 8
}

/// An error of a message that breaks the protocol.
struct WireError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static let truncated = WireError("the message ends too early")
}

/// Collects the bytes that a node sends, and splits them into messages.
struct WireMessageParser {
    /// The size of the largest body that is accepted.
    let limit: Int

    private var bytes: [UInt8] = []
    private var start = 0

    init(limit: Int = 1 << 30) {
        self.limit = limit
    }

    /// The number of bytes that were added, and that no message has used yet.
    var bufferedCount: Int { bytes.count - start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0, start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
            start = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Removes the next message.
    ///
    /// - Returns: nil if more bytes are needed.
    /// - Throws: ``WireError`` if the message is larger than the limit.
    mutating func next() throws -> WireMessage? {
        guard bufferedCount >= WireMessage.headerSize else { return nil }
        let size = try bodySize()
        let bodyStart = start + WireMessage.headerSize
        guard bytes.count - bodyStart >= size else { return nil }
        let message = WireMessage(type: bytes[start + 4], body: Array(bytes[bodyStart..<(bodyStart + size)]))
        start = bodyStart + size
        return message
    }

    private func bodySize() throws -> Int {
        let words = bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard words <= limit / 8 else { throw WireError("a message of \(words) words is too large") }
        return words * 8
    }
}
