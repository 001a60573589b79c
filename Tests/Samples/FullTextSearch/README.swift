import FullTextSearch
import Testing

@Suite(.page)
struct FullTextSearchSamples {
    struct Document: TableRecord, FetchableRecord {
        var title: String

        init(row: Row) throws {
            title = try row.decode(forKey: "title")
        }
    }

    @Test
    func `The README's samples`() throws {
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
            // sample: FullTextSearch 1
            #expect(documents.map(\.title) == ["full text"])

            // sample: Patterns 1
            #expect(drafts.map(\.title) == ["full text"])

            try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "document_ft"))
            let frequent = try Table<FTS5Term>("word").order(FTS5Term.Columns.occurrenceCount.desc).limit(10).fetchAll(db)
            #expect(frequent.first?.occurrenceCount == 2)
        }
    }

    // sample: Tokenizers in Swift 1

    @Test
    func `The README's tokenizer`() throws {
        // sample: Tokenizers in Swift 2
        let queue = try DatabaseQueue(configuration: configuration)
        let tokens = try queue.read { try $0.makeTokenizer(SynonymTokenizer.tokenizerDescriptor()).tokenize(query: "First") }
        #expect(tokens.map(\.token) == ["first", "1st"])
    }
}
