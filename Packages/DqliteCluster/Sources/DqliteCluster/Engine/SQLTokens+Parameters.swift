// The SQL of the program with the values of its parameters, for traces.

extension SQLTokens {
    /// Returns the arguments of all calls of the function that collects arguments, without the plans and positions.
    func literals(inCallsOf function: String) -> [String] {
        var literals: [String] = []
        for call in tokens.indices where keyword(call) == function.uppercased() {
            guard let end = indexOfClosing(call + 1) else { continue }
            literals += split((call + 2)..<end, atCommasOfDepth: tokens[call].depth + 1).dropFirst(2).map { argument in
                argument.isEmpty
                    ? "" : text(tokens[argument.lowerBound].range.lowerBound..<tokens[argument.upperBound - 1].range.upperBound)
            }
        }
        return literals
    }

    /// Returns the SQL with literals in place of its parameters, which are numbered as SQLite does:
    /// <https://www.sqlite.org/lang_expr.html#parameters>.
    ///
    /// - Returns: nil if there are too few literals.
    func replacingParameters(with literals: [String]) -> String? {
        var result = ""
        var position = 0
        var numbers: [String: Int] = [:]
        var lastNumber = 0
        for index in tokens.indices {
            let token = tokens[index]
            let sign = bytes[token.range.lowerBound]
            guard token.range.lowerBound >= position, Array("?:@$".utf8).contains(sign) else { continue }
            var end = token.range.upperBound
            // The number or the name directly follows the sign. A name that begins with a dollar is one word, including the dollar.
            if sign != UInt8(ascii: "$"), index + 1 < tokens.count, tokens[index + 1].range.lowerBound == end,
                tokens[index + 1].kind == .word
            {
                end = tokens[index + 1].range.upperBound
            }
            let name = text(token.range.lowerBound..<end)
            let ownNumber = sign == UInt8(ascii: "?") ? Int(name.dropFirst()) : numbers[name]
            let number = ownNumber ?? lastNumber + 1
            if name != "?" { numbers[name] = number }
            lastNumber = max(lastNumber, number)
            guard number >= 1, number <= literals.count else { return nil }
            result += text(position..<token.range.lowerBound) + literals[number - 1]
            position = end
        }
        return result + text(position..<bytes.count)
    }
}
