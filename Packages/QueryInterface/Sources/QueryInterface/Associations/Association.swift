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

    /// The association with one more clause for the table that it leads to, or with another table joined to that one.
    public func applying(_ change: RequestChange) -> Self {
        var association = self
        association.path = path.mapping { $0.applying(change) }
        return association
    }
}
