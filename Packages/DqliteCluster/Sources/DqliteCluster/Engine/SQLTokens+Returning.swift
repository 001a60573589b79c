extension SQLTokens {
    /// Returns the SQL with a plus before each item of its RETURNING clause, so that the items have no declared types.
    ///
    /// - Parameters:
    ///   - columnNames: the names of the columns of the result.
    ///   - guardsNUL: the guard against truncated strings in columns; nil to let the node truncate them. Computed items have no guard,
    ///     because they would be computed again for each mention.
    /// - Returns: nil if there is no such clause.
    func withoutReturnedTypes(columnNames: [String], guardsNUL: NULGuard? = nil) -> String? {
        guard let clause = tokens.indices.last(where: { tokens[$0].depth == 0 && keyword($0) == "RETURNING" }), clause + 1 < count else {
            return nil
        }
        let items = split((clause + 1)..<count, atCommasOfDepth: 0).filter { !$0.isEmpty }
        let texts = items.map { text(tokens[$0.lowerBound].range.lowerBound..<tokens[$0.upperBound - 1].range.upperBound) }
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
                if isName(range) { appendColumn(item) } else { result.append("+" + item) }
                column += 1
            }
        }
        return text(0..<tokens[clause].range.upperBound) + " " + result.joined(separator: ", ")
    }

    /// Whether a range of tokens is one name.
    private func isName(_ range: Range<Int>) -> Bool {
        let first = bytes[tokens[range.lowerBound].range.lowerBound]
        guard range.count == 1 else { return false }
        switch tokens[range.lowerBound].kind {
        case .word: return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        case .quotedName: return first == UInt8(ascii: "\"")
        default: return false
        }
    }
}
