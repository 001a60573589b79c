import RowDecoding

extension Association {
    /// Returns a request for the rows that are associated with one row.
    ///
    /// Records that encode themselves have `author.request(for: Author.books)`, which calls this method.
    ///
    /// - Parameter value: returns the value of a column of the row that has the association, or nil if the row has no such column. It is
    ///   called when the request generates its SQL.
    package func request(
        whereOriginHas value: @escaping @Sendable (_ column: String) throws -> DatabaseValue?
    ) -> QueryInterfaceRequest<RowDecoder> {
        let table = databaseTableName
        return QueryInterfaceRequest(
            relation: path.seenFromDestination { pairs in
                let equalities = try pairs.map { pair in
                    guard let value = try value(pair.left) else {
                        throw DatabaseError.misuse("the record has no column \(pair.left), which its association to \(table) needs")
                    }
                    // NULL refers to no row: use `=`, which is never true for NULL, and not IS NULL.
                    return SQLExpression.binary(Column(pair.right), .equal, value)
                }
                guard let first = equalities.first else { return DatabaseValue.null.sqlExpression }
                return equalities.dropFirst().reduce(first) { $0 && $1 }
            })
    }
}

extension AssociationPath {
    /// Returns the pairs of columns that join the origin of the association (left) to its first table (right).
    ///
    /// - Throws: ``DatabaseError`` when the association has no foreign key, or when the schema does not define exactly one.
    func originColumns(_ db: Database) throws -> [(left: String, right: String)] {
        guard let columns = try steps[0].condition.columns(db) else {
            throw DatabaseError.misuse(
                "the association \(key(for: .toMany)) has no foreign key, and can't be fetched on its own",
                advice: "Join the association in a request instead.")
        }
        return columns
    }

    /// Returns a query of the associated rows. It starts from their table, and joins the tables back to the association's first one.
    ///
    /// - Parameter condition: returns the condition on the columns of the first table.
    func seenFromDestination(
        where condition: @escaping @Sendable ([(left: String, right: String)]) throws -> SQLExpression
    ) -> Relation {
        var back = steps[0].relation
        if let origin = steps[0].condition.leftTable {
            back.absentTables = [AbsentTable(ofRowsWithAssociation: origin)]
        }
        back.filters = Chain([Deferred { try condition(originColumns($0)) }] + back.filters)
        if !back.groups.isConstantlyEmpty || steps.count > 1 && !destination.groups.isConstantlyEmpty {
            // Group the rows of each origin separately.
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
            let join = Join(
                // Users' associations never have this key.
                key: "\u{0}through", isRequired: true, isIncluded: false, leadsToIncluded: false,
                condition: steps[index].condition.reversed, cardinality: .toMany, relation: back)
            relation.joins.insert(join, at: 0)
            // A row belongs to several rows at the other end.
            relation.usesAggregates = false
            back = relation
        }
        if let groupKeys { back.groups = groupKeys + back.groups }
        return back
    }
}
