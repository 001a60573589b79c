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
        }
    }
}
