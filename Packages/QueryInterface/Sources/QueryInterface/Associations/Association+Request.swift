import RowDecoding

extension Association {
    /// A request for the rows that one row of the other end leads to.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "authorId" = 1
    /// let books = Author.books.request { column in column == "id" ? 1.databaseValue : nil }
    /// ```
    ///
    /// Records that encode themselves have `author.request(for: Author.books)`, which is made of this.
    ///
    /// - Parameter value: gives the value of a column of the row that has the association, nil when the row has no such column; it
    ///   is called when the query is written.
    public func request(
        whereOriginHas value: @escaping @Sendable (_ column: String) throws -> DatabaseValue?
    ) -> QueryInterfaceRequest<RowDecoder> {
        let table = databaseTableName
        return QueryInterfaceRequest(
            relation: path.seenFromDestination { pairs in
                let equalities = try pairs.map { pair in
                    guard let value = try value(pair.left) else {
                        throw DatabaseError(
                            resultCode: .SQLITE_MISUSE,
                            message: "the record has no column \(pair.left), by which its association to \(table) is found")
                    }
                    // NULL refers to no row: the operator must not become IS NULL.
                    return SQLExpression(
                        BinaryNode(
                            left: Column(pair.right).sqlExpression, operation: " = ", right: value.sqlExpression,
                            precedence: .equality))
                }
                guard let first = equalities.first else { return DatabaseValue.null.sqlExpression }
                return equalities.dropFirst().reduce(first) { $0 && $1 }
            })
    }
}

extension AssociationPath {
    /// The columns by which the first table on the way is found, with those of the table that has the association.
    ///
    /// - Throws: ``DatabaseError`` when the association follows no foreign key, or the schema has none or several.
    func originColumns(_ db: Database) throws -> [(left: String, right: String)] {
        guard let columns = try steps[0].condition.columns(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the association \(key(for: .toMany)) has no foreign key: it can be joined, but not fetched by itself")
        }
        return columns
    }

    /// The query of the rows that the association leads to: it starts from their table, and is joined to those on the way back.
    ///
    /// - Parameter condition: makes the condition on the first table's columns.
    func seenFromDestination(
        where condition: @escaping @Sendable ([(left: String, right: String)]) throws -> SQLExpression
    ) -> Relation {
        var back = steps[0].relation
        back.filters = Chain([Deferred { try condition(originColumns($0)) }] + back.filters)
        if !back.groups.isConstantlyEmpty || steps.count > 1 && !destination.groups.isConstantlyEmpty {
            // Groups are made for each row that has the association.
            let alias = TableAlias()
            back.aliases.append(alias)
            let keys = Deferred { try originColumns($0).map { alias[Column($0.right)] } }
            if steps.count == 1 {
                back.groups = keys + back.groups
                return back
            }
            return joinedBack(from: back, groupKeys: keys)
        }
        return joinedBack(from: back, groupKeys: nil)
    }

    private func joinedBack(from first: Relation, groupKeys: Deferred<[SQLExpression]>?) -> Relation {
        var back = first
        for index in steps.indices.dropFirst() {
            var relation = steps[index].relation
            // What a later step says of a name counts.
            let commonTables = relation.commonTables
            relation.commonTables = back.commonTables
            for table in commonTables { relation = relation.with(table) }
            back.commonTables = []
            let join = Join(
                // No association of the user's has this key.
                key: "\u{0}through", isRequired: true, isIncluded: false, condition: steps[index].condition.reversed,
                relation: back)
            relation.joins.insert(join, at: 0)
            back = relation
        }
        if let groupKeys { back.groups = groupKeys + back.groups }
        return back
    }
}
