import FullTextSearch
import Testing

@Suite struct ReadmeTests {
    struct Document: TableRecord, FetchableRecord {
        var title: String

        init(row: Row) throws {
            title = try row.decode(forKey: "title")
        }
    }

    @Test("The README's samples")
    func samples() throws {
        try withDatabase { db throws in
            try db.create(table: "document") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text)
                t.column("body", .text)
            }
            try db.execute(
                sql: """
                    INSERT INTO document (title, body) VALUES ('full text', 'A Swift database.'), ('full text draft', 'C'), ('other', 'Rust')
                    """)
            try db.create(virtualTable: "document_ft", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.tokenizer = .porter(wrapping: .unicode61())
                t.column("title")
                t.column("body")
            }

            let pattern = FTS5Pattern(matchingAllTokensIn: "swift databases")
            let documents = try Document.matching(pattern).fetchAll(db)
            #expect(documents.map(\.title) == ["full text"])

            let query = ("swift" || .prefix("c")) && FTS5Query.phrase("full text").in(Column("title")) && !"draft"
            let drafts = try Document.matching(query).fetchAll(db)
            #expect(drafts.map(\.title) == ["full text"])

            for result in try Document.search("swift datab").weighted(["title": 10]).fetchAll(db) {
                print(result.record.title, result.snippet.marked(open: "[", close: "]"))
            }

            try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "document_ft"))

            let suggestions = try db.suggestions(for: "dtabase", inVocabulary: "word")
            let frequent = try Table<FTS5Term>("word").order(FTS5Term.Columns.occurrenceCount.desc).limit(10).fetchAll(db)
            #expect(suggestions.map(\.term) == ["databas"])
            #expect(frequent.first?.occurrenceCount == 2)
        }
    }

    final class SynonymTokenizer: FTS5WrapperTokenizer {
        static let name = "synonyms"
        let wrappedTokenizer: any FTS5Tokenizer

        init(db: Database, arguments: [String]) throws {
            wrappedTokenizer = try db.makeTokenizer(.unicode61())
        }

        func accept(
            token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization, tokenCallback: FTS5WrapperTokenCallback
        ) throws {
            try tokenCallback(token, flags)
            if tokenization.contains(.query), let synonym = ["first": "1st"][token] {
                try tokenCallback(synonym, .colocated)
            }
        }
    }

    @Test("The README's tokenizer")
    func tokenizer() throws {
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: SynonymTokenizer.self) }
        let queue = try DatabaseQueue(configuration: configuration)
        let tokens = try queue.read { try $0.makeTokenizer(SynonymTokenizer.tokenizerDescriptor()).tokenize(query: "First") }
        #expect(tokens.map(\.token) == ["first", "1st"])
    }
}
