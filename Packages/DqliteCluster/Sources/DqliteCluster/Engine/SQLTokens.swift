/// The tokens of a statement that SQLite has compiled, without white space and comments.
///
/// Source: <https://www.sqlite.org/draft/tokenreq.html>
struct SQLTokens {
    /// A token: a word, a number, a literal, a quoted name, a parameter, or one character.
    struct Token {
        /// Where it is, in bytes of UTF-8.
        let range: Range<Int>
        /// The number of parentheses around it.
        let depth: Int
        /// The word in capitals; empty for other tokens.
        let keyword: String
    }

    let bytes: [UInt8]
    private(set) var tokens: [Token] = []

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        var position = 0
        var depth = 0
        while position < bytes.count {
            let start = position
            let byte = bytes[position]
            position += 1
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0c, 0x0d:
                continue
            case UInt8(ascii: "-") where byteAt(position) == UInt8(ascii: "-"):
                position = bytes[position...].firstIndex(of: 0x0a) ?? bytes.count
                continue
            case UInt8(ascii: "/") where byteAt(position) == UInt8(ascii: "*"):
                position += 1
                while position < bytes.count,
                    !(bytes[position - 1] == UInt8(ascii: "*") && bytes[position] == UInt8(ascii: "/") && position > start + 2)
                {
                    position += 1
                }
                position = min(position + 1, bytes.count)
                continue
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
                position = endOfQuote(byte, from: position)
                append(start..<position, depth)
            case UInt8(ascii: "["):
                position = (bytes[position...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count - 1) + 1
                append(start..<position, depth)
            case UInt8(ascii: "("):
                append(start..<position, depth)
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                append(start..<position, depth)
            case _ where Self.isWord(byte):
                while position < bytes.count, Self.isWord(bytes[position]) { position += 1 }
                let word = String(decoding: bytes[start..<position], as: UTF8.self).uppercased()
                tokens.append(Token(range: start..<position, depth: depth, keyword: word))
            default:
                append(start..<position, depth)
            }
        }
    }

    private func byteAt(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Returns the end of a quoted text, in which quotes are doubled.
    private func endOfQuote(_ quote: UInt8, from start: Int) -> Int {
        var position = start
        while let end = bytes[position...].firstIndex(of: quote) {
            if byteAt(end + 1) != quote { return end + 1 }
            position = end + 2
        }
        return bytes.count
    }

    private mutating func append(_ range: Range<Int>, _ depth: Int) {
        tokens.append(Token(range: range, depth: depth, keyword: ""))
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    /// Returns the SQL of a token.
    func text(_ index: Int) -> String {
        index < tokens.count ? text(tokens[index].range) : ""
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// Returns the word at an index in capitals, or an empty text.
    func keyword(_ index: Int) -> String {
        index < tokens.count ? tokens[index].keyword : ""
    }

    /// The SQL without the comments at its end, the last of which may lack its own end.
    var trimmedSQL: String {
        text(0..<(tokens.last?.range.upperBound ?? 0))
    }
}

extension SQLTokens {
    /// Returns the SQL with a plus before each item of its RETURNING clause, so that the items have no declared types.
    ///
    /// - Parameters:
    ///   - columnNames: the names of the columns of the result.
    ///   - guardsNUL: what keeps texts in columns from being cut off; nil to let the node cut them off. Computed items have none, as
    ///     they would be computed again for each mention.
    /// - Returns: nil if there is no such clause.
    func withoutReturnedTypes(columnNames: [String], guardsNUL: NULGuard? = nil) -> String? {
        guard let clause = tokens.lastIndex(where: { $0.keyword == "RETURNING" && $0.depth == 0 }), clause + 1 < tokens.count else {
            return nil
        }
        var items: [Range<Int>] = []
        var start = tokens[clause + 1].range.lowerBound
        var end = start
        for index in (clause + 1)..<tokens.count {
            if tokens[index].depth == 0, text(index) == "," {
                items.append(start..<end)
                start = index + 1 < tokens.count ? tokens[index + 1].range.lowerBound : tokens[index].range.upperBound
            }
            end = tokens[index].range.upperBound
        }
        items.append(start..<end)
        let texts = items.map { text($0) }
        let starCount = texts.count { $0 == "*" }
        let columnsOfStar = starCount == 0 ? 0 : (columnNames.count - (texts.count - starCount)) / starCount
        var column = 0
        var result: [String] = []
        func appendColumn(_ name: String) {
            result.append(guardsNUL.map { "\($0.expression(name)) AS c\(result.count)" } ?? "+" + name)
        }
        for (item, range) in zip(texts, items) {
            if item == "*" {
                columnNames.dropFirst(column).prefix(columnsOfStar).forEach { appendColumn($0.quotedDatabaseIdentifier) }
                column += columnsOfStar
            } else {
                if isColumn(range) { appendColumn(item) } else { result.append("+" + item) }
                column += 1
            }
        }
        return text(0..<tokens[clause].range.upperBound) + " " + result.joined(separator: ", ")
    }

    /// Whether the SQL in a range is one name.
    private func isColumn(_ range: Range<Int>) -> Bool {
        let first = bytes[range.lowerBound]
        let isName = Self.isWord(first) && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return (isName || first == UInt8(ascii: "\"")) && tokens.count { range.contains($0.range.lowerBound) } == 1
    }
}
