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
/// If a request uses aggregates in `annotated(with:)` or in conditions, it returns each row of its table once, even if it joins several rows
/// of an association without selecting their columns:
///
/// ```swift
/// // SELECT "author".*, (SELECT max("book"."year") …) AS "maxBookYear" FROM "author"
/// // JOIN "book" ON "book"."authorId" = "author"."id" GROUP BY "author"."id"
/// Author.joining(required: Author.books)
///     .annotated(with: Author.books.max(Book.Columns.year))
/// ```
///
/// The columns of a table that such rows refer to, as in `Author.books.including(required: Book.series)`, come from any one of the rows. A
/// row is repeated for each row of an association whose columns are selected, as in `including(required: Author.books)`.
///
/// An aggregate is an expression on the rows of the table that has the association. Operators and functions combine it with columns, and
/// with other expressions:
///
/// ```swift
/// // … WHERE (SELECT count(*) FROM "book" WHERE "book"."authorId" = "author"."id") > 3
/// // AND "country" = 'FR'
/// Author.filter(Author.books.count > 3 && Column("country") == "FR")
/// ```
///
/// A table alias gives it the rows of a joined table: `Book.author.columns[Author.books.count]`. For rows of another table, the request
/// throws ``DatabaseError`` when it runs.
public struct AssociationAggregate<RowDecoder>: SQLSpecificExpressible, Sendable {
    private var aggregate: AggregatedAssociation

    init(_ aggregate: AggregatedAssociation) {
        self.aggregate = aggregate
    }

    /// The subquery.
    public var sqlExpression: SQLExpression { SQLExpression(.associationAggregate(aggregate)) }

    /// The subquery with its alias.
    public var sqlSelection: SQLSelection { sqlExpression.selectionWithDefaultKey }

    /// Returns the aggregate with another alias.
    ///
    /// ```swift
    /// // SELECT *, (SELECT count(*) …) AS "numberOfBooks" FROM "author"
    /// Author.annotated(with: Author.books.count.forKey("numberOfBooks"))
    /// ```
    public func forKey(_ key: String) -> Self {
        changed(self) { $0.aggregate.key = key }
    }

    /// Returns the aggregate with the name of a coding key as its alias.
    public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }
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
        aggregate(.exists(isNegated: true), key: "hasNo\(singularKey.capitalizedFirst)")
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
        AssociationAggregate(AggregatedAssociation(path: path, function: function, origin: OriginRowDecoder.self, key: key))
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
