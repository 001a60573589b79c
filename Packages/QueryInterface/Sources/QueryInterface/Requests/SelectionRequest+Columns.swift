import RowDecoding

// Columns that know the types of their values, fetched into arrays. The selection of a request does not keep these types.

extension RequestSource
where Self: TypedRequest, RowDecoder: TableRecord, DerivedRequest: SelectionRequest & FetchRequest {
    /// Fetches one column of the record type into an array. Replaces the selection of the request.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible>(
        _ db: Database, _ columns: (DatabaseComponents) throws -> TypedColumn<A>
    ) throws -> [A] {
        let a = try columns(RowDecoder.databaseComponents)
        return try select([a]).fetchColumns(db, as: A.self)
    }

    /// Fetches two columns of the record type into arrays. Replaces the selection of the request.
    ///
    /// ```swift
    /// struct Player: TableRecord {
    ///     enum Columns {
    ///         static let id = TypedColumn<Int64>("id")
    ///         static let score = TypedColumn<Double>("score")
    ///     }
    /// }
    ///
    /// // SELECT "id", "score" FROM "player"
    /// let (ids, scores) = try Player.all().fetchColumns(db) { ($0.id, $0.score.optional) }
    /// ```
    ///
    /// There are methods for one to six columns. To fetch columns without a type, or other expressions, select them, and use
    /// ``FetchSource/fetchColumns(_:as:_:)``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - columns: returns the columns. A column with NULLs is ``TypedColumn/optional``.
    /// - Returns: the arrays, with a value for each row, in the order of the rows.
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(
        _ db: Database, _ columns: (DatabaseComponents) throws -> (TypedColumn<A>, TypedColumn<B>)
    ) throws -> ([A], [B]) {
        let (a, b) = try columns(RowDecoder.databaseComponents)
        return try select([a, b]).fetchColumns(db, as: A.self, B.self)
    }

    /// Fetches three columns of the record type into arrays. Replaces the selection of the request.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible>(
        _ db: Database, _ columns: (DatabaseComponents) throws -> (TypedColumn<A>, TypedColumn<B>, TypedColumn<C>)
    ) throws -> ([A], [B], [C]) {
        let (a, b, c) = try columns(RowDecoder.databaseComponents)
        return try select([a, b, c]).fetchColumns(db, as: A.self, B.self, C.self)
    }

    /// Fetches four columns of the record type into arrays. Replaces the selection of the request.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible
    >(
        _ db: Database, _ columns: (DatabaseComponents) throws -> (TypedColumn<A>, TypedColumn<B>, TypedColumn<C>, TypedColumn<D>)
    ) throws -> ([A], [B], [C], [D]) {
        let (a, b, c, d) = try columns(RowDecoder.databaseComponents)
        return try select([a, b, c, d]).fetchColumns(db, as: A.self, B.self, C.self, D.self)
    }

    /// Fetches five columns of the record type into arrays. Replaces the selection of the request.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible
    >(
        _ db: Database,
        _ columns: (DatabaseComponents) throws -> (TypedColumn<A>, TypedColumn<B>, TypedColumn<C>, TypedColumn<D>, TypedColumn<E>)
    ) throws -> ([A], [B], [C], [D], [E]) {
        let (a, b, c, d, e) = try columns(RowDecoder.databaseComponents)
        return try select([a, b, c, d, e]).fetchColumns(db, as: A.self, B.self, C.self, D.self, E.self)
    }

    /// Fetches six columns of the record type into arrays. Replaces the selection of the request.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted, or an error when the query can't be turned into
    ///   SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible, F: DatabaseValueConvertible
    >(
        _ db: Database,
        _ columns: (DatabaseComponents) throws -> (
            TypedColumn<A>, TypedColumn<B>, TypedColumn<C>, TypedColumn<D>, TypedColumn<E>, TypedColumn<F>
        )
    ) throws -> ([A], [B], [C], [D], [E], [F]) {
        let (a, b, c, d, e, f) = try columns(RowDecoder.databaseComponents)
        return try select([a, b, c, d, e, f]).fetchColumns(db, as: A.self, B.self, C.self, D.self, E.self, F.self)
    }
}
