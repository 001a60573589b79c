import RowDecoding

extension RequestSource where DerivedRequest: TableRequest & FilteredRequest & OrderedRequest {
    /// Orders the rows, and keeps the rows after some values: the next page of a list. Replaces the previous order.
    ///
    /// ```swift
    /// let order: [any SQLOrderingTerm] = [Column("score").desc, Column("id")]
    /// var page = try Player.all().page(after: nil, by: order).limit(20).fetchAll(db)
    /// // SELECT * FROM "player"
    /// // WHERE "score" <= 750 AND ("score" < 750 OR "score" = 750 AND "id" > 42)
    /// // ORDER BY "score" DESC, "id" LIMIT 20
    /// page = try Player.all()
    ///     .page(after: [page.last?.score, page.last?.id], by: order)
    ///     .limit(20)
    ///     .fetchAll(db)
    /// ```
    ///
    /// Unlike an offset, the position stays valid when rows are inserted or deleted before it, and SQLite finds it with an index on the
    /// ordered columns in the same directions. If a column may be NULL and is ordered with NULL at the end, SQLite may have to read the
    /// rows before the position.
    ///
    /// No two rows may have the same values: end the order with the primary key or another unique column.
    ///
    /// - Parameters:
    ///   - values: a value for each term of the order, from the last row of the previous page. nil, or an empty array, is the position
    ///     before the first row. nil as a value is NULL.
    ///   - orderings: the order, with directions and positions of NULL as in ``RequestSource/order(_:)``.
    /// - Returns: a request that throws `SQLITE_MISUSE` when it is fetched, if the number of values differs from the number of terms, or if
    ///   a term is SQL without a known expression.
    public func page(after values: [(any DatabaseValueConvertible)?]?, by orderings: [any SQLOrderingTerm]) -> DerivedRequest {
        guard let values, !values.isEmpty else { return order(orderings) }
        let expressions = values.map { $0?.sqlExpression ?? .null }
        let terms = orderings.map(\.sqlOrdering)
        return pageWhenConnected { _ in (expressions, terms) }
    }

    /// Orders the rows, and keeps the rows after some values. Replaces the previous order.
    ///
    /// - Parameter position: returns the values, and the order. It is called when the request generates its SQL.
    public func pageWhenConnected(
        _ position: @escaping @Sendable (Database) throws -> (after: [SQLExpression], by: [any SQLOrderingTerm])
    ) -> DerivedRequest {
        pageWhenConnected(position, by: { try position($0).by })
    }

    /// Orders the rows, and keeps the rows after some values. Replaces the previous order.
    ///
    /// - Parameters:
    ///   - position: returns the values, and the order.
    ///   - orderings: returns the order.
    package func pageWhenConnected(
        _ position: @escaping @Sendable (Database) throws -> (after: [SQLExpression], by: [any SQLOrderingTerm]),
        by orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> DerivedRequest {
        let table = all().databaseTableName
        return filterWhenConnected { db in
            let (values, orderings) = try position(db)
            return try PagePosition(values: values, orderings: orderings, table: table, db).following
        }
        .orderWhenConnected(orderings)
    }
}

extension QueryInterfaceRequest {
    /// Fetches the rows, with the stored values of the columns by which they are ordered.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - orderings: terms that order by columns: see ``ValueConversion/SQLOrderingTerm/orderedColumnName(of:_:)``.
    /// - Returns: the rows, and the indexes of the columns in ``RowDecoding/Row/unadaptedValue(atIndex:)``. The columns that the request does
    ///   not select follow its own, which the rows show.
    /// - Throws: ``DatabaseError``, also if more columns would change the rows: the request is distinct, grouped, or selects an aggregate.
    package func fetchRows(_ db: Database, withColumnsOf orderings: [SQLOrdering]) throws -> (rows: [Row], indexes: [Int]) {
        let columns = orderings.compactMap { $0.orderedExpression?.uncollated }
        var relation = relation
        // Without a table, a column of the order is the selected expression that has its name as an alias.
        let names = Set(columns.compactMap(\.columnName).map(SchemaName.init))
        if try relation.selection.resolve(db).contains(where: { $0.name.map { names.contains(SchemaName($0)) } == true }) {
            relation.aliases.append(TableAlias())
        }
        let query = try relation.prepare(db, for: .rows, returning: .ordered(by: columns))
        let rows = try Row.fetchAll(query.statement, adapter: query.columns?.adapter)
        try query.columns?.prefetches.fetch(db, for: rows, of: relation)
        return (rows, query.columns?.extraIndexes ?? [])
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: TableRequest & FilteredRequest & OrderedRequest, RowDecoder: TableRecord {
    /// Orders the rows by columns of the record type, and keeps the rows after some values. Replaces the previous order.
    ///
    /// ```swift
    /// Player.all().page(after: [750, 42]) { [$0.score.desc, $0.id] }.limit(20)
    /// ```
    public func page(
        after values: [(any DatabaseValueConvertible)?]?,
        by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> DerivedRequest {
        try page(after: values, by: orderings(RowDecoder.databaseComponents))
    }
}

extension SQLOrderingTerm {
    /// Returns the name of the column that the term orders by, or nil if it orders by another expression, or by a column that knows
    /// another table.
    ///
    /// - Parameters:
    ///   - tables: the names of the tables whose columns count.
    ///   - db: a connection.
    package func orderedColumnName(of tables: [String], _ db: Database) throws -> String? {
        guard let column = orderedExpression?.uncollated else { return nil }
        guard let table = column.columnTable?.name else { return column.columnName }
        return try tables.contains { try TableReference.areEqual($0, table, in: db) } ? column.columnName : nil
    }

    /// The collation that the term gives to its column, if any.
    package var orderedCollation: String? {
        if case .collated(_, by: let name)? = orderedExpression?.node?.kind { name } else { nil }
    }
}

/// A position between the rows of an ordered table.
private struct PagePosition {
    private struct Term {
        let expression: SQLExpression
        let value: SQLExpression
        let isDescending: Bool
        /// Whether rows with NULL may exist, and come after the others.
        let hasNullAtEnd: Bool
        let isNullable: Bool

        var isNull: Bool { value.value?.isNull == true }

        /// Whether the rows after the value and the rows with an equal value form a range.
        var isRange: Bool { !isNull && !hasNullAtEnd }
    }

    private let terms: [Term]

    init(values: [SQLExpression], orderings: [any SQLOrderingTerm], table: String, _ db: Database) throws {
        guard values.count == orderings.count else {
            throw DatabaseError.misuse(
                "a page of \(table) needs one value for each term of its order: \(values.count.counted("value")) for "
                    + orderings.count.counted("term"))
        }
        let columns = try TableReference(table, in: db).columns(db)
        let primaryKey = try TableReference(table, in: db).knownPrimaryKey(db)
        terms = try zip(values, orderings).map { value, ordering in
            guard let expression = ordering.orderedExpression else {
                throw DatabaseError.misuse(
                    "a page of \(table) can't be ordered by SQL", advice: "Order by expressions, such as Column(\"name\").desc.")
            }
            var nulls: SQLOrdering.Nulls?
            if case .expression(_, _, let position) = ordering.sqlOrdering.content { nulls = position }
            let isDescending = ordering.sqlOrdering.isDescending
            let isNullable = try Self.isNullable(expression, table, columns, primaryKey, db)
            return Term(
                expression: expression, value: value, isDescending: isDescending,
                hasNullAtEnd: isNullable && (nulls.map { $0 == .last } ?? isDescending), isNullable: isNullable)
        }
    }

    /// The condition for the rows that follow.
    var following: SQLExpression {
        // The leading terms whose rows are one range in an index. SQLite begins to read at the beginning of that range.
        let range = terms.prefix { $0.isRange && $0.isDescending == terms[0].isDescending }
        if range.count == terms.count { return Self.bound(terms[...], isStrict: true) }
        let condition = following(from: 0) ?? 0.databaseValue.sqlExpression
        return range.isEmpty ? condition : Self.bound(range, isStrict: false) && condition
    }

    /// Returns the condition for rows that are equal up to a term, and follow because of that term and those after it; nil if there are
    /// none.
    private func following(from index: Int) -> SQLExpression? {
        guard index < terms.count else { return nil }
        let term = terms[index]
        var strict: SQLExpression?
        if term.isNull {
            let isNullLast = term.hasNullAtEnd || !term.isNullable
            strict = isNullLast ? nil : SQLExpression(.nullTest(term.expression, isNull: false))
        } else {
            let comparison = Self.bound([term], isStrict: true)
            let isNull = SQLExpression(.nullTest(term.expression, isNull: true))
            strict = term.hasNullAtEnd ? comparison || isNull : comparison
        }
        guard let rest = following(from: index + 1) else { return strict }
        let tie = (term.expression == term.value) && rest
        return strict.map { $0 || tie } ?? tie
    }

    /// Returns the comparison with the beginning of a range.
    private static func bound(_ terms: ArraySlice<Term>, isStrict: Bool) -> SQLExpression {
        let (left, right) = (terms.map(\.expression), terms.map(\.value))
        let isDescending = terms.first?.isDescending == true
        let operation: SQLOperator = isDescending ? (isStrict ? .less : .lessOrEqual) : (isStrict ? .greater : .greaterOrEqual)
        return left.count == 1 ? .binary(left[0], operation, right[0]) : SQLExpression(.rowComparison(left, operation, right))
    }

    private static func isNullable(
        _ expression: SQLExpression, _ table: String, _ columns: [ColumnInfo], _ primaryKey: PrimaryKeyInfo?, _ db: Database
    ) throws -> Bool {
        let expression = expression.uncollated
        guard let name = expression.columnName else { return true }
        // The column can belong to a joined table.
        if let other = expression.columnTable?.name, try !TableReference.areEqual(table, other, in: db) { return true }
        if let rowID = primaryKey?.rowIDName, rowID.isEqualIgnoringASCIICase(to: name) { return false }
        guard let column = columns.first(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) else { return true }
        return !column.isNotNull
    }
}
