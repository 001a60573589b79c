import RowDecoding

/// A connection from the rows of one table to the rows of another.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
///
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
///
///     enum Columns {
///         static let country = Column("country")
///     }
/// }
///
/// // SELECT "book".*, "author".* FROM "book"
/// // JOIN "author" ON "author"."id" = "book"."authorId" AND "author"."country" = 'FR'
/// Book.including(required: Book.author.filter { $0.country == "FR" })
/// ```
///
/// Associations have the clauses of requests. When a request joins an association, the association's filters are added to the join
/// condition, and its order comes after the order of the request.
public protocol Association<OriginRowDecoder, RowDecoder>: DerivableRequest, Sendable {
    /// The type of the rows that have the association.
    associatedtype OriginRowDecoder

    /// The tables and joins of the association.
    var path: AssociationPath { get set }

    /// Returns the association with another key, the name of its scope or of its prefetched rows.
    ///
    /// ```swift
    /// // row.prefetchedRows["novels"]
    /// Author.including(all: Author.books.forKey("novels"))
    /// // row.scopes["novel"]
    /// Author.including(required: Author.books.forKey("novels"))
    /// ```
    ///
    /// The key of a to-many association has its plural form for many rows, and its singular form where one row is included.
    func forKey(_ key: String) -> Self
}

/// An association to at most one row.
public protocol AssociationToOne<OriginRowDecoder, RowDecoder>: Association {}

/// An association to any number of rows.
public protocol AssociationToMany<OriginRowDecoder, RowDecoder>: Association {}

extension Association {
    /// The name of the table that the association leads to.
    public var databaseTableName: String { path.destination.source.name }

    /// Returns the association with another key, the name of its scope or of its prefetched rows.
    public func forKey(_ key: String) -> Self {
        changed(self) { $0.path = path.withKey(key) }
    }

    /// Returns the association with another key, the name of its scope or of its prefetched rows.
    public func forKey(_ key: some CodingKey) -> Self { forKey(key.stringValue) }

    /// The columns of the association's table, for the clauses of a request that joins it.
    ///
    /// ```swift
    /// // SELECT "book"."title", "author"."name" FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId" ORDER BY "author"."name"
    /// Book.joining(required: Book.author)
    ///     .select(Column("title"), Book.author.columns.name)
    ///     .order(Book.author.columns.name)
    /// ```
    ///
    /// Columns without an association, such as `Column("name")`, belong to the table of the request, unless they know another one:
    /// `Column("name", of: Author.self)` does.
    ///
    /// The columns of an association that another one joins are found step by step. In the clauses of an association, they are found from
    /// its own table.
    ///
    /// ```swift
    /// // … ORDER BY "book"."year"
    /// Award.joining(required: Award.author.joining(required: Author.books))
    ///     .order(Award.author.columns[Author.books.columns.year])
    /// ```
    ///
    /// A filter of an optional association may use the columns of an association that it joins. Such a condition joins the tables in
    /// parentheses, which costs time: SQLite joins all their rows first, and they have no hidden row IDs. A condition of the request is
    /// cheaper.
    ///
    /// ```swift
    /// // … LEFT JOIN ("author" LEFT JOIN "book" ON "book"."authorId" = "author"."id")
    /// // ON "author"."id" = "award"."authorId" AND "book"."year" > 1900
    /// Award.joining(
    ///     optional: Award.author
    ///         .joining(optional: Author.books)
    ///         .filter(Author.books.columns.year > 1900))
    /// ```
    ///
    /// The filter of an optional association can't use the columns of other tables that are joined after it.
    ///
    /// If the request does not join an association with the same key, it throws ``DatabaseError`` when it runs.
    public var columns: TableAlias<RowDecoder> { TableAlias(joinedBy: path) }

    /// Returns the association with a clause added for its destination table, or with a table joined to it.
    public func applying(_ change: RequestChange) -> Self {
        changed(self) { $0.path = path.mapping { $0.applying(change) } }
    }
}

extension AssociationToMany {
    /// Limits the number of associated rows that `including(all:)` fetches for each row. Replaces the previous limit.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // WITH strata_numbered(c0, c1, c2, n) AS (SELECT *, row_number() OVER
    /// // (PARTITION BY "authorId" ORDER BY "year" DESC) FROM "book" WHERE "authorId" IN (…))
    /// // SELECT c0 AS "id", … FROM strata_numbered WHERE n <= 3 ORDER BY n
    /// Author.including(all: Author.books.order(Column("year").desc).limit(3))
    /// ```
    ///
    /// One query finds the first rows for all rows of the request, in the order of the association, after its filters. An index on the columns
    /// of the foreign key, followed by the columns of the order, spares SQLite from sorting them. In `request(for:)`, the limit is the limit
    /// of the request. An association with a limit can't be joined, or aggregated: the request throws an error when it runs.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of rows for each row; a negative number means no limit.
    ///   - offset: how many rows to skip first.
    public func limit(_ limit: Int, offset: Int? = nil) -> Self {
        applying(RequestChange(kind: .limit(Relation.Limit(count: limit, offset: offset))))
    }
}
