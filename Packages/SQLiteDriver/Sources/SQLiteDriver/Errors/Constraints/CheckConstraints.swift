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
        var name: String?
        var index = 0
        while index < tokens.count {
            defer { index += 1 }
            guard tokens[index].depth == 1 else { continue }
            switch tokens.keyword(index) {
            case "CONSTRAINT" where index + 1 < tokens.count:
                // A name applies to the constraints that follow it, up to the next comma.
                name = tokens.name(index + 1)
                index += 1
            case "CHECK":
                guard let end = tokens.indexOfClosing(index + 1) else { continue }
                let text = tokens.textWithComments(between: index + 1, and: end)
                // If the text begins with a quoted token, SQLite shows only that token, without its quotes.
                checks.append(
                    Check(name: name, label: name ?? text.unquotedSQLName, identifiers: tokens.identifiers(in: (index + 2)..<end)))
                index = end
            default:
                if tokens.text(index) == "," { name = nil }
            }
        }
    }
}

extension SQLTokens {
    /// Returns the text between two tokens, with its comments, and without white space around it.
    fileprivate func textWithComments(between first: Int, and last: Int) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }
        var range = tokens[first].range.upperBound..<tokens[last].range.lowerBound
        while let first = range.first, isSpace(bytes[first]) { range = range.dropFirst() }
        while let last = range.last, isSpace(bytes[last]) { range = range.dropLast() }
        return text(range)
    }

    /// Returns the names in an expression, except names of functions, tables, types and collations.
    fileprivate func identifiers(in range: Range<Int>) -> [String] {
        range.compactMap { index in
            guard tokens[index].kind == .word || tokens[index].kind == .quotedName else { return nil }
            if index + 1 < range.upperBound, tokens[index + 1].kind == .open || text(index + 1) == "." { return nil }
            if index > range.lowerBound, ["AS", "COLLATE"].contains(keyword(index - 1)) { return nil }
            return name(index)
        }
    }
}
