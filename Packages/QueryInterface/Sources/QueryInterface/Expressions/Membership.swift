import RowDecoding

extension Sequence where Element: SQLExpressible {
    /// Returns whether the sequence contains the value of an expression: `"id" IN (1, 2, 3)`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "team" IN ('Reds', 'Blues')
    /// Player.filter(["Reds", "Blues"].contains(Column("team")))
    /// ```
    ///
    /// The sequence can contain more values than SQLite allows parameters: a long list becomes a single argument. If the sequence
    /// contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            MembershipNode(operand: expression.sqlExpression, values: map(\.sqlExpression), isNegated: false))
    }
}

// Lists of values and expressions of different types, as in `[alias[Column("id")], Column("parentId"), 42].contains(Column("id"))`.

extension Sequence<any SQLExpressible> {
    /// Returns whether the sequence contains the value of an expression: `"id" IN ("p"."id", "parentId", 42)`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            MembershipNode(operand: expression.sqlExpression, values: map(\.sqlExpression), isNegated: false))
    }
}

extension Sequence<any SQLSpecificExpressible> {
    /// Returns whether the sequence contains the value of an expression: `"id" IN ("p"."id", "parentId")`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            MembershipNode(operand: expression.sqlExpression, values: map(\.sqlExpression), isNegated: false))
    }
}

extension Sequence<any DatabaseValueConvertible> {
    /// Returns whether the sequence contains the value of an expression: `"code" IN (1, 'a')`.
    ///
    /// If the sequence contains NULL, but not the expression's value, the result is NULL, which is neither true nor false.
    ///
    /// - Complexity: O(*n*), where *n* is the number of values.
    public func contains(_ expression: any SQLSpecificExpressible) -> SQLExpression {
        SQLExpression(
            MembershipNode(operand: expression.sqlExpression, values: map(\.sqlExpression), isNegated: false))
    }
}

extension Sequence<DatabaseValue> {
    /// Returns whether the sequence contains a value. Swift compares the values; for SQL, see ``contains(_:)`` with a column.
    public func contains(_ value: DatabaseValue) -> Bool {
        contains { $0 == value }
    }
}

extension SQLSubqueryable {
    /// Returns whether the query, which must have one column, contains the value of an expression: `"teamId" IN (SELECT …)`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "teamId" IN
    /// // (SELECT "id" FROM "team" WHERE "color" = 'red')
    /// let teams = Team.filter(Column("color") == "red").select(Column("id"))
    /// Player.filter(teams.contains(Column("teamId")))
    /// ```
    public func contains(_ expression: any SQLExpressible) -> SQLExpression {
        SQLExpression(
            SubqueryMembershipNode(operand: expression.sqlExpression, subquery: sqlSubquery, rows: sqlExpression, isNegated: false))
    }

    /// Returns whether the query has any rows: `EXISTS (SELECT …)`.
    public func exists() -> SQLExpression {
        SQLExpression(ExistenceNode(subquery: sqlSubquery, isNegated: false))
    }
}

// MARK: - Nodes

/// The operator `IN` with a list of values.
struct MembershipNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let values: [SQLExpression]
    let isNegated: Bool

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { [operand] + values }

    func render(to renderer: inout SQLRenderer) throws {
        let node = MembershipNode(
            operand: try values.first.map { try renderer.operand(operand, comparedWith: $0) } ?? operand,
            values: try renderer.operands(values, comparedWith: operand), isNegated: isNegated)
        try node.renderEncoded(to: &renderer)
    }

    private func renderEncoded(to renderer: inout SQLRenderer) throws {
        guard renderer.packsLists, !renderer.writesLiterals else { return try render(values, to: &renderer) }
        let constants = values.compactMap(\.value)
        guard constants.count > 1 else { return try render(values, to: &renderer) }
        guard constants.count < values.count else { return try renderPacked(constants, to: &renderer) }
        // Only constants can be packed. Two lists combined by OR (AND for NOT IN) have the same result as one, also with NULLs.
        renderer.append("(")
        try renderPacked(constants, to: &renderer)
        renderer.append(isNegated ? " AND " : " OR ")
        try render(values.filter { $0.value == nil }, to: &renderer)
        renderer.append(")")
    }

    private func render(_ values: [SQLExpression], to renderer: inout SQLRenderer) throws {
        try renderOperand(to: &renderer)
        renderer.append("(")
        try renderer.append(values, separator: ", ") { try $0.append($1) }
        renderer.append(")")
    }

    private func renderPacked(_ constants: [DatabaseValue], to renderer: inout SQLRenderer) throws {
        try renderOperand(to: &renderer)
        try PackedValues(rows: constants.map { [$0] }, columnCount: 1).render(to: &renderer)
    }

    private func renderOperand(to renderer: inout SQLRenderer) throws {
        try renderer.append(operand, atLeast: .comparison)
        renderer.append(isNegated ? " NOT IN " : " IN ")
    }

    var negation: SQLExpression? {
        SQLExpression(MembershipNode(operand: operand, values: values, isNegated: !isNegated))
    }
}

/// The operator `IN` with a list of rows, for keys of several columns: `("a", "b") IN (VALUES (1, 2), (3, 4))`.
struct RowMembershipNode: CompositeNode, NegatableNode {
    let columns: [SQLExpression]
    let rows: [[DatabaseValue]]
    let isNegated: Bool
    let isPacked: Bool

    /// Creates the expression.
    ///
    /// - Parameters:
    ///   - columns: the columns, at least one.
    ///   - rows: the rows, each with a value for each column.
    ///   - isNegated: whether the operator is NOT IN.
    ///   - isPacked: whether to pack the rows into one argument, even if separate arguments are possible.
    init(columns: [SQLExpression], rows: [[DatabaseValue]], isNegated: Bool = false, isPacked: Bool = false) {
        self.columns = columns
        self.rows = rows
        self.isNegated = isNegated
        self.isPacked = isPacked
    }

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { columns }

    func render(to renderer: inout SQLRenderer) throws {
        if columns.count == 1 {
            let values = rows.map { $0[0].sqlExpression }
            return try MembershipNode(operand: columns[0], values: values, isNegated: isNegated).render(to: &renderer)
        }
        renderer.append("(")
        try renderer.append(columns, separator: ", ") { try $0.append($1) }
        renderer.append(isNegated ? ") NOT IN " : ") IN ")
        if rows.isEmpty {
            // SQL has no VALUES without rows, and SQLite does not accept `()` for rows.
            renderer.append("(SELECT \(columns.map { _ in "NULL" }.joined(separator: ", ")) WHERE FALSE)")
        } else if isPacked || renderer.packsLists, !renderer.writesLiterals {
            try PackedValues(rows: rows, columnCount: columns.count).render(to: &renderer)
        } else {
            renderer.append("(VALUES ")
            renderer.append(rows, separator: ", ") { renderer, row in
                renderer.append("(")
                renderer.append(row, separator: ", ") { $0.append(argument: $1) }
                renderer.append(")")
            }
            renderer.append(")")
        }
    }

    var negation: SQLExpression? {
        SQLExpression(RowMembershipNode(columns: columns, rows: rows, isNegated: !isNegated, isPacked: isPacked))
    }
}

/// The operator `IN` with a query.
struct SubqueryMembershipNode: CompositeNode, NegatableNode {
    let operand: SQLExpression
    let subquery: SQLSubquery
    /// The query as an expression, to find out the column of its values.
    let rows: SQLExpression
    let isNegated: Bool

    var precedence: SQLPrecedence { .equality }
    var operands: [SQLExpression] { [operand] }

    func render(to renderer: inout SQLRenderer) throws {
        try renderer.append(renderer.operand(operand, comparedWith: rows), atLeast: .comparison)
        renderer.append(isNegated ? " NOT IN (" : " IN (")
        try subquery.render(to: &renderer)
        renderer.append(")")
    }

    var negation: SQLExpression? {
        SQLExpression(SubqueryMembershipNode(operand: operand, subquery: subquery, rows: rows, isNegated: !isNegated))
    }
}

/// The operators `EXISTS` and `NOT EXISTS`.
struct ExistenceNode: CompositeNode, NegatableNode {
    let subquery: SQLSubquery
    let isNegated: Bool

    var precedence: SQLPrecedence { isNegated ? .not : .primary }
    var operands: [SQLExpression] { [] }

    func render(to renderer: inout SQLRenderer) throws {
        renderer.append(isNegated ? "NOT EXISTS (" : "EXISTS (")
        try subquery.render(to: &renderer)
        renderer.append(")")
    }

    var negation: SQLExpression? { SQLExpression(ExistenceNode(subquery: subquery, isNegated: !isNegated)) }
}
