import RowDecoding

/// A value computed from the rows of a to-many association, such as their number or their least value.
///
/// ```swift
/// // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id")
/// // AS "bookCount" FROM "author"
/// Author.annotated(with: Author.books.count)
///
/// // SELECT * FROM "author" WHERE NOT EXISTS
/// // (SELECT 1 FROM "book" WHERE "book"."authorId" = "author"."id")
/// Author.having(Author.books.isEmpty)
///
/// // … ORDER BY
/// // (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") DESC
/// Author.order(Author.books.count.desc)
/// ```
///
/// Each aggregate is a separate subquery, so aggregates of several associations do not affect each other. The filters of associations that
/// the request joins don't affect them either.
///
/// If a request uses aggregates in ``DerivableRequest/annotated(with:)-(AssociationAggregate<Self.RowDecoder>...)`` or in conditions, it
/// returns each row of its table once, even if it joins several rows of an association without selecting their columns:
///
/// ```swift
/// // SELECT "author".*, (SELECT max("book"."year") …) AS "maxBookYear" FROM "author"
/// // JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
/// Author.joining(required: Author.books)
///     .annotated(with: Author.books.max(Book.Columns.year))
/// ```
///
/// The columns of a table that such rows refer to, as in `Author.books.including(required: Book.series)`, are those of any one of the rows. A
/// row is repeated for each row of an association whose columns are selected, as in `including(required: Author.books)`.
public struct AssociationAggregate<RowDecoder>: Sendable {
    /// The subquery, as an expression on rows of the table that has the association.
    let expression: SQLExpression

    /// The alias of the value in a selection, or nil to select it without one.
    let key: String?

    init(_ expression: SQLExpression, key: String? = nil) {
        self.expression = expression
        self.key = key
    }

    /// Returns the aggregate with another alias.
    ///
    /// ```swift
    /// // SELECT *, (SELECT count(*) …) AS "numberOfBooks" FROM "author"
    /// Author.annotated(with: Author.books.count.forKey("numberOfBooks"))
    /// ```
    public func forKey(_ key: String) -> Self { AssociationAggregate(expression, key: key) }

    /// Returns the aggregate with the name of a coding key as its alias.
    public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }
}

extension AssociationAggregate {
    /// The aggregate with its alias, as a selection.
    ///
    /// Aggregates do not conform to `SQLSelectable`, so that only requests for rows with the association can select them.
    var sqlSelection: SQLSelection {
        key.map { expression.forKey($0).sqlSelection } ?? expression.sqlSelection
    }
}

extension DerivableRequest {
    /// Selects aggregates of associations, in addition to the previous selection.
    ///
    /// ```swift
    /// // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id")
    /// // AS "bookCount" FROM "author"
    /// Author.annotated(with: Author.books.count)
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self { annotated(with: aggregates) }

    /// Selects aggregates of associations, in addition to the previous selection.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        annotated(with: aggregates.map(\.sqlSelection)).applying(RequestChange(.aggregate))
    }

    /// Keeps the rows where an aggregate of an association is true.
    ///
    /// ```swift
    /// // SELECT * FROM "author" WHERE
    /// // (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") >= 20
    /// Author.having(Author.books.count >= 20)
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self { filter(predicate) }

    /// Keeps the rows where an aggregate of an association is true. Same as ``having(_:)``.
    public func filter(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        filter(predicate.expression).applying(RequestChange(.aggregate))
    }
}

extension AssociationAggregate: SQLOrderingTerm {
    /// An ascending ordering by the value.
    public var sqlOrdering: SQLOrdering { expression.sqlOrdering }

    /// An ascending ordering by the value.
    public var asc: SQLOrdering { expression.asc }

    /// A descending ordering by the value.
    public var desc: SQLOrdering { expression.desc }
}

// MARK: - Making aggregates

extension AssociationToMany {
    /// The number of associated rows.
    ///
    /// The default alias is the singular key of the association followed by "Count": "bookCount".
    public var count: AssociationAggregate<OriginRowDecoder> {
        aggregate(.count, key: "\(singularKey)Count")
    }

    /// Whether there are no associated rows.
    ///
    /// The default alias is "hasNo" followed by the singular key of the association: "hasNoBook".
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        AssociationAggregate(
            SQLExpression(AssociationAggregateNode(path: path, function: .exists(isNegated: true))),
            key: "hasNo\(singularKey.capitalizedFirst)")
    }

    /// Returns the average of an expression over the associated rows, or NULL if there are none.
    ///
    /// The default alias for `Column("price")` is "averageBookPrice".
    public func average(_ expression: any SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("avg", expression) { "average\($0.capitalizedFirst)\($1.capitalizedFirst)" }
    }

    /// Returns the greatest value of an expression in the associated rows, or NULL if there are none.
    ///
    /// The default alias for `Column("price")` is "maxBookPrice".
    public func max(_ expression: any SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("max", expression) { "max\($0.capitalizedFirst)\($1.capitalizedFirst)" }
    }

    /// Returns the least value of an expression in the associated rows, or NULL if there are none.
    ///
    /// The default alias for `Column("price")` is "minBookPrice".
    public func min(_ expression: any SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("min", expression) { "min\($0.capitalizedFirst)\($1.capitalizedFirst)" }
    }

    /// Returns the sum of an expression over the associated rows, or NULL if there are none.
    ///
    /// The default alias for `Column("price")` is "bookPriceSum".
    public func sum(_ expression: any SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("sum", expression) { "\($0)\($1.capitalizedFirst)Sum" }
    }

    /// Returns the sum of an expression over the associated rows as a REAL, or 0.0 if there are none.
    ///
    /// The default alias for `Column("price")` is "bookPriceSum".
    public func total(_ expression: any SQLOperand) -> AssociationAggregate<OriginRowDecoder> {
        aggregate("total", expression) { "\($0)\($1.capitalizedFirst)Sum" }
    }

    private var singularKey: String { path.key(for: .toOne) }

    private func aggregate(
        _ function: AssociationAggregateNode.Function, key: String?
    ) -> AssociationAggregate<OriginRowDecoder> {
        AssociationAggregate(SQLExpression(AssociationAggregateNode(path: path, function: function)), key: key)
    }

    private func aggregate(
        _ function: String, _ expression: any SQLOperand, name: (String, String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let expression = expression.sqlExpression
        let column = (expression.node as? ColumnNode)?.name
        return aggregate(.function(function, expression), key: column.map { name(singularKey, $0) })
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// A subquery on the rows of an association, correlated with a row of the outer query.
struct AssociationAggregateNode: CompositeNode, NegatableNode {
    enum Function: Sendable {
        case exists(isNegated: Bool)
        case count
        case function(String, SQLExpression)
    }

    let path: AssociationPath
    let function: Function

    // The subquery aggregates its own rows, not those of the outer query.
    var operands: [SQLExpression] { [] }

    var precedence: SQLPrecedence {
        if case .exists(isNegated: true) = function { .not } else { .primary }
    }

    var negation: SQLExpression? {
        guard case .exists(let isNegated) = function else { return nil }
        return SQLExpression(AssociationAggregateNode(path: path, function: .exists(isNegated: !isNegated)))
    }

    func render(to renderer: inout SQLRenderer) throws {
        guard let origin = renderer.sourceName else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "an association aggregate is used outside a request",
                sql: renderer.sql)
        }
        let outer = TableAlias<Void>(name: renderer.qualifier ?? origin, recordType: renderer.sourceRecordType)
        // An alias qualifies the columns of the association's table, in case both tables have columns of the same name.
        let alias = TableAlias()
        var path = path
        path.steps[0].relation.aliases.append(alias)
        // Groups would split the aggregate into several values.
        path.destination.usesAggregates = false
        let relation = path.seenFromDestination { pairs in
            let equalities = pairs.map { alias[Column($0.right)] == outer[Column($0.left)] }
            return equalities.dropFirst().reduce(equalities[0]) { $0 && $1 }
        }
        let (qualifier, reserved) = (renderer.qualifier, renderer.reservedNames)
        renderer.qualifier = nil
        renderer.reservedNames.insert(SchemaName(qualifier ?? origin))
        try render(relation, to: &renderer)
        (renderer.qualifier, renderer.reservedNames) = (qualifier, reserved)
    }

    private func render(_ relation: Relation, to renderer: inout SQLRenderer) throws {
        let query = try ResolvedQuery(relation, in: renderer)
        switch function {
        case .exists(let isNegated):
            renderer.append(isNegated ? "NOT EXISTS (" : "EXISTS (")
            try query.render(to: &renderer, isOrdered: false) { $0.append("1") }
            renderer.append(")")
        case .count where relation.isDistinct || !relation.groups.isConstantlyEmpty:
            renderer.append("(SELECT count(*) FROM (")
            try query.render(to: &renderer)
            renderer.append("))")
        case .count:
            renderer.append("(")
            // Joins can find a row several times: count it once.
            let key = query.root.rowsAreRepeated ? try query.root.identifyingColumns(renderer.database) : []
            if key.count > 1 {
                renderer.append("SELECT count(*) FROM (")
                try query.render(to: &renderer, isOrdered: false) { renderer in
                    renderer.append("DISTINCT ")
                    try renderer.append(key, separator: ", ") { try $0.append(Column($1).sqlExpression) }
                }
                renderer.append(")")
            } else {
                try query.render(to: &renderer, isOrdered: false) { renderer in
                    guard let column = key.first else {
                        renderer.append("count(*)")
                        return
                    }
                    renderer.append("count(DISTINCT ")
                    try renderer.append(Column(column).sqlExpression)
                    renderer.append(")")
                }
            }
            renderer.append(")")
        case .function(let name, let expression):
            renderer.append("(")
            try query.render(to: &renderer, isOrdered: false) { renderer in
                renderer.append("\(name)(")
                try renderer.append(expression)
                renderer.append(")")
            }
            renderer.append(")")
        }
    }
}
