import RowDecoding

extension SQLNode {
    // In a program that is not optimized, each level of recursion has the variables of all cases of a function on the stack. Therefore this
    // one has none, and the others have few cases.
    func write(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .column, .outputColumn, .place, .qualified, .json: try writeColumn(to: &renderer)
        case .comparison, .chain, .sequence, .rowComparison: try writeOperators(to: &renderer)
        case .prefix, .nullTest, .cast, .collated: try writeOperator(to: &renderer)
        case .between, .pattern, .membership, .rowMembership, .tableMembership: try writeCondition(to: &renderer)
        case .function, .aggregate, .windowed, .coalesce, .choice: try writeFunction(to: &renderer)
        case .queryMembership, .queryExists, .request, .associationAggregate: try writeQuery(to: &renderer)
        case .rowExists, .key, .picked: try writeRows(to: &renderer)
        }
    }

    private func writeColumn(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .column(let name, of: let table): try renderer.append(column: name, of: table)
        case .outputColumn(let name): renderer.append(identifier: name)
        case .place(let place):
            guard let tree = place.tree(in: renderer.places) else { throw DatabaseError.unknownPlace }
            try tree.write(to: &renderer, encodedBy: place.encoder)
        case .qualified(let alias, let content): try renderer.qualified(by: alias) { try $0.append(content) }
        case .json(let content): try renderer.append(content)
        default: kind.isForgotten()
        }
    }

    private func writeOperators(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .comparison(let left, let operation, let right): try renderer.append(left, operation, right)
        case .chain(let operation, let operands): try renderer.append(chain: operands, operation)
        case .sequence(let first, let rest): try renderer.append(sequence: first, rest)
        case .rowComparison(let left, let operation, let right): try renderer.append(left, operation, right)
        default: kind.isForgotten()
        }
    }

    private func writeOperator(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .prefix(let operation, let operand): try renderer.append(operation, operand)
        case .nullTest(let operand, let isNull): try renderer.append(operand, isNull ? " IS NULL" : " IS NOT NULL")
        case .cast(let operand, as: let storageClass): try renderer.append(cast: operand, as: storageClass)
        case .collated(let operand, by: let name): try renderer.append(operand, collation: name)
        default: kind.isForgotten()
        }
    }

    private func writeCondition(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .between(let operand, let lower, let upper, let isNegated):
            try renderer.append([operand, lower, upper], isNegated ? " NOT BETWEEN " : " BETWEEN ")
        case .pattern(let pattern): try pattern.write(to: &renderer)
        case .membership(let operand, in: let values, let isNegated):
            try renderer.append(operand, in: values, isNegated: isNegated)
        case .rowMembership(let membership): try membership.write(to: &renderer)
        case .tableMembership(let operand, in: let table, let isNegated):
            try renderer.append(operand, isNegated ? " NOT IN " : " IN ", table: table)
        default: kind.isForgotten()
        }
    }

    private func writeFunction(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .function(let call): try call.write(to: &renderer)
        case .aggregate(let aggregate): try aggregate.write(to: &renderer)
        case .windowed(let function, let window): try window.write(function, to: &renderer)
        case .coalesce(let operands, let isOperator): try renderer.append(coalesce: operands, isOperator: isOperator)
        case .choice(let choice): try choice.write(to: &renderer)
        default: kind.isForgotten()
        }
    }

    private func writeQuery(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .queryMembership(let operand, in: let query, let rows, let isNegated):
            try renderer.append(try renderer.operand(operand, comparedWith: rows), isNegated ? " NOT IN " : " IN ", query)
        case .queryExists(let query, let isNegated): try renderer.append(nil, isNegated ? "NOT EXISTS " : "EXISTS ", query)
        case .request(_, let query): try renderer.append(nil, "", query)
        case .associationAggregate(let aggregate): try aggregate.write(to: &renderer)
        default: kind.isForgotten()
        }
    }

    private func writeRows(to renderer: inout SQLRenderer) throws {
        switch kind {
        case .rowExists(let alias, let isNegated): try renderer.append(existenceOf: alias, isNegated: isNegated)
        case .key(let condition): try renderer.append(condition.expression(in: renderer))
        case .picked(let columns, by: let relation): try renderer.append(keyOf: relation, columns)
        default: kind.isForgotten()
        }
    }
}

extension SQLNode.Kind {
    /// Stops a debug build. In an optimized build, SQLite reports an error in the SQL.
    @inline(never)
    fileprivate func isForgotten() { assertionFailure("no function writes an expression of the kind \(self)") }
}

extension DatabaseError {
    fileprivate static var unknownPlace: DatabaseError {
        .misuse(
            "a place of a template is used outside the request of its template",
            advice: "Use the places in the request that the template's closure returns.")
    }
}

extension SQLRenderer {
    /// Writes a column, with the name of its table if columns are qualified.
    mutating func append(column name: String) {
        if let qualifier = scope.qualifier(of: name) {
            append(identifier: qualifier)
            append(".")
        }
        append(identifier: name)
    }

    /// Writes parentheses around the SQL that a closure writes. Expressions write those of their operands without it: in a program that is
    /// not optimized, a closure takes more of the stack for each level of recursion.
    package mutating func parenthesize(_ prefix: String = "", _ write: (inout SQLRenderer) throws -> Void) rethrows {
        append(prefix)
        append("(")
        try write(&self)
        append(")")
    }

    /// Writes expressions, separated by commas.
    mutating func append(list expressions: some Sequence<SQLExpression>) throws {
        try append(expressions, separator: ", ") { try $0.append($1) }
    }

    /// Writes columns, separated by commas.
    mutating func append(columns: some Sequence<String>) {
        append(columns, separator: ", ") { $0.append(column: $1) }
    }

    fileprivate mutating func append(_ operation: SQLPrefixOperator, _ operand: SQLExpression) throws {
        // Two minus signs begin a comment, which would hide the rest of the SQL. That also concerns parameters: a trace shows their
        // values in place of them.
        if operation == .minus {
            if operand.value?.isNegative == true { append("- ") } else { appendMinusSign() }
        } else {
            append(operation.rawValue)
        }
        try append(operand, atLeast: operation.precedence.next)
    }

    mutating func append(_ operand: SQLExpression, _ test: String) throws {
        try append(operand, atLeast: .comparison)
        append(test)
    }

    /// Writes the operands of BETWEEN.
    fileprivate mutating func append(_ operands: [SQLExpression], _ keyword: String) throws {
        let operands = try operandsComparedWithOneAnother(operands)
        try append(operands[0], atLeast: .comparison)
        append(keyword)
        // The AND of BETWEEN has a higher precedence than the logical AND: operands with a lower precedence need parentheses.
        try append(operands[1], atLeast: .comparison)
        append(" AND ")
        try append(operands[2], atLeast: .comparison)
    }

    fileprivate mutating func append(_ operand: SQLExpression?, _ keyword: String, _ query: SQLSubquery) throws {
        if let operand { try append(operand, atLeast: .comparison) }
        append(keyword)
        append("(")
        try query.render(to: &self)
        append(")")
    }

    fileprivate mutating func append(_ operand: SQLExpression, _ keyword: String, table: String) throws {
        try append(operand, keyword)
        append(query: table.quotedDatabaseIdentifier)
    }

    fileprivate mutating func append(_ left: [SQLExpression], _ operation: SQLOperator, _ right: [SQLExpression]) throws {
        guard left.count == right.count, left.count > 1 else {
            throw DatabaseError.misuse(
                "row values that are compared need the same number of elements, at least two, and have \(left.count) and \(right.count)")
        }
        let pairs = try zip(left, right).map { left, right in
            (try operand(left, comparedWith: right), try operand(right, comparedWith: left))
        }
        append("(")
        try append(list: pairs.map(\.0))
        append(")")
        append(operation.sql)
        append("(")
        try append(list: pairs.map(\.1))
        append(")")
    }

    fileprivate mutating func append(cast operand: SQLExpression, as storageClass: Database.StorageClass) throws {
        append("CAST(")
        try append(operand)
        append(" AS \(storageClass.rawValue))")
    }

    fileprivate mutating func append(_ operand: SQLExpression, collation name: String) throws {
        try append(operand, atLeast: .collation)
        append(" COLLATE ")
        if ["BINARY", "NOCASE", "RTRIM"].contains(name) { append(name) } else { append(identifier: name) }
    }

    /// Throws an error if a function is called with more arguments than SQLite allows.
    func checkArgumentCount(_ count: Int, of function: String) throws {
        if count < 8 { return }
        try check(count, atMost: .functionArgumentCount) {
            "the function \(function) is called with \($0) arguments, and the connection's limit is \($1)"
        }
    }
}

extension DatabaseValue {
    /// Whether the value's literal begins with a minus sign.
    var isNegative: Bool {
        switch storage {
        case .int64(let value): value < 0
        case .double(let value): value.sign == .minus && !value.isNaN
        case .null, .string, .blob: false
        }
    }
}

extension SQLNode.Pattern {
    fileprivate func write(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNegated ? " NOT \(operation.rawValue) " : " \(operation.rawValue) ")
        // ESCAPE has a higher precedence than comparisons.
        try renderer.append(pattern, atLeast: .bitwise)
        guard let escape else { return }
        renderer.append(" ESCAPE ")
        try renderer.append(escape, atLeast: .bitwise)
    }
}

// MARK: - Functions

extension SQLNode.Call {
    /// Whether the function returns one of its arguments, which SQLite compares.
    fileprivate var comparesArguments: Bool { !isCustom && Self.comparisons.contains(name) }

    private static let comparisons = ["nullif", "min", "max", "lag", "lead"]

    /// Whether the function returns its first argument, or another value of the same kind.
    var returnsArgument: Bool {
        switch name {
        case "first_value", "last_value", "nth_value": !isCustom && !arguments.isEmpty
        default: comparesArguments && !arguments.isEmpty
        }
    }

    fileprivate func write(to renderer: inout SQLRenderer) throws {
        try renderer.checkArgumentCount(arguments.count, of: name)
        let arguments = comparesArguments ? try renderer.operandsComparedWithOneAnother(arguments) : arguments
        if isCustom { renderer.append(identifier: name) } else { renderer.append(name) }
        renderer.append("(")
        try renderer.append(list: arguments)
        renderer.append(")")
    }
}

extension SQLNode.Aggregate {
    fileprivate func write(to renderer: inout SQLRenderer) throws {
        renderer.append(isDistinct ? "\(name)(DISTINCT " : "\(name)(")
        if arguments.isEmpty { renderer.append("*") }
        try renderer.append(list: arguments)
        renderer.append(")")
        guard let filter else { return }
        renderer.append(" FILTER (WHERE ")
        try renderer.append(filter)
        renderer.append(")")
    }
}

extension SQLNode.Window {
    fileprivate func write(_ function: SQLExpression, to renderer: inout SQLRenderer) throws {
        switch function.node?.kind {
        case .aggregate(let aggregate) where aggregate.isDistinct:
            throw DatabaseError.misuse("\(aggregate.name)(DISTINCT …) can't have an OVER clause", sql: renderer.sql)
        case .aggregate, .function: try renderer.append(function)
        default:
            throw DatabaseError.misuse("only an aggregate function or a window function can have an OVER clause", sql: renderer.sql)
        }
        renderer.append(" OVER ")
        switch self {
        case .definition(let window): try window.render(to: &renderer)
        case .name(let name): renderer.append(identifier: name)
        }
    }
}

extension SQLNode.Choice {
    fileprivate func write(to renderer: inout SQLRenderer) throws {
        // The keywords separate the parts, so they need no parentheses.
        renderer.append("CASE")
        var matches = branches.map(\.match)
        if let base {
            renderer.append(" ")
            try renderer.append(matches.first.map { try renderer.operand(base, comparedWith: $0) } ?? base)
            matches = try renderer.operands(matches, comparedWith: base)
        }
        for (branch, match) in zip(branches, matches) {
            renderer.append(" WHEN ")
            try renderer.append(match)
            renderer.append(" THEN ")
            try renderer.append(branch.value)
        }
        if let alternative {
            renderer.append(" ELSE ")
            try renderer.append(alternative)
        }
        renderer.append(" END")
    }
}
