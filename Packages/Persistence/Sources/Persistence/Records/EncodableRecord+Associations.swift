import QueryInterface

extension EncodableRecord where Self: TableRecord {
    /// Returns a request for the rows that an association links to this record.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "authorId" = 1
    /// let books = try author.request(for: Author.books).fetchAll(db)
    /// ```
    ///
    /// The method encodes the record when it creates the request.
    ///
    /// - Parameter association: an association of the record's type.
    /// - Returns: a request. Fetching it throws the error of the record's encoding, or an error when the record lacks a column of
    ///   the association's key.
    public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
    where A.OriginRowDecoder == Self {
        let values = Result { try valuesByName }
        return association.request { column in try values.get()[SchemaName(column)] }
    }

    /// The table of the record's own type, which may be a subclass of `Self`.
    private var ownTableName: String {
        func tableName(_ type: (some TableRecord).Type) -> String { type.databaseTableName }
        let type = untraced(type(of: self) as any TableRecord.Type)
        return tableName(type)
    }

    /// Returns the error for a missing row of this record. Throw it after your own SQL statements.
    ///
    /// - Returns: ``RecordError/recordNotFound(databaseTableName:key:)`` with the record's primary key, or the error of its encoding.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let values = try valuesByName
            let table = ownTableName
            let columns = try TableReference(table, in: db).primaryKey(db).columns
            let key = columns.map { ($0, values[SchemaName($0)] ?? .null) }
            return RecordError.recordNotFound(
                databaseTableName: table, key: Dictionary(key, uniquingKeysWith: { $1 }))
        } catch {
            return error
        }
    }
}

extension EncodableRecord {
    /// The encoded values, by their columns.
    var valuesByName: [SchemaName: DatabaseValue] {
        get throws {
            try Dictionary(databaseDictionary.map { (SchemaName($0.key), $0.value) }, uniquingKeysWith: { $1 })
        }
    }
}
