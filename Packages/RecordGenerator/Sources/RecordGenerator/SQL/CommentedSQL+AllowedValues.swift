import SQLiteDriver

extension CommentedSQL.TableDefinition {
    /// The values that constraints such as `CHECK (state IN ('queued', 'running'))` allow, by the names of the columns.
    ///
    /// NULL passes a CHECK. If it is one of the listed values, every value passes. The same is true of strings that differ only in case, if
    /// the column has a collation of its own. Such constraints are skipped, as are constraints with values other than strings and integers,
    /// and with values that the column would convert.
    ///
    /// Source: <https://www.sqlite.org/lang_createtable.html#check_constraints>, <https://www.sqlite.org/datatype3.html#affinity>
    var allowedValues: [SchemaName: [DatabaseValue]] {
        var columns: [SchemaName: ArraySlice<CommentedSQL.Token>] = [:]
        for item in items {
            if let first = item.first, !first.beginsConstraint { columns[SchemaName(first.name)] = item.dropFirst() }
        }
        var result: [SchemaName: [DatabaseValue]] = [:]
        for check in items.flatMap(checks) {
            guard let (name, values) = listedValues(check), let column = columns[name], result[name] == nil,
                keeps(values, column)
            else { continue }
            result[name] = values
        }
        return result
    }

    /// The tokens between the parentheses of each CHECK in an item.
    private func checks(_ item: [CommentedSQL.Token]) -> [ArraySlice<CommentedSQL.Token>] {
        var checks: [ArraySlice<CommentedSQL.Token>] = []
        var depth = 0
        var start: Int?
        for (index, token) in item.enumerated() {
            if token.text == "(" {
                if depth == 0, index > 0, item[index - 1].is("CHECK") { start = index + 1 }
                depth += 1
            } else if token.text == ")" {
                depth -= 1
                if depth == 0, let first = start {
                    checks.append(item[first..<index])
                    start = nil
                }
            }
        }
        return checks
    }

    /// The column and the values of `name IN (…)`, which may have `name IS NULL OR` before it or `OR name IS NULL` after it.
    private func listedValues(_ check: ArraySlice<CommentedSQL.Token>) -> (column: SchemaName, values: [DatabaseValue])? {
        var tokens = check
        while tokens.first?.text == "(", tokens.isEnclosed { tokens = tokens.dropFirst().dropLast() }
        guard let name = tokens.first.map({ SchemaName($0.name) }) else { return nil }
        func isNull(_ tokens: ArraySlice<CommentedSQL.Token>) -> Bool {
            tokens.count == 3 && SchemaName(tokens.first!.name) == name
                && tokens.dropFirst().map { $0.text.uppercased() } == ["IS", "NULL"]
        }
        if isNull(tokens.prefix(3)), tokens.dropFirst(3).first?.is("OR") == true { tokens = tokens.dropFirst(4) }
        if isNull(tokens.suffix(3)), tokens.dropLast(3).last?.is("OR") == true { tokens = tokens.dropLast(4) }
        let words = Array(tokens)
        guard words.count >= 5, SchemaName(words[0].name) == name, words[1].is("IN"), words[2].text == "(",
            words.last!.text == ")"
        else { return nil }
        var values: [DatabaseValue] = []
        for literal in words[3..<(words.count - 1)].split(omittingEmptySubsequences: false, whereSeparator: { $0.text == "," }) {
            guard let value = literal.literalValue else { return nil }
            if !values.contains(value) { values.append(value) }
        }
        return (name, values)
    }

    /// Returns whether a column stores the values as they are listed, and compares them byte by byte.
    private func keeps(_ values: [DatabaseValue], _ column: ArraySlice<CommentedSQL.Token>) -> Bool {
        let words = column.map { $0.text.uppercased() }
        if let index = words.firstIndex(of: "COLLATE"), words.dropFirst(index + 1).first?.unquotedSQLName != "BINARY" { return false }
        let end = words.firstIndex {
            ["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS"].contains($0)
        }
        let type = words[..<(end ?? words.count)].joined(separator: " ")
        let isInteger = type.contains("INT")
        let isText = !isInteger && ["CHAR", "CLOB", "TEXT"].contains(where: type.contains)
        let convertsNothing = type.isEmpty || type == "ANY" || (!isInteger && type.contains("BLOB"))
        return values.allSatisfy { value in
            switch value.storage {
            case .string(let text): isText || convertsNothing || Double(text.filter { !$0.isWhitespace }) == nil
            case .int64: isInteger
            default: false
            }
        }
    }
}

extension ArraySlice<CommentedSQL.Token> {
    /// Whether the first parenthesis is closed by the last token.
    fileprivate var isEnclosed: Bool {
        var depth = 0
        for (index, token) in zip(indices, self) {
            if token.text == "(" { depth += 1 }
            if token.text == ")" { depth -= 1 }
            if depth == 0 { return index == endIndex - 1 }
        }
        return false
    }

    /// The value of the tokens, if they are a string or an integer.
    fileprivate var literalValue: DatabaseValue? {
        guard let last else { return nil }
        if count == 1, last.text.utf8.first == UInt8(ascii: "'") { return DatabaseValue(storage: .string(last.name)) }
        let sign = count == 2 ? first!.text : ""
        guard count == 1 || sign == "-" || sign == "+", last.text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int64(sign + last.text).map { DatabaseValue(storage: .int64($0)) }
    }
}
