/// A response of a node.
enum WireResponse: Equatable {
    /// A member of the cluster.
    struct Node: Equatable {
        let id: UInt64
        let address: String
        let role: UInt64
    }

    /// A file of a dump.
    struct File: Equatable {
        let name: String
        let content: ArraySlice<UInt8>
    }

    case failure(code: UInt64, message: String)
    case node(id: UInt64, address: String)
    case welcome
    case nodes([Node])
    case database(UInt32)
    case statement(id: UInt32, parameterCount: UInt64)
    case result(lastInsertedRowID: Int64, changesCount: UInt64)
    case rows(WireRows)
    case empty
    case files([File])

    /// Reads a message.
    ///
    /// - Throws: ``WireError`` if the message is not a response, or is malformed.
    init(_ message: WireMessage) throws {
        var body = WireReader(bytes: message.body)
        switch message.type {
        case 0: self = try Self.readFailure(message.body)
        case 1: self = .node(id: try body.word(), address: try body.text())
        case 2: self = .welcome
        case 3:
            let count = try body.word()
            var nodes: [Node] = []
            for _ in 0..<count { nodes.append(Node(id: try body.word(), address: try body.text(), role: try body.word())) }
            self = .nodes(nodes)
        case 4: self = .database(UInt32(truncatingIfNeeded: try body.word()))
        case 5: self = .statement(id: UInt32(truncatingIfNeeded: try body.word() >> 32), parameterCount: try body.word())
        case 6:
            let rowID = Int64(bitPattern: try body.word())
            let count = try body.word()
            // The connection in memory counts the changed rows one by one, which would take days for a malformed number.
            guard count <= UInt64(Int32.max) else { throw WireError("a statement reported \(count) changed rows") }
            self = .result(lastInsertedRowID: rowID, changesCount: count)
        case 7: self = .rows(try WireRows(message.body))
        case 8: self = .empty
        case 9:
            var files: [File] = []
            for _ in 0..<(try body.word()) { files.append(File(name: try body.text(), content: message.body[try body.blobRange()])) }
            self = .files(files)
        default: throw WireError("the node sent a message of the unknown type \(message.type)")
        }
    }

    /// Reads a failure from its end: rows that were read before the failure may precede the code and the message.
    ///
    /// Only the last word of a string contains a NUL, and a code is small, so that its word contains one.
    private static func readFailure(_ body: [UInt8]) throws -> WireResponse {
        guard body.count >= 16, body.last == 0 else { throw WireError.truncated }
        var start = body.count - 8
        while start >= 16, !body[(start - 8)..<start].contains(0) { start -= 8 }
        var reader = WireReader(bytes: body)
        reader.position = start - 8
        let code = try reader.word()
        return .failure(code: code, message: try reader.text())
    }
}

/// Reads the body of a message, and throws where it ends too early.
struct WireReader {
    let bytes: [UInt8]
    var position = 0

    mutating func word() throws -> UInt64 {
        guard bytes.count - position >= 8 else { throw WireError.truncated }
        defer { position += 8 }
        return bytes.word(at: position)
    }

    mutating func text() throws -> String {
        String(decoding: bytes[try textRange()], as: UTF8.self)
    }

    /// Returns the bytes of the next string, and skips its NUL and the zeros after it.
    mutating func textRange() throws -> Range<Int> {
        guard position <= bytes.count, let end = bytes[position...].firstIndex(of: 0) else { throw WireError.truncated }
        defer { position = (end + 8) / 8 * 8 }
        return position..<end
    }

    /// Returns the bytes of the next blob, and skips the zeros after it.
    mutating func blobRange() throws -> Range<Int> {
        let count = try word()
        guard count <= UInt64(bytes.count - position) else { throw WireError.truncated }
        let end = position + Int(count)
        defer { position = (end + 7) / 8 * 8 }
        return position..<end
    }

    /// Checks the zeros that fill the last word.
    func check() throws {
        if position > bytes.count { throw WireError.truncated }
    }
}

extension RandomAccessCollection<UInt8> where Index == Int {
    /// Returns the little-endian word at an offset from the start, which is in range.
    func word(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(self[startIndex + offset + index]) << UInt64(8 * index) }
        return word
    }
}
