/// The `CHECK` constraints of a `CREATE TABLE` statement, as SQLite names them in its errors.
///
/// Source: <https://www.sqlite.org/lang_createtable.html#check_constraints>
struct CheckConstraints {
    struct Check {
        /// The declared name, or nil.
        let name: String?
        /// The text that SQLite's error shows: the name, or the expression of a check without a name.
        let label: String
        /// The identifiers of the expression that may be columns.
        let identifiers: [String]
    }

    private(set) var checks: [Check] = []

    /// Reads the constraints of a table.
    ///
    /// - Parameter sql: the table's `CREATE TABLE` statement.
    init(ofTable sql: String) {
        let tokens = SQLTokens(sql)
        var depth = 0
        var name: String?
        var index = 0
        while index < tokens.count {
            defer { index += 1 }
            switch tokens[index].kind {
            case .open: depth += 1
            case .close: depth -= 1
            case .comma where depth == 1: name = nil
            case .word where depth == 1 && tokens.isWord(index, "CONSTRAINT") && index + 1 < tokens.count:
                // A name holds for the constraints that follow it, up to the next comma.
                name = tokens.identifier(at: index + 1)
                index += 1
            case .word where depth == 1 && tokens.isWord(index, "CHECK"):
                guard let end = tokens.indexOfClosing(index + 1) else { continue }
                let text = tokens.text(between: index + 1, and: end)
                // SQLite removes the quotes of a text that begins with one, and what follows them.
                checks.append(
                    Check(
                        name: name, label: name ?? text.unquotedSQL ?? text,
                        identifiers: tokens.identifiers(in: (index + 2)..<end)))
                index = end
            default: break
            }
        }
    }
}

/// The tokens of an SQL text, without white space and comments.
struct SQLTokens {
    enum Kind { case word, quoted, string, open, close, comma, dot, other }

    struct Token {
        let kind: Kind
        let range: Range<Int>
    }

    private let bytes: [UInt8]
    private var tokens: [Token] = []

    var count: Int { tokens.count }

    subscript(index: Int) -> Token { tokens[index] }

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        var position = 0
        while position < bytes.count {
            let start = position
            let kind = nextKind(&position)
            if let kind { tokens.append(Token(kind: kind, range: start..<position)) }
        }
    }

    /// Moves behind the next token, and returns its kind; nil for white space and comments.
    private func nextKind(_ position: inout Int) -> Kind? {
        let byte = bytes[position]
        func byteAfter() -> UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }
        switch byte {
        case UInt8(ascii: " "), 9...13:
            position += 1
            return nil
        case UInt8(ascii: "-") where byteAfter() == UInt8(ascii: "-"):
            while position < bytes.count, bytes[position] != 10 { position += 1 }
            return nil
        case UInt8(ascii: "/") where byteAfter() == UInt8(ascii: "*"):
            position += 2
            while position < bytes.count, !(bytes[position] == UInt8(ascii: "*") && byteAfter() == UInt8(ascii: "/")) {
                position += 1
            }
            position = min(position + 2, bytes.count)
            return nil
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "["):
            let end = byte == UInt8(ascii: "[") ? UInt8(ascii: "]") : byte
            position += 1
            while position < bytes.count {
                if bytes[position] == end {
                    // Brackets have no escape. Other quotes are doubled.
                    guard byte == end, byteAfter() == end else { break }
                    position += 1
                }
                position += 1
            }
            position = min(position + 1, bytes.count)
            return byte == UInt8(ascii: "'") ? .string : .quoted
        case let byte where byte.isPartOfSQLWord:
            while position < bytes.count, bytes[position].isPartOfSQLWord { position += 1 }
            return .word
        default:
            position += 1
            switch byte {
            case UInt8(ascii: "("): return .open
            case UInt8(ascii: ")"): return .close
            case UInt8(ascii: ","): return .comma
            case UInt8(ascii: "."): return .dot
            default: return .other
            }
        }
    }

    func isWord(_ index: Int, _ word: String) -> Bool {
        tokens.indices.contains(index) && tokens[index].kind == .word && text(of: index)._isEqualIgnoringASCIICase(to: word)
    }

    private func text(of index: Int) -> String { String(decoding: bytes[tokens[index].range], as: UTF8.self) }

    /// Returns the name that a token spells.
    func identifier(at index: Int) -> String {
        let text = text(of: index)
        return text.unquotedSQL ?? text
    }

    /// Returns the index of the parenthesis that closes the one at an index.
    func indexOfClosing(_ open: Int) -> Int? {
        guard tokens.indices.contains(open), tokens[open].kind == .open else { return nil }
        var depth = 0
        for index in open..<count {
            if tokens[index].kind == .open { depth += 1 }
            if tokens[index].kind == .close { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Returns the text between two tokens, without white space around it.
    func text(between first: Int, and last: Int) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        var range = tokens[first].range.upperBound..<tokens[last].range.lowerBound
        while let first = range.first, isSpace(bytes[first]) { range = range.dropFirst() }
        while let last = range.last, isSpace(bytes[last]) { range = range.dropLast() }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// Returns the names in an expression, without those of functions, tables, types and collations.
    func identifiers(in range: Range<Int>) -> [String] {
        range.compactMap { index in
            guard tokens[index].kind == .word || tokens[index].kind == .quoted else { return nil }
            if index + 1 < range.upperBound, [.open, .dot].contains(tokens[index + 1].kind) { return nil }
            if index > range.lowerBound, isWord(index - 1, "AS") || isWord(index - 1, "COLLATE") { return nil }
            return identifier(at: index)
        }
    }
}

extension UInt8 {
    /// Whether the byte belongs to unquoted names, keywords and numbers.
    fileprivate var isPartOfSQLWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 128...:
            true
        default: false
        }
    }
}

extension String {
    /// The content of the quotes that the text begins with, as SQLite reads quoted names; nil if it begins with none.
    fileprivate var unquotedSQL: String? {
        guard let first = utf8.first, [UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "[")].contains(first)
        else { return nil }
        let end = first == UInt8(ascii: "[") ? UInt8(ascii: "]") : first
        var result: [UInt8] = []
        var rest = utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == end {
                guard rest.first == end else { break }
                rest.removeFirst()
            }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
