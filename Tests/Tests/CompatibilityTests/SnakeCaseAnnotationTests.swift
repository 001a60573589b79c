import Strata
import Testing

/// Tables and columns in snake case, and annotations by aggregates of associations.
@Suite struct SnakeCaseAnnotationTests {
    struct BookReview: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "book_review"
        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        var authorId: Int64
        var starCount: Int
    }

    struct Author: Codable, FetchableRecord, PersistableRecord {
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        static let reviews = hasMany(BookReview.self)
        static let notes = hasMany(BookReview.self, key: "notes")
        var id: Int64
        var fullName: String

        static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.convertToSnakeCase
    }

    struct AuthorInfo: Decodable, FetchableRecord, Equatable {
        static let databaseColumnDecodingStrategy = DatabaseColumnDecodingStrategy.convertFromSnakeCase
        var fullName: String
        var bookReviewCount: Int
        var noteCount: Int
        var maxBookReviewStarCount: Int?
        var total: Int?
    }

    @Test
    func `Aggregates reach their properties`() throws {
        try DatabaseQueue().write { db in
            try db.create(table: "author") { t in
                t.primaryKey("id", .integer)
                t.column("full_name", .text)
            }
            try db.create(table: "book_review") { t in
                t.column("author_id", .integer).references("author")
                t.column("star_count", .integer)
            }
            try Author(id: 1, fullName: "Herman Melville").insert(db)
            try BookReview(authorId: 1, starCount: 4).insert(db)
            try BookReview(authorId: 1, starCount: 5).insert(db)
            let request = Author.annotated(
                with: Author.reviews.count, Author.notes.count, Author.reviews.max(Column("star_count")),
                Author.reviews.sum(Column("star_count")).forKey("total"))
            #expect(
                try request.asRequest(of: AuthorInfo.self).fetchAll(db) == [
                    AuthorInfo(fullName: "Herman Melville", bookReviewCount: 2, noteCount: 2, maxBookReviewStarCount: 5, total: 9)
                ])
        }
    }
}
