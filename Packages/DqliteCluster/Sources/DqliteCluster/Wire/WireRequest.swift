import SQLiteDriver

/// A request, while it is written.
struct WireRequest {
    /// The types of requests.
    enum Kind: UInt8 {
        case leader = 0, client, open = 3, prepare, exec, query, finalize, execSQL, querySQL, interrupt
        case add = 12, assign, remove, dump, cluster, transfer
    }

    /// The number of bytes that a request may have. A node would take more, but a leader that writes a value of 100 MB takes so long that it
    /// loses its leadership.
    static let maximumSize = 32 << 20

    private(set) var bytes: [UInt8]

    init(_ kind: Kind) {
        bytes = [0, 0, 0, 0, kind.rawValue, 0, 0, 0]
    }

    /// Returns the request with its header complete.
    ///
    /// - Throws: ``WireError`` if the request is too large for its header.
    func finished() throws -> [UInt8] {
        let words = (bytes.count - WireMessage.headerSize) / 8
        // A node ends when it receives a message without words, or a message of 0xffffffff words.
        guard words > 0, words < 0x0fff_ffff else { throw WireError("a request of \(words) words can't be sent") }
        var result = bytes
        for index in 0..<4 { result[index] = UInt8(truncatingIfNeeded: words >> (8 * index)) }
        return result
    }

    mutating func append(word: UInt64) {
        bytes.append(word: word)
    }

    /// Appends a string, a NUL, and zeros up to the next word.
    ///
    /// - Throws: ``WireError`` if the string contains a NUL, where the node would truncate it.
    mutating func append(text: String) throws {
        if text.utf8.contains(0) { throw WireError("a string contains a NUL character") }
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        bytes.pad()
    }

    /// Appends the arguments of a statement.
    mutating func append(_ parameters: WireParameters) {
        // Without parameters there is nothing to append. (A prepared statement would keep its old bindings.)
        if parameters.types.isEmpty { return }
        bytes.append(UInt8(parameters.types.count))
        bytes.append(contentsOf: parameters.types)
        bytes.pad()
        bytes.append(contentsOf: parameters.values)
    }
}

/// The arguments of a statement, as a request contains them.
struct WireParameters {
    /// The largest number of arguments: the protocol counts them in a byte.
    static let maximumCount = 255

    private(set) var types: [UInt8] = []
    private(set) var values: [UInt8] = []

    mutating func removeAll() {
        types.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: values.capacity <= 1 << 16)
    }

    mutating func append(_ integer: Int64) {
        types.append(WireType.integer.rawValue)
        values.append(word: UInt64(bitPattern: integer))
    }

    mutating func append(_ real: Double) {
        types.append(WireType.real.rawValue)
        values.append(word: real.bitPattern)
    }

    /// Appends a string without NUL characters.
    mutating func append(text: UnsafeRawBufferPointer) {
        types.append(WireType.text.rawValue)
        values.append(contentsOf: text)
        values.append(0)
        values.pad()
    }

    mutating func append(blob: UnsafeRawBufferPointer) {
        types.append(WireType.blob.rawValue)
        values.append(word: UInt64(blob.count))
        values.append(contentsOf: blob)
        values.pad()
    }

    mutating func appendNull() {
        types.append(WireType.null.rawValue)
        values.append(word: 0)
    }

    /// Appends a value, with the bytes of a string as they are.
    ///
    /// - Returns: false for a string with a NUL character, where a node would truncate it. It is not appended.
    mutating func append(_ value: UnprotectedValue) -> Bool {
        switch value.storage {
        case .integer: append(value.int64 ?? 0)
        case .real: append(value.double ?? 0)
        case .text:
            return value.withUnsafeText { text in
                if text.contains(0) { return false }
                append(text: text)
                return true
            }
        case .blob: value.withUnsafeBlob { append(blob: $0) }
        case .null: appendNull()
        }
        return true
    }
}

/// The types of values in messages. The first five are SQLite's storage classes.
enum WireType: UInt8 {
    case integer = 1, real, text, blob, null
    /// Types that a node derives from the declared type of a column.
    case unixTime = 9, iso8601, boolean
}

extension [UInt8] {
    mutating func append(word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    /// Appends zeros up to a multiple of 8.
    mutating func pad() {
        while count % 8 != 0 { append(0) }
    }
}
