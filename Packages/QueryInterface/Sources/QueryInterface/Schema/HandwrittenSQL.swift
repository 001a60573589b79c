import RowDecoding

// Checks of handwritten SQL that must become part of other SQL.

extension SQLRenderer {
    /// Writes an expression in parentheses.
    mutating func append(parenthesized expression: SQLExpression) throws {
        try parenthesize { try $0.appendUncommented { try $0.append(expression) } }
    }

    /// Writes SQL that may be handwritten, and ends it with a newline if it ends in a comment, which would hide the SQL that follows.
    mutating func appendUncommented(_ write: (inout SQLRenderer) throws -> Void) rethrows {
        let start = sql.utf8.count
        try write(&self)
        if SQLTokens(sql.utf8.dropFirst(start)).endsInLineComment { append("\n") }
    }
}

extension String {
    /// Whether SQLite accepts the SQL after `DEFAULT` without parentheses: it is a literal, a signed number, a word such as
    /// `CURRENT_TIMESTAMP`, or has parentheses already. All other SQL needs parentheses; unnecessary parentheses do no harm.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#the_default_clause>
    var isDefaultTerm: Bool {
        let tokens = SQLTokens(self)
        guard let first = tokens.tokens.first, let last = tokens.tokens.last else { return false }
        switch first.kind {
        case .open:
            return tokens.indexOfClosing(0) == tokens.count - 1 && !tokens.comments.contains { $0.kind == .lineComment }
        case .string, .quotedName:
            return tokens.count == 1 && tokens.comments.isEmpty
        default:
            guard tokens.comments.isEmpty else { return false }
            // A blob literal: the sign and the string are two tokens.
            if tokens.count == 2, tokens.keyword(0) == "X", last.kind == .string { return first.range.upperBound == last.range.lowerBound }
            let isSigned = ["+", "-"].contains(tokens.text(0))
            let term = tokens.text((isSigned && tokens.count > 1 ? tokens[1] : first).range.lowerBound..<last.range.upperBound)
            if isSigned, !(term.utf8.first.map { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) } ?? false) { return false }
            return term.isWordOrNumber
        }
    }

    /// Whether the text is a word or a number. Signs are allowed in exponents only.
    private var isWordOrNumber: Bool {
        utf8.allSatisfy { $0.isPartOfSQLWord && $0 != UInt8(ascii: "$") || $0 == UInt8(ascii: ".") } || Double(self) != nil
    }
}

extension SQLTokens {
    /// Whether the SQL ends in a comment that extends to the end of the line.
    fileprivate var endsInLineComment: Bool {
        guard let last = comments.last, last.kind == .lineComment else { return false }
        return last.range.upperBound == bytes.count
    }
}
