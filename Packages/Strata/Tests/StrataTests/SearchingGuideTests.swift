import Strata
import Testing

@Suite("Samples of the guide Searching")
struct SearchingGuideTests {
    struct Article: Codable, FetchableRecord, MutablePersistableRecord {
        var id: Int64?
        var title: String
        var body: String

        mutating func didInsert(_ inserted: InsertionSuccess) {
            id = inserted.rowID
        }
    }

    private func withArticles(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.create(table: "article") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull()
                t.column("body", .text).notNull()
            }

            try db.create(virtualTable: "article_ft", using: FTS5()) { t in
                t.synchronize(withTable: "article")
                t.tokenizer = .porter(wrapping: .unicode61())
                t.column("title")
                t.column("body")
            }
            var articles = [
                Article(id: nil, title: "Sailing boats", body: "A boat in the old harbour."),
                Article(id: nil, title: "Old trains", body: "Trains, and a sailing boat in a museum."),
                Article(id: nil, title: "Cats", body: "They sleep."),
            ]
            try articles.insertAll(db)
            try body(db)
        }
    }

    @Test("Typed words find records, the best first")
    func search() throws {
        try withArticles { db in
            var printed: [String] = []
            func print(_ text: String) { printed.append(text) }
            for result in try Article.search("sail boa").fetchAll(db) {
                print(result.record.title)
                print(result.snippet.marked(open: "<b>", close: "</b>"))
            }
            #expect(printed.count == 4)
            #expect(printed.first == "Sailing boats")
            #expect(printed.contains("Old trains"))
            #expect(printed.last?.contains("<b>boat</b>") == true)

            let weighted = try Article.search("boat")
                .weighted(["title": 10])
                .limit(5)
                .fetchAll(db)
            #expect(weighted.first?.record.title == "Sailing boats")
        }
    }

    @Test("Patterns match exactly")
    func patterns() throws {
        try withArticles { db in
            let all = FTS5Pattern(matchingAllTokensIn: "boat harbour")
            let any = FTS5Pattern(matchingAnyTokenIn: "boat train")
            let phrase = FTS5Pattern(matchingPhrase: "old harbour")
            let articles = try Article.matching(all).order(Column("title")).fetchAll(db)
            #expect(articles.map(\.title) == ["Sailing boats"])
            try #expect(Article.matching(any).fetchCount(db) == 2)
            try #expect(Article.matching(phrase).fetchAll(db).map(\.title) == ["Sailing boats"])
            let query = ("boat" || "train") && !"museum"
            let found = try Article.matching(query).fetchAll(db)
            #expect(found.map(\.title) == ["Sailing boats"])
        }
    }

    @Test("A misspelt word gets suggestions")
    func suggestions() throws {
        try withArticles { db in
            try db.create(virtualTable: "article_word", using: FTS5Vocabulary(of: "article_ft"))
            let suggestions = try db.suggestions(for: "harbuor", inVocabulary: "article_word")
            #expect(suggestions.first?.term == "harbour")
            try FTS5Index("article_ft").optimize(db)
            try #expect(Article.search("harbour").fetchAll(db).count == 1)
        }
    }
}
