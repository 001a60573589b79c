import Testing

@testable import FullTextSearch

@Suite struct VocabularyTests {
    private func withWords(_ texts: [String], _ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            for text in texts { try db.execute(sql: "INSERT INTO document VALUES ('t', ?)", arguments: [text]) }
            try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "document"))
            try body(db)
        }
    }

    @Test
    func `Vocabulary tables have records`() throws {
        try withWords(["swift sql swift", "sql"]) { db throws in
            try db.create(virtualTable: "columnWord", options: .temporary, using: FTS5Vocabulary(of: "document", .col))
            try db.create(virtualTable: "instance", using: FTS5Vocabulary(of: "document", .instance))
            #expect(try db.schemaSQL("word") == #"CREATE VIRTUAL TABLE "word" USING fts5vocab('document', 'row')"#)
            let terms = try Table<FTS5Term>("word").order(FTS5Term.Columns.term).fetchAll(db)
            #expect(terms.map(\.term) == ["sql", "swift", "t"])
            #expect(terms.map(\.documentCount) == [2, 1, 2])
            #expect(terms.map(\.occurrenceCount) == [2, 2, 2])
            let columnTerms = try Table<FTS5ColumnTerm>("columnWord").filter(FTS5ColumnTerm.Columns.term == "t").fetchAll(db)
            #expect(columnTerms.map(\.column) == ["title"])
            #expect(columnTerms.map(\.occurrenceCount) == [2])
            let instances = try Table<FTS5TermInstance>("instance").filter(FTS5TermInstance.Columns.term == "swift").fetchAll(db)
            #expect(instances.map(\.offset) == [0, 2])
            #expect(instances.map(\.rowID) == [1, 1])
            #expect(instances.map(\.column) == ["body", "body"])
        }
    }

    @Test
    func `Suggestions are ordered by distance, and then by frequency`() throws {
        let texts = ["swift shift", "shift", "database databases", "index", "été", "zwift"]
        try withWords(texts) { db throws in
            func terms(_ word: String, _ distance: Int? = nil, limit: Int = 5) throws -> [String] {
                try db.suggestions(for: word, inVocabulary: "word", maximumDistance: distance, limit: limit).map(\.term)
            }
            #expect(try terms("swfit") == ["swift", "shift"])
            #expect(try terms("sift") == ["shift", "swift"])
            #expect(try terms("Swift") == ["swift", "shift", "zwift"])
            #expect(try terms("swift", 0) == ["swift"])
            #expect(try terms("swfit", 1) == ["swift"])
            #expect(try terms("wift") == ["swift", "zwift"])
            #expect(try terms("databse", limit: 1) == ["database"])
            #expect(try terms("étée") == ["ete"])
            #expect(try terms("") == [])
            #expect(try terms("xyzzy") == [])
            #expect(try terms(String(repeating: "long", count: 1000)) == [])
            #expect(try terms("'; DROP TABLE word; --\0") == [])
            #expect(try db.suggestions(for: "swfit", inVocabulary: "word").first?.distance == 1)
            #expect(throws: DatabaseError.self) { try db.suggestions(for: "x", inVocabulary: "nothing") }
        }
    }
}
