import RowDecoding

/// A way from the rows of one table to those of another.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
///
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
///
/// // SELECT "book".*, "author".* FROM "book"
/// // JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = 'FR'
/// Book.including(required: Book.author.filter { $0.country == "FR" })
/// ```
///
/// Associations have the clauses of requests. Joined to a request, their filters become part of the join's condition, and their
/// order follows that of the request.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
    /// The type of the rows that have the association.
    associatedtype OriginRowDecoder

    /// The tables from one end to the other.
    var path: AssociationPath { get set }

    /// The association under another key: the name of its scope, or of its prefetched rows.
    ///
    /// - Parameter key: the key.
    func forKey(_ key: String) -> Self
}

/// An association to one row at most.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association to any number of rows.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
    private func mapping(_ change: (Relation) -> Relation) -> Self {
        var association = self
        association.path = path.mapping(change)
        return association
    }

    /// The name of the table that the association leads to.
    public var databaseTableName: String { path.destination.source.name }

    /// The association under another key: the name of its scope, or of its prefetched rows.
    public func forKey(_ key: String) -> Self {
        var association = self
        association.path = path.withKey(key)
        return association
    }

    /// The association under another key: the name of its scope, or of its prefetched rows.
    public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

    /// Selects what a closure returns, which is called when the query is written. What was selected before is not any more.
    public func selectWhenConnected(_ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]) -> Self {
        mapping { $0.selecting(Deferred { try selection($0).map(\.sqlSelection) }) }
    }

    /// Selects, beside what is selected already, what a closure returns, which is called when the query is written.
    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        mapping { $0.annotated(with: Deferred { try selection($0).map(\.sqlSelection) }) }
    }

    /// Keeps the rows for which the expression is true that a closure returns, which is called when the query is written.
    public func filterWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
        mapping { $0.filtered(by: Deferred { try predicate($0).sqlExpression }) }
    }

    /// Makes one row of those for which the expressions have the same values that a closure returns, which is called when the
    /// query is written.
    public func groupWhenConnected(_ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]) -> Self {
        mapping { $0.grouped(by: Deferred { try expressions($0).map(\.sqlExpression) }) }
    }

    /// Keeps the groups for which the expression is true that a closure returns, which is called when the query is written.
    public func havingWhenConnected(_ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible) -> Self {
        mapping { $0.having(Deferred { try predicate($0).sqlExpression }) }
    }

    /// Orders the rows by what a closure returns, which is called when the query is written. The order that there was before is
    /// not any more.
    public func orderWhenConnected(_ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]) -> Self {
        mapping { $0.ordered(by: Deferred { try orderings($0).map(\.sqlOrdering) }) }
    }

    /// The rows in the opposite order. Rows without an order stay so.
    public func reversed() -> Self { mapping { $0.reversed() } }

    /// The rows in no order.
    public func unordered() -> Self { mapping { $0.unordered() } }

    /// The rows in the same order each time: the primary key decides between rows that are otherwise equal.
    public func withStableOrder() -> Self { mapping { $0.stablyOrdered() } }

    /// The association without duplicates among its rows, for `including(all:)`.
    public func distinct() -> Self { mapping { $0.distinct() } }

    /// The association with a name for the table that it leads to: see ``TableAlias``.
    public func aliased(_ alias: TableAliasBase) -> Self { mapping { $0.aliased(alias) } }

    /// The association with a common table expression, which the request that it is joined to can use.
    public func with<T>(_ commonTableExpression: CommonTableExpression<T>) -> Self {
        mapping { $0.with(commonTableExpression.table) }
    }

    /// The association with the tables of another one joined to the table that it leads to.
    public func joining(_ path: AssociationPath, as kind: AssociationJoinKind) -> Self {
        mapping { $0.joining(path, as: kind) }
    }
}
