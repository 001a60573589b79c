import FullTextSearch
import Testing

private struct Document: TableRecord, FetchableRecord {
    static let index = fullTextIndex("document_ft")

    var id: Int64
    var title: String

    init(row: Row) throws {
        id = try row.decode(forKey: "id")
        title = try row.decode(forKey: "title")
    }
}

private struct Page: TableRecord, FetchableRecord {
    var title: String

    init(row: Row) throws {
        title = try row.decode(forKey: "title")
    }
}

@Suite struct FunctionTests {
    private func withPages(_ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "page", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            try db.execute(
                sql: """
                    INSERT INTO page VALUES ('Swift <b>', 'a language'), ('other', 'about swift and more swift'), ('É swift', 'end');
                    CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT, body TEXT);
                    INSERT INTO document (title, body) SELECT title, body FROM page;
                    """)
            try db.create(virtualTable: "document_ft", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.column("title")
                t.column("body")
            }
            try body(db)
        }
    }

    private func sql(_ db: Database, _ request: some FetchRequest) throws -> String {
        try request.makePreparedRequest(db).statement.expandedSQL
    }

    @Test
    func `Snippets and highlights are expressions`() throws {
        try withPages { db throws in
            let request = Page.matching("swift").order(Column.rowID)
            let highlight = request.select(Column("title").highlight(open: "[", close: "]"), as: String.self)
            #expect(
                try sql(db, highlight) == """
                    SELECT highlight("page", 0, '[', ']') FROM "page" WHERE "page" MATCH '"swift"' ORDER BY "rowid"
                    """)
            #expect(try highlight.fetchAll(db) == ["[Swift] <b>", "other", "É [swift]"])
            let snippet = request.select(TypedColumn<String>("body").snippet(tokens: 2, open: "[", close: "]"), as: String.self)
            #expect(try sql(db, snippet).contains(#"snippet("page", 1, '[', ']', '…', 2)"#))
            #expect(try snippet.fetchAll(db)[0] == "a language")
            #expect(try snippet.fetchAll(db)[1].contains("[swift]"))
            let best = request.select(FullTextSearch.snippet(tokens: 3, open: "[", close: "]"), as: String.self)
            #expect(try best.fetchAll(db)[1] == "about [swift] and…")
            #expect(try Page.matching("swift").order(bm25(1, 0)).fetchAll(db).map(\.title).last == "other")
            #expect(
                try sql(db, Page.matching("swift").order(bm25(weights: ["body": 10])))
                    == #"SELECT * FROM "page" WHERE "page" MATCH '"swift"' ORDER BY bm25("page", 1.0, 10.0)"#)
            #expect(try Page.matching("swift").order(bm25(weights: ["BODY": 10])).fetchOne(db)?.title == "other")
            #expect(try Page.matching("swift").order(bm25().desc).fetchCount(db) == 3)
        }
    }

    @Test
    func `Highlights are ranges of the text`() throws {
        try withPages { db throws in
            let request = Page.matching("swift").order(Column.rowID).select(Column("title").highlighted, as: HighlightedText.self)
            let titles = try request.fetchAll(db)
            #expect(titles.map(\.text) == ["Swift <b>", "other", "É swift"])
            #expect(titles.map(\.utf8Ranges) == [[0..<5], [], [3..<8]])
            #expect(titles[2].ranges.map { titles[2].text[$0] } == ["swift"])
            #expect(
                titles[0].marked(open: "<b>", close: "</b>", escape: { String($0).replacing("<", with: "&lt;") }) == "<b>Swift</b> &lt;b>")
            #expect(titles[2].pieces.map(\.isMatch) == [false, true])
            for title in titles { #expect(HighlightedText.fromDatabaseValue(title.databaseValue) == title) }
            // The bytes of the marks, in a string that is not valid UTF-8.
            try db.execute(sql: "INSERT INTO page (rowid, title) VALUES (9, CAST(x'FF2073776966742041FE' AS TEXT))")
            let odd = try #require(try request.filter(Column.rowID == 9).fetchOne(db))
            #expect(odd.text.contains("swift A"))
            #expect(HighlightedText.fromDatabaseValue("plain".databaseValue) == HighlightedText(text: "plain"))
            #expect(HighlightedText.fromDatabaseValue(.null) == nil)
            #expect(HighlightedText(text: "abc", utf8Ranges: [1..<9, 0..<1]).marked(open: "[", close: "]") == "a[bc]")
        }
    }

    @Test
    func `Functions of a joined full-text table are qualified with its alias`() throws {
        try withPages { db throws in
            let index = TableAlias()
            let request = Document.joining(required: Document.index.aliased(index).matching("swift"))
                .order(index[bm25(10, 1)])
                .select(index[Column("title").highlight(open: "[", close: "]")], as: String.self)
            #expect(
                try sql(db, request) == """
                    SELECT highlight("document_ft"."document_ft", 0, '[', ']') FROM "document" JOIN "document_ft" \
                    ON "document_ft"."rowid" = "document"."rowid" AND "document_ft"."document_ft" MATCH '"swift"' \
                    ORDER BY bm25("document_ft"."document_ft", 10.0, 1.0)
                    """)
            #expect(try Set(request.fetchAll(db)) == ["[Swift] <b>", "other", "É [swift]"])
        }
    }

    @Test
    func `Functions of other tables and columns are refused`() throws {
        try withPages { db throws in
            let error = #expect(throws: DatabaseError.self) { try Document.order(bm25()).fetchAll(db) }
            #expect(error?.message?.hasPrefix("document is not an FTS5 table") == true)
            #expect(throws: DatabaseError.self) { try Page.matching("swift").select(Column("x").highlighted).fetchAll(db) }
            #expect(throws: DatabaseError.self) { try Page.matching("swift").select(snippet(tokens: 65)).fetchAll(db) }
            #expect(throws: DatabaseError.self) { try Page.matching("swift").order(bm25(weights: ["x": 1])).fetchAll(db) }
        }
    }

    @Test(arguments: [true, false])
    func `A search finds what the user is typing`(isSynchronized: Bool) throws {
        try withPages { db throws in
            func check<Record>(_ search: (String) -> SearchRequest<Record>, _ title: (Record) -> String) throws {
                let results = try search("more swi").fetchAll(db)
                #expect(results.map { title($0.record) } == ["other"])
                #expect(results[0].rank < 0)
                #expect(results[0].snippet.marked(open: "[", close: "]") == "about [swift] and [more] [swift]")
                #expect(try search("swi ").fetchAll(db).isEmpty)
                #expect(try search("swift").fetchCount(db) == 3)
                #expect(try search("swift").limit(2).fetchAll(db).count == 2)
                #expect(try search("swift").limit(nil, offset: 1).fetchAll(db).count == 2)
                #expect(try search("\"").fetchAll(db).isEmpty)
                #expect(try search("swift").weighted(["body": 100]).fetchOne(db).map { title($0.record) } == "other")
                #expect(try search("swift").weighted(["title": 100]).fetchAll(db).map { title($0.record) }.last == "other")
                #expect(throws: DatabaseError.self) { try search("swift").weighted(["title": .infinity]).fetchAll(db) }
                let short = try search("more swift").snippets(tokens: 1, ellipsis: "--").fetchOne(db)
                #expect(short?.snippet.text.contains("--") == true)
                let ranks = try search("swift").fetchAll(db).map(\.rank)
                #expect(ranks == ranks.sorted())
            }
            if isSynchronized {
                try check({ Document.search($0) }, { $0.title })
                #expect(try Document.filter(Column("id") == 1).search("swift").fetchAll(db).map(\.record.id) == [1])
                #expect(try Document.search("swift").using(index: "document_ft").fetchCount(db) == 3)
                for (index, message) in [
                    ("document", "document is not an FTS5 table"), ("missing", "no such table: missing"),
                    ("main.missing", "no such table: main.missing"),
                ] {
                    let error = #expect(throws: DatabaseError.self) { try Document.search("swift").using(index: index).fetchAll(db) }
                    #expect(error?.message == message)
                }
            } else {
                try check({ Page.search($0) }, { $0.title })
                #expect(
                    try sql(db, Page.search("swift sq")) == """
                        SELECT *, CAST(snippet("page", -1, CAST(x'FE' AS TEXT), CAST(x'FF' AS TEXT), '…', 16) AS BLOB) AS "strata_snippet", \
                        "rank" AS "strata_rank" FROM "page" WHERE "page" MATCH '"swift" "sq"*' ORDER BY "rank" LIMIT 20
                        """)
                #expect(try Page.search(FTS5Query.phrase("a language").pattern).fetchAll(db).map(\.record.title) == ["Swift <b>"])
            }
        }
    }

    @Test
    func `The commands of FTS5 and FTS4 are methods`() throws {
        try withPages { db throws in
            let index = FTS5Index("document_ft")
            try index.setAutomerge(db, 0)
            try index.setCrisisMerge(db, 16)
            try index.setUserMerge(db, 2)
            try index.setPageSize(db, 1000)
            for number in 1...10 { try db.execute(sql: "INSERT INTO document (title) VALUES (?)", arguments: ["word\(number)"]) }
            var merges = 0
            while try index.merge(db, pages: merges == 0 ? -10 : 10), merges < 100 { merges += 1 }
            #expect(merges < 100)
            try index.optimize(db)
            try index.rebuild(db)
            try index.checkIntegrity(db)
            try index.setRank(db, function: "bm25(10.0, 0.0)")
            #expect(
                try Table<Row>("document_ft").matching("swift").order(Column.rank).select(Column("title"), as: String.self).fetchAll(db)
                    .last == "other")
            #expect(try db.matches("document_ft", "word7").count == 1)
            let id = try #require(try db.matches("document_ft", "word7").first)
            try index.delete(db, rowID: id, values: ["title": "word7", "body": nil])
            #expect(try db.matches("document_ft", "word7").isEmpty)
            let error = #expect(throws: DatabaseError.self) { try index.checkIntegrity(db) }
            #expect(error?.resultCode == .SQLITE_CORRUPT)
            try index.deleteAll(db)
            #expect(try db.matches("document_ft", "swift").isEmpty)
            if Database.sqliteLibVersionNumber < 3_042_000 {
                let message = #expect(throws: DatabaseError.self) { try index.setSecureDelete(db, true) }?.message
                #expect(message?.hasPrefix("the option secure-delete needs SQLite 3.42.0 or later") == true)
            }

            try db.create(virtualTable: "old", using: FTS4()) { $0.column("body") }
            for number in 1...10 { try db.execute(sql: "INSERT INTO old VALUES (?)", arguments: ["word\(number)"]) }
            let old = FTS4Index("old")
            try old.setAutomerge(db, 2)
            try old.merge(db, pages: 100, segments: 2)
            try old.optimize(db)
            try old.rebuild(db)
            try old.checkIntegrity(db)
            #expect(try db.matches("old", "word7") == [7])
        }
    }
}
