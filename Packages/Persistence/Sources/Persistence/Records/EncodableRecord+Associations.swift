import QueryInterface

extension EncodableRecord where Self: TableRecord {
    /// A request for the rows of an association of this record.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "authorId" = 1
    /// let books = try author.request(for: Author.books).fetchAll(db)
    /// ```
    ///
    /// The record is encoded when the request is made.
    ///
    /// - Parameter association: an association of the record's type.
    /// - Returns: a request. It throws, when it is fetched, the error of the record's encoding, or one that says that the record
    ///   lacks the columns by which the association is found.
    public func request<A: Association>(for association: A) -> QueryInterfaceRequest<A.RowDecoder>
    where A.OriginRowDecoder == Self {
        let values = Result { try valuesByFoldedName }
        return association.request { column in try values.get()[column.lowercased()] }
    }

    /// The values of all columns, by names in lower case.
    private var valuesByFoldedName: [String: DatabaseValue] {
        get throws {
            try Dictionary(databaseDictionary.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
        }
    }

    /// The table of the record's own type, which may be a subclass of `Self`.
    private var ownTableName: String {
        func tableName(_ type: (some TableRecord).Type) -> String { type.databaseTableName }
        let type: any TableRecord.Type = type(of: self)
        return tableName(type)
    }

    /// The error of this record's row that is not there, for your own statements.
    ///
    /// - Returns: ``RecordError/recordNotFound(databaseTableName:key:)`` with the record's primary key, or the error of its encoding.
    public func recordNotFound(_ db: Database) -> any Error {
        do {
            let values = try valuesByFoldedName
            let table = ownTableName
            let columns = try TableReference(table, in: db).primaryKey(db).columns
            let key = columns.map { ($0, values[$0.lowercased()] ?? .null) }
            return RecordError.recordNotFound(
                databaseTableName: table, key: Dictionary(key, uniquingKeysWith: { $1 }))
        } catch {
            return error
        }
    }
}
