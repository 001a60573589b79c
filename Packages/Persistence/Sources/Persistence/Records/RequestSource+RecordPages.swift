import QueryInterface

extension RequestSource where DerivedRequest: TableRequest & FilteredRequest & OrderedRequest {
    /// Orders the rows, and keeps the rows after a record: the next page of a list. Replaces the previous order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 42
    /// // SELECT * FROM "player" WHERE ("score", "id") < (750, 42)
    /// // ORDER BY "score" DESC, "id" DESC LIMIT 20
    /// let page = try Player.all()
    ///     .page(after: previousPage.last, by: [Column("score").desc])
    ///     .limit(20)
    ///     .fetchAll(db)
    /// ```
    ///
    /// The order ends with the primary key, in the direction of the last term, unless it contains the primary key already, with the
    /// collation of its index. If the key can be NULL, the row ID follows. An index on the columns of the order thus serves all pages: see
    /// `page(after:by:)` with values.
    ///
    /// A record may encode another value than its row stores: a `Date` that was read from `2026-11-28 10:00:00` is encoded with milliseconds.
    /// The request therefore reads the row by the record's primary key, and takes the stored values in the columns in which decoding and
    /// encoding the row gives the values of the record. If the row is gone, or has changed, the values of the record count, and the page may
    /// then lack rows or repeat them. ``RequestSource/fetchPage(_:after:size:by:)`` has the stored values from the page itself: prefer it.
    ///
    /// - Parameters:
    ///   - record: the last record of the previous page; nil for the first page.
    ///   - orderings: columns of the record, with directions.
    /// - Returns: a request that throws when it is fetched, if the record can't be encoded, if it has no value for a column of the order,
    ///   if a term does not order by a column, or if the record has NULL in its primary key.
    public func page(after record: (some EncodableRecord)?, by orderings: [any SQLOrderingTerm]) -> DerivedRequest {
        let table = all().databaseTableName
        let terms = orderings.map(\.sqlOrdering)
        guard let record else {
            return orderWhenConnected { try StableOrder(terms, of: table, ofRecord: nil, $0).terms }
        }
        let recordTable = (untraced(type(of: record) as Any.Type) as? any TableRecord.Type)?.databaseTableName
        let position = Result { try RecordPosition(record) }
        @Sendable func order(_ db: Database) throws -> StableOrder { try StableOrder(terms, of: table, ofRecord: recordTable, db) }
        return pageWhenConnected(
            { db in
                let order = try order(db)
                return (try position.get().values(in: order, of: table, db).map(\.sqlExpression), order.terms)
            }, by: { try order($0).terms })
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
        throw DatabaseError.misuse("the record has no value for the column \(column), by which pages of \(table) are ordered")
    }
    return value
}

/// The order of pages. It ends with columns that no two rows share: the primary key, and the row ID if the key can be NULL.
struct StableOrder {
    let terms: [SQLOrdering]

    /// The columns whose values a record must have: those of the terms, without a row ID at the end.
    let columns: [String]

    /// The columns of the primary key.
    let key: [String]

    /// Whether the order ends with the row ID, because the primary key can be NULL.
    var endsWithRowID: Bool { columns.count < terms.count }

    /// - Parameters:
    ///   - terms: the order, without the primary key.
    ///   - table: the table of the request.
    ///   - recordTable: the table of the record's type, if it has one.
    ///   - db: a connection.
    init(_ terms: [SQLOrdering], of table: String, ofRecord recordTable: String?, _ db: Database) throws {
        let columns = try terms.map { term in
            guard let column = try term.orderedColumnName(of: [table, recordTable ?? table], db) else {
                throw DatabaseError.misuse(
                    "a page of \(table) after a record is ordered by columns only",
                    advice: "Pass values for other terms instead of a record.")
            }
            return column
        }
        let reference = try TableReference(table, in: db)
        let key = try reference.primaryKey(db)
        let missing = try Self.missingColumns(of: key, afterOrderBy: Array(zip(columns, terms)), reference, db)
        var end = missing.map { name, collation in
            collation.map { Column(name).collating(Database.CollationName(rawValue: $0)) } ?? Column(name).sqlExpression
        }
        if let rowID = try Self.rowID(of: key, reference, db), !columns.contains(where: { $0.isEqualIgnoringASCIICase(to: rowID) }) {
            end.append(Column(rowID).sqlExpression)
        }
        let isDescending = terms.last.map { $0.isDescending } ?? false
        self.terms = terms + end.map { isDescending ? $0.desc.sqlOrdering : $0.sqlOrdering }
        self.columns = columns + missing.map(\.name)
        self.key = key.columns
    }

    /// Returns the columns of the primary key that an order lacks, with the collations that they need.
    ///
    /// The values of a key differ for the collation of its index, and thus for `BINARY`. Another collation may take them for equal.
    private static func missingColumns(
        of key: PrimaryKeyInfo, afterOrderBy terms: [(String, SQLOrdering)], _ table: TableReference, _ db: Database
    ) throws -> [(name: String, collation: String?)] {
        func orderings(of column: String) -> [SQLOrdering] { terms.filter { $0.0.isEqualIgnoringASCIICase(to: column) }.map(\.1) }
        if try key.isRowID || table.isView(db) { return key.columns.filter { orderings(of: $0).isEmpty }.map { ($0, nil) } }
        let unique = try UniqueKey(key.columns, of: table, db)
        return try unique.columns(db).compactMap { column in
            guard let collation = column.collation else { return orderings(of: column.name).isEmpty ? column : nil }
            func distinguishes(_ other: String) -> Bool {
                other.isEqualIgnoringASCIICase(to: collation) || other.isEqualIgnoringASCIICase(to: "BINARY")
            }
            let declared = try unique.declaredCollation(of: column.name, db)
            if orderings(of: column.name).contains(where: { distinguishes($0.orderedCollation ?? declared) }) { return nil }
            return (column.name, distinguishes(declared) ? nil : collation)
        }
    }

    /// Returns the name of the row ID if the primary key does not distinguish the rows without it.
    private static func rowID(of key: PrimaryKeyInfo, _ table: TableReference, _ db: Database) throws -> String? {
        guard !key.isRowID, let rowID = key.rowIDName else { return nil }
        let columns = try table.columns(db)
        let isNullable = key.columns.contains { name in
            columns.contains { !$0.isNotNull && $0.name.isEqualIgnoringASCIICase(to: name) }
        }
        return isNullable ? rowID : nil
    }

    // MARK: - Records

    /// Returns the values of a record in the terms.
    ///
    /// - Parameters:
    ///   - values: the values that the record encodes.
    ///   - stored: the values that its row stores, by the columns in which the record has the values of its row.
    ///   - table: the name of the table of the request.
    /// - Throws: ``DatabaseError`` if the record has no value for a column, or NULL in a primary key that does not distinguish the rows.
    func values(
        of values: [SchemaName: DatabaseValue], stored: [SchemaName: DatabaseValue], _ table: String
    ) throws -> [DatabaseValue] {
        let position = try columns.map { try stored[SchemaName($0)] ?? value(of: $0, in: values, table) }
        guard endsWithRowID, let last = terms.last else { return position }
        guard try key.allSatisfy({ try !value(of: $0, in: values, table).isNull }) else {
            throw DatabaseError.misuse(
                "the position of a record of \(table) with NULL in its primary key is not known",
                advice: "Fetch the pages with fetchPage(_:after:size:by:).")
        }
        // Only the row of the record has its key, so that any row ID behind it leads to the next row.
        return position + [(last.isDescending ? Int64.min : .max).databaseValue]
    }
}

/// The position of a record in a list.
private struct RecordPosition: Sendable {
    private let recordType: Any.Type
    private let values: [SchemaName: DatabaseValue]

    init(_ record: some EncodableRecord) throws {
        recordType = untraced(type(of: record) as Any.Type)
        values = try record.valuesByName
    }

    /// Returns the values of the record in the terms of an order: the values that its row stores where the record has the values of its row.
    func values(in order: StableOrder, of table: String, _ db: Database) throws -> [DatabaseValue] {
        let type = recordType as? any (EncodableRecord & FetchableRecord & TableRecord).Type
        return try order.values(of: values, stored: type.map { try storedValues(order, as: $0, table, db) } ?? [:], table)
    }

    private func storedValues<Record: EncodableRecord & FetchableRecord & TableRecord>(
        _ order: StableOrder, as type: Record.Type, _ table: String, _ db: Database
    ) throws -> [SchemaName: DatabaseValue] {
        let key = order.key.compactMap { name in values[SchemaName(name)].map { Column(name) == $0 } }
        guard key.count == order.key.count, try TableReference.areEqual(type.databaseTableName, table, in: db) else { return [:] }
        let (rows, indexes) = try key.reduce(Record.all()) { $0.filter($1) }.fetchRows(db, withColumnsOf: order.terms)
        // A row that is not a record any more has changed.
        guard let row = rows.first, let known = try? Record(row: row).valuesByName else { return [:] }
        let stored = zip(order.columns, indexes).compactMap { column, index -> (SchemaName, DatabaseValue)? in
            let name = SchemaName(column)
            guard let value = values[name], known[name] == value else { return nil }
            return row.unadaptedValue(atIndex: index).map { (name, $0) }
        }
        return Dictionary(stored, uniquingKeysWith: { first, _ in first })
    }
}
