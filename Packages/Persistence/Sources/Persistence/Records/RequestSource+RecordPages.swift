import QueryInterface

extension RequestSource where DerivedRequest: TableRequest & FilteredRequest & OrderedRequest {
    /// Orders the rows, and keeps the rows after a record: the next page of a list. Replaces the previous order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE ("score", "id") < (750, 42)
    /// // ORDER BY "score" DESC, "id" DESC LIMIT 20
    /// let page = try Player.all()
    ///     .page(after: previousPage.last, by: [Column("score").desc])
    ///     .limit(20)
    ///     .fetchAll(db)
    /// ```
    ///
    /// The order ends with the primary key, in the direction of the last term, unless it contains the primary key already. An index on the
    /// columns of the order thus serves all pages: see `page(after:by:)` with values.
    ///
    /// - Parameters:
    ///   - record: the last record of the previous page; nil for the first page.
    ///   - orderings: columns of the record, with directions.
    /// - Returns: a request that throws when it is fetched, if the record can't be encoded, if it has no value for a column of the order,
    ///   or if a term does not order by a column.
    public func page(after record: (some EncodableRecord)?, by orderings: [any SQLOrderingTerm]) -> DerivedRequest {
        let table = all().databaseTableName
        let terms = orderings.map(\.sqlOrdering)
        guard let record else {
            return orderWhenConnected { try StableOrder(terms, of: table, ofRecord: nil, $0).terms }
        }
        let recordTable = (type(of: record) as? any TableRecord.Type)?.databaseTableName
        let values = Result { try record.valuesByName }
        return pageWhenConnected { db in
            let order = try StableOrder(terms, of: table, ofRecord: recordTable, db)
            let values = try values.get()
            return (try order.columns.map { try value(of: $0, in: values, table).sqlExpression }, order.terms)
        }
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: TableRequest & FilteredRequest & OrderedRequest, RowDecoder: TableRecord {
    /// Orders the rows by columns of the record type, and keeps the rows after a record. Replaces the previous order.
    ///
    /// ```swift
    /// Player.all().page(after: previousPage.last) { [$0.score.desc] }.limit(20)
    /// ```
    public func page(
        after record: (some EncodableRecord)?, by orderings: (RowDecoder.DatabaseComponents) throws -> [any SQLOrderingTerm]
    ) rethrows -> DerivedRequest {
        try page(after: record, by: orderings(RowDecoder.databaseComponents))
    }
}

/// Returns the value of a record's column.
func value(of column: String, in values: [SchemaName: DatabaseValue], _ table: String) throws -> DatabaseValue {
    guard let value = values[SchemaName(column)] else {
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "the record has no value for the column \(column), by which pages of \(table) are ordered")
    }
    return value
}

/// An order that ends with the primary key.
struct StableOrder {
    let terms: [SQLOrdering]
    let columns: [String]

    /// - Parameters:
    ///   - terms: the order, without the primary key.
    ///   - table: the table of the request.
    ///   - recordTable: the table of the record's type, if it has one.
    ///   - db: a connection.
    init(_ terms: [SQLOrdering], of table: String, ofRecord recordTable: String?, _ db: Database) throws {
        var columns = try terms.map { term in
            guard let column = try term.orderedColumnName(of: [table, recordTable ?? table], db) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "a page of \(table) after a record is ordered by columns only",
                    advice: "Pass values for other terms instead of a record.")
            }
            return column
        }
        let reference = try TableReference(table, in: db)
        let missing = try reference.primaryKey(db).columns.filter { key in
            !columns.contains { $0.isEqualIgnoringASCIICase(to: key) }
        }
        columns += missing
        let isDescending = terms.last.map { $0.isDescending } ?? false
        self.terms = terms + missing.map { isDescending ? Column($0).desc : Column($0).sqlOrdering }
        self.columns = columns
    }
}
