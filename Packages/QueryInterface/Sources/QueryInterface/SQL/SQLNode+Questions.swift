import RowDecoding

// Properties of expressions that requests depend on. An expression that this layer does not define can contain anything, unless it is a
// constant value.

extension SQLNode {
    // Each property of an expression whose operands have the same property takes at most as many levels of recursion as the expression has.

    var precedence: SQLPrecedence {
        switch kind {
        case .comparison(_, let operation, _), .chain(let operation, _), .rowComparison(_, let operation, _): operation.precedence
        case .sequence(_, let rest): rest[0].operation.precedence
        case .prefix(let operation, _): operation.precedence
        case .qualified(_, let content), .json(let content): content.precedence
        case .nullTest, .between, .pattern, .membership, .rowMembership, .queryMembership, .tableMembership, .rowExists, .picked: .equality
        case .collated: .collation
        case .queryExists(_, isNegated: true): .not
        case .associationAggregate(let aggregate): aggregate.function.precedence
        case .key(let condition): condition.precedence
        case .column, .outputColumn, .place, .queryExists, .function, .aggregate, .windowed, .cast, .coalesce, .choice, .request: .primary
        }
    }

    var value: DatabaseValue? {
        if case .qualified(_, let content) = kind { content.value } else { nil }
    }

    var isNullable: Bool {
        switch kind {
        case .place(let place): place.isOptional
        case .qualified(_, let content): content.tree.isNullable
        default: false
        }
    }

    var levelCount: Int {
        switch kind {
        case .column, .outputColumn, .place, .qualified, .json, .windowed, .request, .key, .picked: 0
        case .function(let call): call.arguments.isEmpty ? 0 : 1
        case .aggregate(let aggregate): aggregate.arguments.isEmpty ? 0 : 1
        default: 1
        }
    }

    var operands: [SQLExpression] { kind.operands }

    func encoded(by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?) throws -> SQLExpression? {
        switch kind {
        case .qualified: try qualification.flatMap { alias, content in try content.tree.encoded(by: encode).map { alias[$0] } }
        case .place(let place):
            try encode(PlaceStandIn()).map { encoded in SQLExpression(.place(changed(place) { $0.encoder = encoded.encoder })) }
        case .choice(let choice): try choice.encoded(by: encode).map { SQLExpression(.choice($0)) }
        default: nil
        }
    }

    /// The table and the content of a qualified expression, without inner qualifications that change nothing.
    var qualification: (alias: TableAliasBase, content: SQLExpression)? {
        guard case .qualified(var alias, var content) = kind else { return nil }
        while case .qualified(let inner, let innerContent)? = content.node?.kind, inner.joinKeys == nil {
            (alias, content) = (inner, innerContent)
        }
        return (alias, content)
    }
}

extension SQLNode.Choice {
    fileprivate func encoded(
        by encode: (any DatabaseValueConvertible & Sendable) throws -> EncodedValue?
    ) throws -> SQLNode.Choice? {
        var choice = self
        var isEncoded = false
        func encoded(_ expression: SQLExpression) throws -> SQLExpression {
            guard let encoded = try expression.tree.encoded(by: encode) else { return expression }
            isEncoded = true
            return encoded
        }
        choice.branches = try branches.map { (match: $0.match, value: try encoded($0.value)) }
        choice.alternative = try alternative.map(encoded)
        return isEncoded ? choice : nil
    }
}

// MARK: - Operands

extension SQLNode.Kind {
    /// The expressions in this one that are evaluated for the same row. The rows of subqueries are others.
    var operands: [SQLExpression] {
        switch self {
        case .column, .outputColumn, .place, .queryExists, .rowExists, .request, .key, .picked, .associationAggregate: []
        case .qualified(_, let operand), .prefix(_, let operand), .nullTest(let operand, isNull: _), .cast(let operand, as: _),
            .collated(let operand, by: _), .json(let operand), .queryMembership(let operand, in: _, _, isNegated: _),
            .tableMembership(let operand, in: _, isNegated: _):
            [operand]
        case .comparison(let left, _, let right): [left, right]
        case .sequence(let first, let rest): [first] + rest.map(\.operand)
        case .chain(_, let operands), .coalesce(let operands, isOperator: _): operands
        case .between(let operand, let lower, let upper, isNegated: _): [operand, lower, upper]
        case .pattern(let pattern): [pattern.operand, pattern.pattern] + (pattern.escape.map { [$0] } ?? [])
        case .membership(let operand, in: let values, isNegated: _): [operand] + values
        case .rowMembership(let membership): membership.columns
        case .rowComparison(let left, _, let right): left + right
        case .function(let call): call.arguments
        case .aggregate(let aggregate): aggregate.arguments + (aggregate.filter.map { [$0] } ?? [])
        case .windowed(let function, let window): (function.node?.kind.operands ?? []) + window.operands
        case .choice(let choice):
            [choice.base, choice.alternative].compactMap { $0 } + choice.branches.flatMap { [$0.match, $0.value] }
        }
    }
}

extension SQLNode.Window {
    fileprivate var operands: [SQLExpression] {
        if case .definition(let window) = self { window.operands } else { [] }
    }
}

extension SQLExpression {
    /// Visits the expression, its operands, their operands and so on, until the closure returns true.
    ///
    /// - Parameter isFound: gets an expression, and its content if this layer defines it. It returns nil to continue with the operands.
    /// - Returns: whether the closure has returned true.
    private func contains(_ isFound: (SQLExpression, SQLNode?) -> Bool?) -> Bool {
        // A stack: a chain can have many operands.
        var remaining = [self]
        while let expression = remaining.popLast() {
            let node = expression.node
            switch isFound(expression, node) {
            case true?: return true
            case false?: continue
            case nil: remaining += expression.tree.operands
            }
        }
        return false
    }

    /// Whether the expression contains an aggregate function, which turns many rows into one. True if that is unknown.
    var containsAggregate: Bool {
        contains { expression, node in
            switch node?.kind {
            case nil: return expression.value == nil
            // The content of these is unknown. A column may be the alias of a selected expression.
            case .aggregate, .outputColumn, .request, .key, .picked: return true
            case .function(let call) where call.isCustom: return true
            case .windowed(let function, let window):
                if case .function(let call)? = function.node?.kind, call.isCustom { return true }
                if case .definition(let window) = window, !window.isTransparent { return true }
                return nil
            default: return nil
            }
        }
    }

    /// Whether the expression is known to contain an aggregate function.
    var isKnownToAggregate: Bool {
        contains { _, node in
            switch node?.kind {
            case .aggregate: true
            case .windowed: false
            default: nil
            }
        }
    }

    /// Whether the expression may refer to a joined table by an alias. Columns that know their table are not considered: see
    /// ``ResolvedQuery/selectedTables``.
    func mayRefer(to table: ResolvedTable) -> Bool {
        contains { expression, node in
            switch node?.kind {
            case .qualified:
                guard let (alias, content) = node?.qualification else { return nil }
                return table.mayHave(alias) || content.mayRefer(to: table)
            // The content of SQL is unknown, but it can't refer to a table without aliases.
            case nil: return expression.value == nil && !table.relation.aliases.isEmpty
            case .outputColumn, .request, .key, .picked: return !table.relation.aliases.isEmpty
            case .function(let call) where call.isCustom: return !table.relation.aliases.isEmpty
            default: return nil
            }
        }
    }

    /// Whether the expression may refer to a selected expression by its alias.
    func mayRefer(to names: Set<SchemaName>) -> Bool {
        contains { expression, node in
            switch node?.kind {
            case .column(let name, of: _), .outputColumn(let name): return names.contains(SchemaName(name))
            case nil: return expression.value == nil
            case .request, .key, .picked: return true
            case .function(let call) where call.isCustom: return true
            default: return nil
            }
        }
    }

    /// Whether all columns that the expression reads are known, and no tables.
    var isKnown: Bool {
        !contains { expression, node in
            switch node?.kind {
            case nil: return expression.value == nil
            case .request, .picked: return true
            case .function(let call) where call.isCustom: return true
            default: return nil
            }
        }
    }

    /// Whether the expression contains an aggregate of an association.
    ///
    /// - Parameter isIncluded: returns whether aggregates on rows of the table with an alias count. By default, they do. Aggregates without an
    ///   alias always count.
    func aggregatesAssociation(ofTable isIncluded: (TableAliasBase) -> Bool = { _ in true }) -> Bool {
        contains { _, node in
            switch node?.kind {
            case .associationAggregate: return true
            case .qualified(let alias, _): return isIncluded(alias) ? nil : false
            default: return nil
            }
        }
    }

    /// Whether the expression is a condition on rows, even if it is given for groups: it contains an aggregate of an association, and no
    /// aggregate function.
    var isConditionOnRows: Bool {
        let callsAggregate = contains { _, node in
            if case .aggregate? = node?.kind { true } else { nil }
        }
        return !callsAggregate && aggregatesAssociation()
    }

    /// The alias of the expression in a selection: the alias of an aggregate of an association, which may have a default value or another
    /// type.
    var defaultKey: String? {
        switch node?.kind {
        case .associationAggregate(let aggregate): aggregate.key
        case .coalesce(let operands, isOperator: _): operands[0].defaultKey
        case .cast(let operand, as: _), .qualified(_, let operand): operand.defaultKey
        default: nil
        }
    }

    /// Whether the expression is a value, or stands for one.
    private var isValue: Bool {
        switch node?.kind {
        case .place: true
        case .qualified(_, let content): content.isValue
        default: value != nil
        }
    }

    /// Whether the value is JSON as a string, which SQLite does not recognize as JSON.
    var isJSONText: Bool {
        switch node?.kind {
        case .json(let content):
            if case .function(let call)? = content.node?.kind { !call.returnsJSON } else { true }
        case .qualified(_, let content): content.isJSONText
        default: false
        }
    }

    /// The expression without its collations.
    var uncollated: SQLExpression {
        var expression = self
        while case .collated(let operand, by: _)? = expression.node?.kind { expression = operand }
        return expression
    }

    // MARK: - Changing conditions

    /// The opposite condition, if it has a shorter form than NOT.
    var negation: SQLExpression? {
        guard let kind = node?.kind else { return nil }
        let negation: SQLNode.Kind? =
            switch kind {
            case .comparison(let left, let operation, let right): operation.negation.map { .comparison(left, $0, right) }
            case .nullTest(let operand, let isNull): .nullTest(operand, isNull: !isNull)
            case .between(let operand, let lower, let upper, let isNegated): .between(operand, lower, upper, isNegated: !isNegated)
            case .pattern(let pattern): .pattern(changed(pattern) { $0.isNegated.toggle() })
            case .membership(let operand, in: let values, let isNegated): .membership(operand, in: values, isNegated: !isNegated)
            case .rowMembership(let membership): .rowMembership(changed(membership) { $0.isNegated.toggle() })
            case .queryMembership(let operand, in: let query, let rows, let isNegated):
                .queryMembership(operand, in: query, rows, isNegated: !isNegated)
            case .tableMembership(let operand, in: let table, let isNegated): .tableMembership(operand, in: table, isNegated: !isNegated)
            case .queryExists(let query, let isNegated): .queryExists(query, isNegated: !isNegated)
            case .rowExists(let alias, let isNegated): .rowExists(alias, isNegated: !isNegated)
            case .associationAggregate(let aggregate): aggregate.negation.map { .associationAggregate($0) }
            case .column, .outputColumn, .place, .qualified, .chain, .sequence, .prefix, .rowComparison, .function, .aggregate, .windowed,
                .cast, .collated, .json, .coalesce, .choice, .request, .key, .picked:
                nil
            }
        return negation.map(SQLExpression.init)
    }

    /// Returns the expression with another collation. In a condition, the compared values get it.
    func collated(by name: String) -> SQLExpression {
        collatedCondition(by: name) ?? SQLExpression(.collated(self, by: name))
    }

    /// Returns a condition whose values have another collation, or nil if the expression is neither a comparison nor a combination of
    /// comparisons.
    private func collatedCondition(by name: String) -> SQLExpression? {
        func collate(_ operand: SQLExpression) -> SQLExpression { SQLExpression(.collated(operand, by: name)) }
        switch node?.kind {
        case .chain(let operation, let operands) where operation == .and || operation == .or:
            return SQLExpression(.chain(operation, operation.flattened(operands).map { $0.collatedCondition(by: name) ?? $0 }))
        case .prefix(.not, let operand):
            return SQLExpression(.prefix(.not, operand.collatedCondition(by: name) ?? operand))
        case .qualified(let alias, let content):
            return content.collatedCondition(by: name).map { alias[$0] }
        case .comparison(let left, let operation, let right):
            // If the left operand has no collation, SQLite uses the collation of the right one. A value gets no collation, so that its
            // column can encode it.
            let collatesRight = left.isValue && !right.isValue
            return .binary(collatesRight ? left : collate(left), operation, collatesRight ? collate(right) : right)
        case .between(let operand, let lower, let upper, let isNegated):
            return SQLExpression(.between(collate(operand), lower, upper, isNegated: isNegated))
        case .membership(let operand, in: let values, let isNegated):
            return SQLExpression(.membership(collate(operand), in: values, isNegated: isNegated))
        case .queryMembership(let operand, in: let query, let rows, let isNegated):
            return SQLExpression(.queryMembership(collate(operand), in: query, rows, isNegated: isNegated))
        case .tableMembership(let operand, in: let table, let isNegated):
            return SQLExpression(.tableMembership(collate(operand), in: table, isNegated: isNegated))
        case .rowComparison(let left, let operation, let right):
            return SQLExpression(.rowComparison(left.map(collate), operation, right))
        default:
            return nil
        }
    }
}
