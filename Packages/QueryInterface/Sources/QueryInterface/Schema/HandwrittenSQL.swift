import RowDecoding

// Checks of handwritten SQL that must become part of other SQL.

extension SQLRenderer {
    /// Writes an expression in parentheses.
    mutating func append(parenthesized expression: SQLExpression) throws {
        append("(")
        try appendUncommented { try $0.append(expression) }
        append(")")
    }

    /// Writes SQL that may be handwritten, and ends it with a newline if it ends in a comment, which would hide the SQL that follows.
    mutating func appendUncommented(_ write: (inout SQLRenderer) throws -> Void) rethrows {
        let start = sql.utf8.count
        try write(&self)
        if SQLScanner(sql.utf8.dropFirst(start)).endsInComment { append("\n") }
    }
}

extension String {
    /// Whether SQLite accepts the SQL after `DEFAULT` without parentheses: it is a literal, a signed number, a word such as
    /// `CURRENT_TIMESTAMP`, or has parentheses already. Everything else needs parentheses; superfluous ones do no harm.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#the_default_clause>
    var isDefaultTerm: Bool { SQLScanner(utf8).isDefaultTerm }
}

/// A scanner of SQL that looks at single bytes, because only ASCII characters matter.
private struct SQLScanner {
    private let bytes: [UInt8]

    /// Creates a scanner for SQL, without the white space around it.
    init(_ sql: some Sequence<UInt8>) {
        let all = Array(sql)
        let end = all.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? 0
        bytes = Array(all[..<end].drop(while: Self.isSpace))
    }

    /// Whether the SQL ends in a comment that extends to the end of the line.
    var endsInComment: Bool {
        var index = 0
        while index < bytes.count {
            if starts(with: "--", at: index) {
                guard let newline = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) else { return true }
                index = newline + 1
            } else {
                index = indexAfterItem(at: index)
            }
        }
        return false
    }

    var isDefaultTerm: Bool {
        guard let first = bytes.first else { return false }
        switch first {
        case UInt8(ascii: "("):
            return isOneGroup
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            return indexAfterItem(at: 0) == bytes.count
        case UInt8(ascii: "+"), UInt8(ascii: "-"):
            let number = bytes.dropFirst().drop(while: Self.isSpace)
            guard let digit = number.first else { return false }
            return (digit == UInt8(ascii: ".") || (0x30...0x39).contains(digit)) && Self.isWord(number)
        default:
            if starts(with: "x'", at: 0) || starts(with: "X'", at: 0) { return indexAfterItem(at: 1) == bytes.count }
            return Self.isWord(bytes[...])
        }
    }

    /// Whether the parenthesis at the beginning is closed at the end.
    private var isOneGroup: Bool {
        var depth = 0
        var index = 0
        while index < bytes.count {
            if starts(with: "--", at: index) { return false }
            if bytes[index] == UInt8(ascii: "(") { depth += 1 }
            if bytes[index] == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 { return index + 1 == bytes.count }
            }
            index = indexAfterItem(at: index)
        }
        return false
    }

    /// Returns the index after the item at an index: a quoted text or name, a comment in `/* */`, or one byte.
    private func indexAfterItem(at start: Int) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"):
            // A doubled quote is part of the text.
            var index = start + 1
            while index < bytes.count {
                if bytes[index] == bytes[start] {
                    guard index + 1 < bytes.count, bytes[index + 1] == bytes[start] else { return index + 1 }
                    index += 1
                }
                index += 1
            }
            return bytes.count
        case UInt8(ascii: "["):
            return bytes[start...].firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? bytes.count
        case UInt8(ascii: "/") where starts(with: "/*", at: start):
            var index = start + 2
            while index < bytes.count, !starts(with: "*/", at: index) { index += 1 }
            return Swift.min(index + 2, bytes.count)
        default:
            return start + 1
        }
    }

    private func starts(with text: String, at index: Int) -> Bool {
        bytes[index...].starts(with: text.utf8)
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// Returns whether the bytes are a word or a number. Signs are allowed in exponents only.
    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"), UInt8(ascii: "."), 0x80...:
                true
            default: false
            }
        } || Double(String(decoding: bytes, as: UTF8.self)) != nil
    }
}
