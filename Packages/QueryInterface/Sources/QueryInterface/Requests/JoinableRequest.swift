import RowDecoding

extension RequestSource where Self: TypedRequest, DerivedRequest: JoinableRequest {
    /// Joins the tables of an association, or prefetches its rows. The methods below call this one.
    package func joining(_ path: AssociationPath, as kind: AssociationJoinKind) -> DerivedRequest {
        applying(RequestChange(kind: .join(path, kind)))
    }

    /// Prefetches the rows of an association with one additional query, for all rows of the request.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // SELECT * FROM "book" WHERE "authorId" IN (1, 2, 3)
    /// let request = Author.including(all: Author.books)
    /// for row in try Row.fetchAll(db, request) {
    ///     let author = try Author(row: row)
    ///     let books: [Book] = try row.decode(forKey: "books")
    /// }
    /// ```
    public func including<A: AssociationToMany>(all association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        joining(association.path, as: .prefetched)
    }

    /// Selects the columns of an association, in a row scope, in addition to the request's own selection. Skips rows without a match.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".* FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// let request = Book.including(required: Book.author)
    /// for row in try Row.fetchAll(db, request) {
    ///     let author: Author = try row.decode(forKey: "author")
    /// }
    /// ```
    public func including<A: Association>(required association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        joining(association.path, as: .includedRequired)
    }

    /// Selects the columns of an association, in a row scope, in addition to the request's own selection. Keeps rows without a match, with
    /// NULL in the columns of the association.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".* FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// let request = Book.including(optional: Book.author)
    /// for row in try Row.fetchAll(db, request) {
    ///     let author: Author? = try row.decodeIfPresent(forKey: "author")
    /// }
    /// ```
    public func including<A: Association>(optional association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        joining(association.path, as: .includedOptional)
    }

    /// Joins the tables of an association, without selecting their columns. Skips rows without a match.
    ///
    /// Associations that this association includes or prefetches become scopes and prefetched rows of the fetched row:
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."id" FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// // SELECT * FROM "award" WHERE "authorId" IN (1, 2, 3)
    /// let request = Book.joining(required: Book.author.including(all: Author.awards))
    /// for row in try Row.fetchAll(db, request) {
    ///     let awards: [Award] = row["awards"]
    /// }
    /// ```
    public func joining<A: Association>(required association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        joining(association.path, as: .required)
    }

    /// Joins the tables of an association, without selecting their columns. Keeps rows without a match.
    ///
    /// Associations that this association includes or prefetches become scopes and prefetched rows of the fetched row.
    public func joining<A: Association>(optional association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        joining(association.path, as: .optional)
    }
}

extension RequestSource where Self: TypedRequest, DerivedRequest: JoinableRequest & SelectionRequest {
    /// Selects the columns of an association, next to the row's own columns. Skips rows without a match.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."name" AS "authorName"
    /// // FROM "book" JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.annotated(withRequired: Book.author.select { $0.name.forKey("authorName") })
    /// ```
    public func annotated<A: Association>(withRequired association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        annotated(with: association.path, as: .required)
    }

    /// Selects the columns of an association, next to the row's own columns. Keeps rows without a match, with NULL in these columns.
    public func annotated<A: Association>(withOptional association: A) -> DerivedRequest where A.OriginRowDecoder == RowDecoder {
        annotated(with: association.path, as: .optional)
    }

    private func annotated(with path: AssociationPath, as kind: AssociationJoinKind) -> DerivedRequest {
        let alias = TableAlias()
        let selection = path.destination.selection
        return joining(path.mapping { $0.applying(RequestChange(kind: .alias(alias))) }, as: kind).annotatedWhenConnected { db in
            try selection.resolve(db).map { alias[$0] }
        }
    }
}
