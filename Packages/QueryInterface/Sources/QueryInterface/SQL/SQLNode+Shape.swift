import RowDecoding

// The descriptions of expressions in the shape of a query: everything that their SQL depends on, in the order of the cases.

extension SQLNode {
    // Split into functions with few cases, as for writing: each level of recursion has the variables of all cases of a function on the
    // stack. A case that none of them has is refused: its requests keep no plan.
    func describe(to shape: inout SQLShape) throws {
        switch kind {
        case .column, .outputColumn, .place, .qualified, .json: try describeColumn(to: &shape)
        case .comparison, .chain, .sequence, .rowComparison: try describeOperators(to: &shape)
        case .prefix, .nullTest, .cast, .collated: try describeOperator(to: &shape)
        case .between, .pattern, .membership, .rowMembership, .tableMembership: try describeCondition(to: &shape)
        case .function, .aggregate, .windowed, .coalesce, .choice: try describeFunction(to: &shape)
        case .queryMembership, .queryExists, .request, .associationAggregate: try describeQuery(to: &shape)
        case .rowExists, .key, .picked: try describeRows(to: &shape)
        }
    }

    /// The tags of the kinds. The tags of the layer below begin at 1,000; tags with an operator or a table are greater, and addresses and
    /// names even greater. A query in parentheses has no tag: its node begins with the address of its type.
    enum Tag: UInt64 {
        case column = 1
        case outputColumn, qualified
        case comparison, chain, sequence, rowComparison
        case prefix, nullTest, cast, collated
        case between, pattern, membership, tableMembership
        case function, aggregate, windowed, namedWindow, coalesce, choice
        case queryMembership, queryExists
        case exists, count, associationFunction
        case rowExists, primaryKey, uniqueKey
        case tableColumn
        /// The selections that are not an expression.
        case aliased, allColumns, columnsExcluding, qualifiedSelection
    }

    private func describeColumn(to shape: inout SQLShape) throws {
        switch kind {
        case .column(let name, of: nil): shape.append(.column, name)
        case .column(_, of: let table?): shape.append(table.columnWords)
        case .outputColumn(let name): shape.append(.outputColumn, name)
        case .place(let place):
            guard let tree = place.tree(in: shape.places) else { return shape.refuse() }
            tree.describe(to: &shape)
        case .qualified(let alias, let content):
            alias.describe(to: &shape, as: .qualified)
            try shape.append(content)
        // The writer writes the content.
        case .json(let content): try shape.append(content)
        default: shape.refuse()
        }
    }

    private func describeOperators(to shape: inout SQLShape) throws {
        // Nested chains take more levels of recursion here than in the writer.
        if depth.links > SQLDepth.maximumLevels { shape.refuse() }
        switch kind {
        case .comparison(let left, let operation, let right):
            shape.append(Tag.comparison, operation)
            try shape.append(left)
            try shape.append(right)
        case .chain(let operation, let operands):
            shape.append(Tag.chain, operation)
            try shape.append(operands)
        case .sequence(let first, let rest):
            shape.append(Tag.sequence.rawValue)
            try shape.append(first)
            try shape.append(rest) { shape, item in
                shape.append(item.operation.rawValue)
                try shape.append(item.operand)
            }
        case .rowComparison(let left, let operation, let right):
            shape.append(Tag.rowComparison, operation)
            try shape.append(left)
            try shape.append(right)
        default: shape.refuse()
        }
    }

    private func describeOperator(to shape: inout SQLShape) throws {
        switch kind {
        case .prefix(let operation, let operand):
            shape.append(.prefix, operation.rawValue)
            // A sign before a negative number is written with a space.
            shape.append(operation == .minus && operand.value?.isNegative == true)
            try shape.append(operand)
        case .nullTest(let operand, let isNull):
            shape.append(.nullTest, isNull)
            try shape.append(operand)
        case .cast(let operand, as: let storageClass):
            shape.append(.cast, storageClass.rawValue)
            try shape.append(operand)
        case .collated(let operand, by: let name):
            shape.append(.collated, name)
            try shape.append(operand)
        default: shape.refuse()
        }
    }

    private func describeCondition(to shape: inout SQLShape) throws {
        switch kind {
        case .between(let operand, let lower, let upper, let isNegated):
            shape.append(.between, isNegated)
            try shape.append(operand)
            try shape.append(lower)
            try shape.append(upper)
        case .pattern(let pattern):
            shape.append(.pattern, pattern.isNegated)
            shape.append(pattern.operation.rawValue)
            try shape.append(pattern.operand)
            try shape.append(pattern.pattern)
            try shape.append(pattern.escape)
        case .membership(let operand, in: let values, let isNegated):
            shape.append(.membership, isNegated)
            try shape.append(operand)
            try shape.append(values)
        // Rows are values without expressions of their own.
        case .rowMembership: shape.refuse()
        case .tableMembership(let operand, in: let table, let isNegated):
            shape.append(.tableMembership, isNegated)
            shape.append(table)
            try shape.append(operand)
        default: shape.refuse()
        }
    }

    private func describeFunction(to shape: inout SQLShape) throws {
        if depth.links > SQLDepth.maximumLevels { shape.refuse() }
        switch kind {
        case .function(let call):
            shape.append(.function, call.name)
            shape.append(call.isCustom)
            shape.append(call.returnsJSON)
            try shape.append(call.arguments)
        case .aggregate(let aggregate):
            shape.append(.aggregate, aggregate.name)
            shape.append(aggregate.isDistinct)
            try shape.append(aggregate.arguments)
            try shape.append(aggregate.filter)
        case .windowed(let function, .definition(let window)):
            shape.append(Tag.windowed.rawValue)
            try shape.append(function)
            try window.describe(to: &shape)
        case .windowed(let function, .name(let window)):
            shape.append(.namedWindow, window)
            try shape.append(function)
        case .coalesce(let operands, let isOperator):
            shape.append(.coalesce, isOperator)
            try shape.append(operands)
        case .choice(let choice):
            shape.append(Tag.choice.rawValue)
            try shape.append(choice.base)
            try shape.append(choice.branches) { shape, branch in
                try shape.append(branch.match)
                try shape.append(branch.value)
            }
            try shape.append(choice.alternative)
        default: shape.refuse()
        }
    }

    private func describeQuery(to shape: inout SQLShape) throws {
        switch kind {
        // The third value is the query, as an expression.
        case .queryMembership(let operand, in: let query, _, let isNegated):
            shape.append(.queryMembership, isNegated)
            try shape.append(operand)
            try query.describe(to: &shape)
        case .queryExists(let query, let isNegated):
            shape.append(.queryExists, isNegated)
            try query.describe(to: &shape)
        case .request(_, let query): try query.describe(to: &shape)
        case .associationAggregate(let aggregate):
            switch aggregate.function {
            case .exists(let isNegated): shape.append(.exists, isNegated)
            case .count: shape.append(Tag.count.rawValue)
            case .function(let name, let expression):
                shape.append(.associationFunction, name)
                try shape.append(expression)
            }
            shape.append(aggregate.origin)
            try aggregate.path.describe(to: &shape)
        default: shape.refuse()
        }
    }

    private func describeRows(to shape: inout SQLShape) throws {
        switch kind {
        case .rowExists(let alias, let isNegated):
            shape.append(.rowExists, isNegated)
            alias.describe(to: &shape)
        case .key(.primaryKey(let values, let table)):
            shape.append(.primaryKey, table)
            try shape.append(values)
            shape.appendStorageClasses(of: values)
        case .key(.uniqueKey(let keys, let table)):
            shape.append(.uniqueKey, table)
            try shape.append(keys) { shape, key in
                try shape.append(key) { shape, column in
                    shape.append(column.column)
                    try shape.append(column.value)
                    shape.appendStorageClasses(of: [column.value])
                }
            }
        // Only statements that change rows have it.
        case .picked: shape.refuse()
        default: shape.refuse()
        }
    }
}

extension SQLShape {
    /// Adds the storage classes of a key's values in debug builds, which check them when the SQL is written.
    fileprivate mutating func appendStorageClasses(of values: [SQLExpression]) {
        #if DEBUG
            for value in values { append(value.value?.storageClassName ?? "") }
        #endif
    }

    /// Adds the kind of an expression and its operator, in one word.
    fileprivate mutating func append(_ tag: SQLNode.Tag, _ operation: SQLOperator) {
        append(tag.rawValue << 8 | UInt64(operation.rawValue))
    }

    /// Adds the kind of an expression, and a property of it, in one word.
    fileprivate mutating func append(_ tag: SQLNode.Tag, _ isTrue: Bool) {
        append(tag.rawValue << 8 | (isTrue ? 1 : 0))
    }

    /// Adds the kind of an expression that begins with a name.
    mutating func append(_ tag: SQLNode.Tag, _ name: String) {
        append(tag.rawValue)
        append(name)
    }
}

extension TableAliasBase {
    /// Describes for which table the alias stands.
    ///
    /// - Parameters:
    ///   - shape: the description.
    ///   - tag: the kind of the content that begins with the alias, if it has one.
    func describe(to shape: inout SQLShape, as tag: SQLNode.Tag? = nil) {
        let isNew = shape.append(table: self, tag: tag?.rawValue ?? 0)
        if !isNew { return }
        shape.append(explicitName)
        shape.append(recordType)
        shape.append(joinKeys) { $0.append($1) }
    }
}
