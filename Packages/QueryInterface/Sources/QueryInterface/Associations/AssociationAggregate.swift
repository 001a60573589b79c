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
/// If a request uses aggregates in ``RequestSource/annotated(with:)-(AssociationAggregate<Self.RowDecoder>...)`` or in conditions, it
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

extension RequestSource where Self: TypedRequest, Request: DerivableRequest {
    /// Selects aggregates of associations, in addition to the previous selection.
    ///
    /// ```swift
    /// // SELECT *, (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id")
    /// // AS "bookCount" FROM "author"
    /// Author.annotated(with: Author.books.count)
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Request { annotated(with: aggregates) }

    /// Selects aggregates of associations, in addition to the previous selection.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Request {
        annotated(with: aggregates.map(\.sqlSelection)).applying(RequestChange(.aggregate))
    }

    /// Keeps the rows where an aggregate of an association is true.
    ///
    /// ```swift
    /// // SELECT * FROM "author" WHERE
    /// // (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") >= 20
    /// Author.having(Author.books.count >= 20)
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Request { filter(predicate) }

    /// Keeps the rows where an aggregate of an association is true. Same as ``having(_:)``.
    public func filter(_ predicate: AssociationAggregate<RowDecoder>) -> Request {
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
            SQLExpression(.associationAggregate(path, .exists(isNegated: true))),
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
        _ function: AssociationFunction, key: String?
    ) -> AssociationAggregate<OriginRowDecoder> {
        AssociationAggregate(SQLExpression(.associationAggregate(path, function)), key: key)
    }

    private func aggregate(
        _ function: String, _ expression: any SQLOperand, name: (String, String) -> String
    ) -> AssociationAggregate<OriginRowDecoder> {
        let expression = expression.sqlExpression
        let column = expression.columnName
        return aggregate(.function(function, expression), key: column.map { name(singularKey, $0) })
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
