import RowDecoding

// Names that SQL or other libraries have, and that programs try first. The compiler says what to write instead.

extension SQLOperand {
    /// Use `contains`: `[1, 2, 3].contains(column)`.
    ///
    /// ```swift
    /// // error: write the list first: [1, 2, 3].contains(column)
    /// let players = Player.filter { $0.score.in([100, 200]) }
    /// ```
    @available(*, unavailable, message: "write the list first: [1, 2, 3].contains(column)")
    public func `in`(_ values: some Sequence) -> SQLExpression { fatalError("unavailable") }

    /// Use `contains`: `request.contains(column)`.
    @available(*, unavailable, message: "write the query first: request.contains(column)")
    public func `in`(_ query: some SQLSubqueryable) -> SQLExpression { fatalError("unavailable") }

    /// Use a range: `(1...5).contains(column)`.
    ///
    /// ```swift
    /// // error: write the range first: (1...5).contains(column)
    /// let players = Player.filter { $0.score.between(100, 200) }
    /// ```
    @available(*, unavailable, message: "write the range first: (1...5).contains(column)")
    public func between(_ lower: some SQLExpressible, _ upper: some SQLExpressible) -> SQLExpression { fatalError("unavailable") }

    /// Use a range: `(1...5).contains(column)`.
    @available(*, unavailable, message: "write the range first: (1...5).contains(column)")
    public func between(_ lower: some SQLExpressible, and upper: some SQLExpressible) -> SQLExpression { fatalError("unavailable") }

    /// Use a range: `(1...5).contains(column)`.
    @available(*, unavailable, message: "write the range first: (1...5).contains(column)")
    public func between(_ range: some RangeExpression) -> SQLExpression { fatalError("unavailable") }
}

/// Use `average(_:filter:)`.
///
/// ```swift
/// // error: 'avg' has been renamed to 'average(_:)'
/// let request = Player.select(avg(Column("score")))
/// ```
@available(*, unavailable, renamed: "average(_:)")
public func avg(_ value: any SQLOperand) -> SQLExpression { fatalError("unavailable") }

extension RequestSource where Self: TypedRequest, DerivedRequest: JoinableRequest {
    /// Use `including(required:)` or `including(optional:)`.
    @available(*, unavailable, message: "an association to one row is included with including(required:) or including(optional:)")
    public func including<A: AssociationToOne>(all association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        fatalError("unavailable")
    }
}

extension TableRecord {
    /// Use `including(required:)` or `including(optional:)`.
    @available(*, unavailable, message: "an association to one row is included with including(required:) or including(optional:)")
    public static func including<A: AssociationToOne>(all association: A) -> QueryInterfaceRequest<Self> where A.OriginRowDecoder == Self {
        fatalError("unavailable")
    }
}

extension AssociationToOne {
    /// Use `including(required:)`: there is at most one row.
    @available(*, unavailable, message: "an association to one row has no limit; a limit works with hasMany and including(all:)")
    public func limit(_ limit: Int, offset: Int? = nil) -> Self { fatalError("unavailable") }
}

extension FetchableRecord where Self: TableRecord {
    /// Fetch in an access: `try pool.read { db in try Player.fetchAll(db) }`.
    ///
    /// ```swift
    /// let pool = try DatabasePool(path: "app.sqlite")
    /// // error: fetch in an access: try pool.read { db in try Player.fetchAll(db) }
    /// let players = try Player.fetchAll(pool)
    /// ```
    @available(*, unavailable, message: "fetch in an access: try pool.read { db in try Player.fetchAll(db) }")
    public static func fetchAll(_ reader: some DatabaseReader) throws -> [Self] { fatalError("unavailable") }

    /// Fetch in an access: `try pool.read { db in try Player.fetchOne(db, key: 1) }`.
    @available(*, unavailable, message: "fetch in an access: try pool.read { db in try Player.fetchOne(db, key: 1) }")
    public static func fetchOne(_ reader: some DatabaseReader, key: some DatabaseValueConvertible) throws -> Self? {
        fatalError("unavailable")
    }
}

extension TableRecord {
    /// Count in an access: `try pool.read { db in try Player.fetchCount(db) }`.
    @available(*, unavailable, message: "count in an access: try pool.read { db in try Player.fetchCount(db) }")
    public static func fetchCount(_ reader: some DatabaseReader) throws -> Int { fatalError("unavailable") }
}

extension FetchSource {
    /// Fetch in an access: `try pool.read { db in try request.fetchAll(db) }`.
    ///
    /// ```swift
    /// let pool = try DatabasePool(path: "app.sqlite")
    /// // error: fetch in an access: try pool.read { db in try request.fetchAll(db) }
    /// let players = try Player.filter(Column("score") > 100).fetchAll(pool)
    /// ```
    @available(*, unavailable, message: "fetch in an access: try pool.read { db in try request.fetchAll(db) }")
    public func fetchAll(_ reader: some DatabaseReader) throws -> [RowDecoder] { fatalError("unavailable") }

    /// Fetch in an access: `try pool.read { db in try request.fetchOne(db) }`.
    @available(*, unavailable, message: "fetch in an access: try pool.read { db in try request.fetchOne(db) }")
    public func fetchOne(_ reader: some DatabaseReader) throws -> RowDecoder? { fatalError("unavailable") }
}
