/// Splits an array or object of JSON into its values, as they are written, after checking all of it.
///
/// Values can be nested to any depth: the parser does not call itself.
///
/// Source: <https://www.rfc-editor.org/rfc/rfc8259>
struct JSONParser {
    /// The text is not valid JSON.
    struct SyntaxError: Error {}

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Returns the bytes of the names and values of an object.
    static func members(_ object: ArraySlice<UInt8>) throws(SyntaxError) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        var parser = JSONParser(object)
        var members: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
        try parser.readItems("{", "}") { parser throws(SyntaxError) in members.append((try parser.readName(), try parser.readValue())) }
        return members
    }

    /// Returns the bytes of the values of an array.
    static func elements(_ array: ArraySlice<UInt8>) throws(SyntaxError) -> [ArraySlice<UInt8>] {
        var parser = JSONParser(array)
        var elements: [ArraySlice<UInt8>] = []
        try parser.readItems("[", "]") { parser throws(SyntaxError) in elements.append(try parser.readValue()) }
        return elements
    }

    private mutating func readItems(
        _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ readItem: (inout JSONParser) throws(SyntaxError) -> Void
    ) throws(SyntaxError) {
        try expect(UInt8(ascii: open))
        if !accept(UInt8(ascii: close)) {
            repeat { try readItem(&self) } while accept(UInt8(ascii: ","))
            try expect(UInt8(ascii: close))
        }
        skipSpace()
        if position < bytes.endIndex { throw SyntaxError() }
    }

    // MARK: Values

    private mutating func readValue() throws(SyntaxError) -> ArraySlice<UInt8> {
        skipSpace()
        let start = position
        // The brackets and braces that the arrays and objects around the position need.
        var closing: [UInt8] = []
        repeat {
            if accept(UInt8(ascii: "[")) {
                closing.append(UInt8(ascii: "]"))
                if next != UInt8(ascii: "]") { continue }
            } else if accept(UInt8(ascii: "{")) {
                closing.append(UInt8(ascii: "}"))
                if next != UInt8(ascii: "}") {
                    _ = try readName()
                    continue
                }
            } else {
                try skipScalar()
            }
            // A value has ended, or an empty array or object has begun.
            while let close = closing.last, !(next == UInt8(ascii: ",")) {
                try expect(close)
                closing.removeLast()
            }
            if let close = closing.last {
                try expect(UInt8(ascii: ","))
                if close == UInt8(ascii: "}") { _ = try readName() }
            }
        } while !closing.isEmpty
        return bytes[start..<position]
    }

    private mutating func readName() throws(SyntaxError) -> ArraySlice<UInt8> {
        skipSpace()
        let start = position
        try skipString()
        let end = position
        try expect(UInt8(ascii: ":"))
        return bytes[start..<end]
    }

    /// Moves past a string, a number or a literal.
    private mutating func skipScalar() throws(SyntaxError) {
        switch next {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "t"): try skip("true")
        case UInt8(ascii: "f"): try skip("false")
        case UInt8(ascii: "n"): try skip("null")
        default: try skipNumber()
        }
    }

    private mutating func skip(_ literal: StaticString) throws(SyntaxError) {
        let text = "\(literal)".utf8
        guard bytes[position...].starts(with: text) else { throw SyntaxError() }
        position += text.count
    }

    private mutating func skipNumber() throws(SyntaxError) {
        if byte == UInt8(ascii: "-") { position += 1 }
        let start = position
        try skipDigits()
        // No zero comes before other digits.
        if bytes[start] == UInt8(ascii: "0"), position - start > 1 { throw SyntaxError() }
        if byte == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            position += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    private mutating func skipDigits() throws(SyntaxError) {
        let start = position
        while let byte, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw SyntaxError() }
    }

    private mutating func skipString() throws(SyntaxError) {
        guard byte == UInt8(ascii: "\"") else { throw SyntaxError() }
        position += 1
        while let byte, byte != UInt8(ascii: "\"") {
            if byte < 0x20 { throw SyntaxError() }
            position += 1
            if byte == UInt8(ascii: "\\") { try skipEscape() }
        }
        if byte == nil { throw SyntaxError() }
        position += 1
    }

    /// Moves past an escape sequence, after its backslash.
    private mutating func skipEscape() throws(SyntaxError) {
        guard let byte, "\"\\/bfnrtu".utf8.contains(byte) else { throw SyntaxError() }
        position += 1
        guard byte == UInt8(ascii: "u") else { return }
        let digits = bytes[position...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0.hexadecimalDigit != nil }) else { throw SyntaxError() }
        position += 4
    }

    // MARK: Bytes

    /// The byte at the position; nil at the end.
    private var byte: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    /// The next byte that is not white space; nil at the end.
    private var next: UInt8? {
        mutating get {
            skipSpace()
            return byte
        }
    }

    private mutating func skipSpace() {
        while let byte, byte.isJSONSpace { position += 1 }
    }

    /// Moves past a byte, and white space before it; returns false if another byte comes next.
    private mutating func accept(_ expected: UInt8) -> Bool {
        guard next == expected else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ expected: UInt8) throws(SyntaxError) {
        guard accept(expected) else { throw SyntaxError() }
    }
}

extension UInt8 {
    /// Whether the byte is white space in JSON.
    var isJSONSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\t")
    }
}
