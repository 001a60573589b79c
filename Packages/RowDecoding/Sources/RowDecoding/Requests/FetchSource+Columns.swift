import ValueConversion

extension FetchSource {
    /// Fetches one column into an array: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible>(
        _ db: Database, as a: A.Type
    ) throws -> [A] {
        try fetchColumns(db, into: [], appendValues)
    }

    /// Fetches two columns into arrays.
    ///
    /// ```swift
    /// // SELECT "id", "score" FROM "player"
    /// let (ids, scores) = try Player
    ///     .select(Column("id"), Column("score"))
    ///     .fetchColumns(db, as: Int64.self, Double?.self)  // ([Int64], [Double?])
    /// ```
    ///
    /// No rows or records are made: for statistics, plots and exports. There are methods for one to six columns. A request in SQL is an
    /// ``SQLRequest``:
    ///
    /// ```swift
    /// let request = SQLRequest(sql: "SELECT name, score FROM player")
    /// let (names, scores) = try request.fetchColumns(db, as: String.self, Int.self)
    /// ```
    ///
    /// The query may have more columns, which are ignored. Associations of the request are not prefetched.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - a: the type of the values of the leftmost column. NULL needs an optional type.
    ///   - b: the type of the values of the next column.
    /// - Returns: the arrays, with a value for each row, in the order of the rows.
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    /// - Complexity: O(n) in the number of rows, all of whose values are in memory. To read them in portions, use
    ///   ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(
        _ db: Database, as a: A.Type, _ b: B.Type
    ) throws -> ([A], [B]) {
        try fetchColumns(db, into: ([], []), appendValues)
    }

    /// Fetches three columns into arrays: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    @inlinable
    public func fetchColumns<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible>(
        _ db: Database, as a: A.Type, _ b: B.Type, _ c: C.Type
    ) throws -> ([A], [B], [C]) {
        try fetchColumns(db, into: ([], [], []), appendValues)
    }

    /// Fetches four columns into arrays: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible
    >(
        _ db: Database, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type
    ) throws -> ([A], [B], [C], [D]) {
        try fetchColumns(db, into: ([], [], [], []), appendValues)
    }

    /// Fetches five columns into arrays: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible
    >(
        _ db: Database, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type, _ e: E.Type
    ) throws -> ([A], [B], [C], [D], [E]) {
        try fetchColumns(db, into: ([], [], [], [], []), appendValues)
    }

    /// Fetches six columns into arrays: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Throws: ``DatabaseError``, ``RowDecodingError`` when a value can't be converted or a column is missing, or an error when the query
    ///   can't be turned into SQL.
    @inlinable
    public func fetchColumns<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible, F: DatabaseValueConvertible
    >(
        _ db: Database, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type, _ e: E.Type, _ f: F.Type
    ) throws -> ([A], [B], [C], [D], [E], [F]) {
        try fetchColumns(db, into: ([], [], [], [], [], []), appendValues)
    }

    // MARK: - In portions

    /// Returns one column as an asynchronous sequence of arrays: see
    /// ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumnSequence<A: DatabaseValueConvertible & Sendable>(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type
    ) -> FetchSequence<[A]> {
        columnSequence(reader, rowsPerElement, [], appendValues)
    }

    /// Returns two columns as an asynchronous sequence of arrays, which holds a bounded number of rows in memory.
    ///
    /// ```swift
    /// let request = SQLRequest(sql: "SELECT name, score FROM player")
    /// let portions = request.fetchColumnSequence(pool, as: String.self, Int.self)
    /// for try await (names, scores) in portions {
    ///     try await send(names, scores)
    /// }
    /// ```
    ///
    /// There are methods for one to six columns: see ``fetchColumns(_:as:_:)``.
    ///
    /// - Parameters:
    ///   - reader: the database. Until the iteration ends, a ``DatabaseQueue`` performs no other access: see ``FetchSequence``.
    ///   - rowsPerElement: the number of rows of each element but the last, which may have fewer. Values under 1 count as 1. Up to three
    ///     elements are in memory.
    ///   - a: the type of the values of the leftmost column. NULL needs an optional type.
    ///   - b: the type of the values of the next column.
    /// - Returns: a sequence of arrays of the same length. It has no element if the query has no rows.
    @inlinable
    public func fetchColumnSequence<A: DatabaseValueConvertible & Sendable, B: DatabaseValueConvertible & Sendable>(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type, _ b: B.Type
    ) -> FetchSequence<([A], [B])> {
        columnSequence(reader, rowsPerElement, ([], []), appendValues)
    }

    /// Returns three columns as an asynchronous sequence of arrays: see
    /// ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumnSequence<
        A: DatabaseValueConvertible & Sendable, B: DatabaseValueConvertible & Sendable, C: DatabaseValueConvertible & Sendable
    >(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type, _ b: B.Type, _ c: C.Type
    ) -> FetchSequence<([A], [B], [C])> {
        columnSequence(reader, rowsPerElement, ([], [], []), appendValues)
    }

    /// Returns four columns as an asynchronous sequence of arrays: see
    /// ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumnSequence<
        A: DatabaseValueConvertible & Sendable, B: DatabaseValueConvertible & Sendable, C: DatabaseValueConvertible & Sendable,
        D: DatabaseValueConvertible & Sendable
    >(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type
    ) -> FetchSequence<([A], [B], [C], [D])> {
        columnSequence(reader, rowsPerElement, ([], [], [], []), appendValues)
    }

    /// Returns five columns as an asynchronous sequence of arrays: see
    /// ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumnSequence<
        A: DatabaseValueConvertible & Sendable, B: DatabaseValueConvertible & Sendable, C: DatabaseValueConvertible & Sendable,
        D: DatabaseValueConvertible & Sendable, E: DatabaseValueConvertible & Sendable
    >(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type, _ e: E.Type
    ) -> FetchSequence<([A], [B], [C], [D], [E])> {
        columnSequence(reader, rowsPerElement, ([], [], [], [], []), appendValues)
    }

    /// Returns six columns as an asynchronous sequence of arrays: see
    /// ``fetchColumnSequence(_:rowsPerElement:as:_:)``.
    @inlinable
    public func fetchColumnSequence<
        A: DatabaseValueConvertible & Sendable, B: DatabaseValueConvertible & Sendable, C: DatabaseValueConvertible & Sendable,
        D: DatabaseValueConvertible & Sendable, E: DatabaseValueConvertible & Sendable, F: DatabaseValueConvertible & Sendable
    >(
        _ reader: some DatabaseReader, rowsPerElement: Int = 1_024, as a: A.Type, _ b: B.Type, _ c: C.Type, _ d: D.Type, _ e: E.Type,
        _ f: F.Type
    ) -> FetchSequence<([A], [B], [C], [D], [E], [F])> {
        columnSequence(reader, rowsPerElement, ([], [], [], [], [], []), appendValues)
    }
}
