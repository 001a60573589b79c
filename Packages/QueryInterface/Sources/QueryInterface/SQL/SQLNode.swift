import RowDecoding

/// The content of the expressions that this layer defines.
///
/// Each question about an expression is a `switch` over its kinds. Values, pieces of handwritten SQL, and nodes of programs are not among
/// them: ``ValueConversion/SQLExpression/node`` is nil for these.
final class SQLNode: SQLTree {
    /// The kind of an expression, with its operands.
    enum Kind: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
        /// `"name"`, with the name of its table if there are several, and the table of the record type that declares the column, if it
        /// is known.
        case column(String, of: ColumnTable?)
        /// `"name"`, never with the name of a table: the alias of a selected expression.
        case outputColumn(String)
        /// `?`, for a value of a template.
        indirect case place(Placeholder)
        /// An expression whose columns belong to a table.
        case qualified(TableAliasBase, SQLExpression)
        /// `a = b`.
        case comparison(SQLExpression, SQLOperator, SQLExpression)
        /// `a AND b AND c`: two or more operands of an associative operator.
        case chain(SQLOperator, [SQLExpression])
        /// `a - b + c`: operators of one precedence, from left to right.
        case sequence(SQLExpression, [(operation: SQLOperator, operand: SQLExpression)])
        /// `NOT a`.
        case prefix(SQLPrefixOperator, SQLExpression)
        /// `a IS NULL`.
        case nullTest(SQLExpression, isNull: Bool)
        /// `a BETWEEN b AND c`.
        case between(SQLExpression, SQLExpression, SQLExpression, isNegated: Bool)
        /// `a LIKE b`.
        case pattern(Pattern)
        /// `a IN (b, c)`.
        case membership(SQLExpression, in: [SQLExpression], isNegated: Bool)
        /// `(a, b) IN (VALUES (1, 2), (3, 4))`.
        case rowMembership(RowMembership)
        /// `a IN (SELECT …)`, and the query as an expression.
        case queryMembership(SQLExpression, in: SQLSubquery, SQLExpression, isNegated: Bool)
        /// `a IN "table"`.
        case tableMembership(SQLExpression, in: String, isNegated: Bool)
        /// `(a, b) < (c, d)`.
        case rowComparison([SQLExpression], SQLOperator, [SQLExpression])
        /// `EXISTS (SELECT …)`.
        case queryExists(SQLSubquery, isNegated: Bool)
        /// Whether a table that is joined has a row.
        case rowExists(TableAliasBase, isNegated: Bool)
        /// `f(a, b)`.
        case function(Call)
        /// `sum(a) FILTER (WHERE b)`.
        indirect case aggregate(Aggregate)
        /// `sum(a) OVER (…)`.
        indirect case windowed(SQLExpression, Window)
        /// `CAST(a AS TEXT)`.
        case cast(SQLExpression, as: Database.StorageClass)
        /// `a COLLATE NOCASE`.
        case collated(SQLExpression, by: String)
        /// An expression whose value is JSON.
        case json(SQLExpression)
        /// `ifnull(a, b)` or `coalesce(a, b, c)`. The operator `??` makes one chain of its operands.
        case coalesce([SQLExpression], isOperator: Bool)
        /// `CASE WHEN a THEN b ELSE c END`.
        case choice(Choice)
        /// `(SELECT …)`.
        indirect case request(Relation, SQLSubquery)
        /// A condition on the primary key, or on a unique key.
        case key(KeyCondition)
        /// A condition on the rows that a request selects by their keys.
        indirect case picked(columns: [String], by: Relation)
        /// An aggregate of the rows of an association.
        indirect case associationAggregate(AggregatedAssociation)
    }

    let kind: Kind
    let depth: SQLDepth

    init(_ kind: Kind, depth: SQLDepth) {
        self.kind = kind
        self.depth = depth
    }

    // MARK: - The larger kinds

    /// A value that is known when a template is called.
    struct Placeholder: Sendable {
        // Described by its value: see "Kept plans" in CONTRIBUTING.md before you add a property.
        let template: TemplateIdentity
        let index: Int
        let isOptional: Bool
        /// The column that stores the value in its own way, if there is one.
        var encoder: (any ValueEncoder)?

        /// Returns the value, or nil outside the requests of the template.
        func tree(in places: [PlaceValues]) -> PlaceTree? {
            places.lazy.compactMap { $0.tree(of: index, in: template) }.last
        }
    }

    /// A comparison of a string with a pattern.
    struct Pattern: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        enum Operator: String {
            case like = "LIKE"
            case glob = "GLOB"
        }

        let operand: SQLExpression
        let operation: Operator
        let pattern: SQLExpression
        let escape: SQLExpression?
        var isNegated = false
    }

    /// A condition on several columns, which have the values of one of some rows.
    struct RowMembership: Sendable {
        let columns: [SQLExpression]
        let rows: [[DatabaseValue]]
        var isNegated = false
        /// Whether the rows are always packed into one argument.
        var isPacked = false
    }

    /// A call of a function of the values of one row.
    struct Call: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        let name: String
        let arguments: [SQLExpression]
        /// Whether SQLite recognizes the result as JSON.
        var returnsJSON = false
        /// Whether a program defines the function, whose name is quoted.
        var isCustom = false
    }

    /// A call of a function of the values of many rows.
    struct Aggregate: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        let name: String
        /// `*` if it is empty.
        var arguments: [SQLExpression] = []
        var isDistinct = false
        var filter: SQLExpression?
    }

    /// The rows that a window function reads.
    enum Window: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
        case definition(WindowDefinition)
        case name(String)
    }

    /// A `CASE`.
    struct Choice: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        let base: SQLExpression?
        var branches: [(match: SQLExpression, value: SQLExpression)] = []
        var alternative: SQLExpression?
    }
}

extension SQLExpression {
    /// The expression's content, if this layer defines it.
    var node: SQLNode? { tree as? SQLNode }

    /// The name of the column, if the expression is a column.
    var columnName: String? {
        if case .column(let name, of: _)? = node?.kind { name } else { nil }
    }

    /// The table of the column, if the expression is a column that knows its table.
    var columnTable: ColumnTable? {
        if case .column(_, of: let table)? = node?.kind { table } else { nil }
    }

    /// The table that the column belongs to, if the expression is a column that knows its table, or has an alias that does.
    var knownTableName: String? {
        guard case .qualified(let alias, let content)? = node?.kind else { return columnTable?.name }
        return content.knownTableName ?? (alias.recordType as? any TableRecord.Type)?.databaseTableName
    }

    /// Creates an expression.
    init(_ kind: SQLNode.Kind) {
        self.init(tree: SQLNode(kind, depth: kind.depth))
    }
}

extension SQLNode.Kind {
    fileprivate var depth: SQLDepth {
        switch self {
        case .column, .outputColumn, .place, .rowExists: return SQLDepth()
        case .comparison(let left, _, let right):
            return left.tree.depth.maximum(right.tree.depth).next
        // A sequence at the beginning of another sequence is written on the same level. The same applies to chains.
        case .sequence(let first, let rest):
            let isContinued = first.node?.kind.sequencePrecedence == rest[0].operation.precedence
            var depth = isContinued ? first.tree.depth.nextLink : first.tree.depth.next
            for (_, operand) in rest { depth.formMaximum(operand.tree.depth.next) }
            return depth
        case .chain(let operation, let operands):
            var depth = SQLDepth()
            for (index, operand) in operands.enumerated() {
                let isChain = (index == 0 || operation.isExact) && operand.node?.kind.chain(of: operation) != nil
                let isContinued = isChain || index == 0 && operand.node?.kind.sequencePrecedence == operation.precedence
                depth.formMaximum(isContinued ? operand.tree.depth.nextLink : operand.tree.depth.next)
            }
            return depth
        case .coalesce(let operands, isOperator: true):
            var depth = SQLDepth()
            for operand in operands { depth.formMaximum(operand.isCoalesce ? operand.tree.depth.nextLink : operand.tree.depth.next) }
            return depth
        case .prefix(_, let operand), .nullTest(let operand, isNull: _), .qualified(_, let operand), .cast(let operand, as: _),
            .collated(let operand, by: _), .json(let operand), .tableMembership(let operand, in: _, isNegated: _):
            return operand.tree.depth.next
        case .queryMembership(let operand, in: let query, _, isNegated: _):
            return operand.tree.depth.maximum(query.depth).next
        case .queryExists(let query, isNegated: _): return query.depth.next
        case .request(_, let query): return query.depth.next
        case .windowed(let function, .definition(let window)):
            return function.tree.depth.maximum(window.depth).next
        case .key(let condition): return condition.depth.next
        case .picked(columns: _, by: let relation): return relation.expressionDepth.next
        case .associationAggregate(let aggregate): return aggregate.path.expressionDepth(with: aggregate.function).next
        case .windowed(let function, .name): return function.tree.depth.next
        default: return SQLDepth(of: operands).next
        }
    }

    /// The operands of a chain of an operator.
    func chain(of operation: SQLOperator) -> [SQLExpression]? {
        if case .chain(operation, let operands) = self { operands } else { nil }
    }

    /// The precedence of the operators of a sequence, or of a chain that can be written as one.
    var sequencePrecedence: SQLPrecedence? {
        switch self {
        case .sequence(_, let rest): return rest[0].operation.precedence
        // Longer chains are written in groups.
        case .chain(let operation, let operands):
            let isShort = operands.count <= SQLRenderer.maximumUngroupedCount && operands[0].node?.kind.chain(of: operation) == nil
            return isShort ? operation.precedence : nil
        default: return nil
        }
    }
}

// MARK: - Making expressions

extension SQLExpression {
    /// Combines two operands.
    static func binary(_ left: any SQLExpressible, _ operation: SQLOperator, _ right: any SQLExpressible) -> SQLExpression {
        binary(left.sqlExpression, operation, right.sqlExpression)
    }

    /// Combines two operands.
    static func binary(_ left: SQLExpression, _ operation: SQLOperator, _ right: SQLExpression) -> SQLExpression {
        if operation.isComparison { return SQLExpression(.comparison(left, operation, right)) }
        var left = left
        // In a longer sequence, it no longer matters that the result of -> is JSON.
        if case .json(let content)? = left.node?.kind, case .sequence? = content.node?.kind { left = content }
        // A sequence, or a chain, that grows by one operand takes over the operands it has.
        if let (first, rest) = left.shortSequence(of: operation) {
            return left.extended(.sequence(first, rest + [(operation, right)]), by: right)
        }
        return operation.isAssociative ? chain(operation, [left, right]) : SQLExpression(.sequence(left, [(operation, right)]))
    }

    /// Combines operands. One operand is returned as it is.
    ///
    /// - Parameters:
    ///   - operation: an associative operator.
    ///   - operands: at least one operand.
    static func chain(_ operation: SQLOperator, _ operands: [SQLExpression]) -> SQLExpression {
        if operands.count == 1 { return operands[0] }
        guard operands.count == 2 else { return SQLExpression(.chain(operation, operands)) }
        let (left, right) = (operands[0], operands[1])
        if let first = left.shortChain(of: operation) { return left.extended(.chain(operation, first + [right]), by: right) }
        if operation.isExact, let last = right.shortChain(of: operation) {
            return right.extended(.chain(operation, [left] + last), by: left)
        }
        return SQLExpression(.chain(operation, operands))
    }

    /// The number of operands that a longer chain takes over. More of them stay as they are, so that adding an operand takes constant time.
    private static let maximumCopiedCount = 256

    /// Returns an expression with the operands of this one, and another operand.
    private func extended(_ kind: SQLNode.Kind, by operand: SQLExpression) -> SQLExpression {
        let isInlined: Bool =
            switch kind {
            case .chain(let operation, _): operation.isExact && operand.node?.kind.chain(of: operation) != nil
            case .coalesce: operand.isCoalesce
            default: false
            }
        let depth = isInlined ? operand.tree.depth.nextLink : operand.tree.depth.next
        return SQLExpression(tree: SQLNode(kind, depth: tree.depth.maximum(depth)))
    }

    fileprivate var isCoalesce: Bool {
        if case .coalesce? = node?.kind { true } else { false }
    }

    /// The operands of a chain with few operands.
    private func shortChain(of operation: SQLOperator) -> [SQLExpression]? {
        guard let operands = node?.kind.chain(of: operation), operands.count < Self.maximumCopiedCount else { return nil }
        return operands
    }

    /// The operands of a sequence with few operands that another operator continues.
    private func shortSequence(
        of operation: SQLOperator
    ) -> (first: SQLExpression, rest: [(operation: SQLOperator, operand: SQLExpression)])? {
        switch node?.kind {
        case .sequence(let first, let rest)
        where rest[0].operation.precedence == operation.precedence && rest.count < Self.maximumCopiedCount:
            return (first, rest)
        case .chain(let other, let operands)
        where other != operation && node?.kind.sequencePrecedence == operation.precedence:
            return (operands[0], operands.dropFirst().map { (other, $0) })
        default: return nil
        }
    }

    /// Returns the first of two values that is not NULL.
    static func coalesce(_ first: SQLExpression, _ second: SQLExpression) -> SQLExpression {
        // As for operators.
        if case .coalesce(let operands, isOperator: true)? = first.node?.kind, operands.count < maximumCopiedCount {
            return first.extended(.coalesce(operands + [second], isOperator: true), by: second)
        }
        if case .coalesce(let operands, isOperator: true)? = second.node?.kind, operands.count < maximumCopiedCount {
            return second.extended(.coalesce([first] + operands, isOperator: true), by: first)
        }
        return SQLExpression(.coalesce([first, second], isOperator: true))
    }

    /// Calls a function of the values of one row.
    static func call(_ name: String, _ arguments: [SQLExpression], returnsJSON: Bool = false) -> SQLExpression {
        SQLExpression(.function(SQLNode.Call(name: name, arguments: arguments, returnsJSON: returnsJSON)))
    }
}

/// Calls a function of the values of one row.
func call(_ name: String, _ arguments: any SQLExpressible...) -> SQLExpression {
    .call(name, arguments.map(\.sqlExpression))
}
