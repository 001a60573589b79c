import FullTextSearch
import Testing

private struct Document: TableRecord, FetchableRecord {
    var id: Int64
    var title: String?

    init(row: Row) throws {
        id = try row.decode(forKey: "id")
        title = try row.decode(forKey: "title")
    }
}

private struct Page: TableRecord, FetchableRecord {
    var title: String?

    init(row: Row) throws {
        title = try row.decode(forKey: "title")
    }
}

@Suite("Words of fewer than three characters in trigram indexes")
struct TrigramTests {
    private static let texts = [
        ("the quick fox", "is here"), ("quick", "and ok"), ("a QUICK OK go", "x"), ("École à Paris", "OÙ"), ("ok", "slow"),
        ("在东京大学学习", "京都"), ("quickly", nil), ("İstanbul quick ﬁx", "ÀÉ"),
    ]

    /// The table page, and the table document with its index document_ft, with the same content. The column note is not indexed.
    private func withTexts(
        _ tokenizer: FTS5TokenizerDescriptor = .trigram(), contentless: Bool = false, _ body: (Database) throws -> Void
    ) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "page", using: FTS5()) { t in
                t.tokenizer = tokenizer
                if contentless { t.content = "" }
                t.column("title")
                t.column("body")
                t.column("note").notIndexed()
            }
            try db.execute(sql: "CREATE TABLE document (id INTEGER PRIMARY KEY, title TEXT, body TEXT)")
            try db.create(virtualTable: "document_ft", using: FTS5()) { t in
                t.synchronize(withTable: "document")
                t.tokenizer = tokenizer
                t.column("title")
                t.column("body")
            }
            for (index, (title, body)) in Self.texts.enumerated() {
                try db.execute(
                    sql: "INSERT INTO page (rowid, title, body, note) VALUES (?, ?, ?, 'ok zz')", arguments: [index + 1, title, body])
                try db.execute(sql: "INSERT INTO document VALUES (?, ?, ?)", arguments: [index + 1, title, body])
            }
            try body(db)
        }
    }

    private func documents(_ search: String, _ db: Database) throws -> [Int64] {
        try Document.search(search).fetchAll(db).map(\.record.id).sorted()
    }

    private func rowIDs(_ request: QueryInterfaceRequest<some Any>, _ db: Database) throws -> [Int64] {
        try request.select(Column.rowID, as: Int64.self).fetchAll(db).sorted()
    }

    private func message(_ body: () throws -> Void) -> String? { #expect(throws: DatabaseError.self, performing: body)?.message }

    @Test(
        arguments: [
            ("quick ok", [2, 3]), ("QUICK Ok", [2, 3]), ("ok quick", [2, 3]), ("quick o", [1, 2, 3]), ("quick", [1, 2, 3, 7, 8]),
            ("école où", [4]), ("ÉCOLE Où", [4]), ("ecole ou", []), ("ARI À", [4]), ("东京大 学习", [6]), ("学学习 京", [6]), ("东京大 国", []),
            ("quick zz", []), ("quick İs", [8]), ("quick àé", [8]), ("quick ly", [7]), ("uic c", [1, 2, 3, 7, 8]), ("quick ok ", [2, 3]),
            ("quick, ok!", [2, 3]), ("quick ok go", [3]),
        ] as [(String, [Int64])])
    func `A search finds the rows with all words, however short`(_ text: String, _ expected: [Int64]) throws {
        try withTexts { db throws in
            #expect(try documents(text, db) == expected)
            #expect(try Page.search(text).fetchCount(db) == expected.count)
            #expect(try Document.search(text).fetchCount(db) == expected.count)
            // Without a limit or a search, the same rows match.
            let pattern = FTS5Pattern(matchingTypedText: text)
            #expect(try rowIDs(Page.matching(pattern), db) == expected)
            #expect(try rowIDs(Document.matching(pattern), db) == expected)
            #expect(try rowIDs(Table<Row>("page").matching(FTS5Pattern(matchingAllPrefixesIn: text)), db) == expected)
            #expect(try rowIDs(Page.matching(FTS5Pattern(rawPattern: pattern!.rawPattern)), db) == expected)
            #expect(try rowIDs(Document.joining(required: Document.fullTextIndex("document_ft").matching(pattern)), db) == expected)
        }
    }

    @Test
    func `The SQL of short words is a condition beside MATCH`() throws {
        try withTexts { db throws in
            func sql(_ request: some FetchRequest) throws -> String { try request.makePreparedRequest(db).statement.expandedSQL }
            #expect(
                try sql(Page.matching(FTS5Pattern(matchingAllTokensIn: "quick ok"))) == """
                    SELECT * FROM "page" WHERE ("page" MATCH '"quick" "ok"' AND strata_excerpt('trigram', 1, '', 2, 'quick', 'ok', \
                    CAST("title" AS TEXT), CAST("body" AS TEXT)) IS NOT NULL)
                    """)
            #expect(
                try sql(Document.matching(FTS5Pattern(matchingAllTokensIn: "quick ok"))) == """
                    SELECT * FROM "document" WHERE "rowid" IN (SELECT "rowid" FROM "main"."document_ft" WHERE ("document_ft" MATCH \
                    '"quick" "ok"' AND strata_excerpt('trigram', 1, '', 2, 'quick', 'ok', CAST("title" AS TEXT), CAST("body" AS TEXT)) \
                    IS NOT NULL))
                    """)
            #expect(
                try sql(Page.filter(Column("title").match(FTS5Pattern(matchingPhrase: "ok")?.allowingScan()))) == """
                    SELECT * FROM "page" WHERE strata_excerpt('trigram', 1, '', 1, 'ok', CAST("title" AS TEXT)) IS NOT NULL
                    """)
            // Longer words need no function.
            #expect(try sql(Page.matching(FTS5Pattern(matchingAllTokensIn: "quick fox"))).hasSuffix(#"WHERE "page" MATCH '"quick" "fox"'"#))
        }
    }

    @Test
    func `A pattern for a column finds short words in this column only`() throws {
        try withTexts { db throws in
            let pattern = FTS5Pattern(matchingAllTokensIn: "quick ok")
            #expect(try rowIDs(Page.filter(Column("title").match(pattern)), db) == [3])
            #expect(try rowIDs(Page.filter(TypedColumn<String>("body").match(pattern)), db) == [])
            #expect(try rowIDs(Page.filter(Column("title").match(pattern) && Column("rowid") > 3), db) == [])
            let index = Document.fullTextIndex("document_ft").filter(Column("title").match(pattern))
            #expect(try rowIDs(Document.joining(required: index), db) == [3])
            let short = FTS5Pattern(matchingPhrase: "ok")
            #expect(throws: DatabaseError.self) { try Page.filter(Column("title").match(short)).fetchAll(db) }
            #expect(try rowIDs(Page.filter(Column("title").match(short?.allowingScan())), db) == [3, 5])
            #expect(try rowIDs(Page.filter(!Column("title").match(short?.allowingScan())), db) == [1, 2, 4, 6, 7, 8])
        }
    }

    @Test(arguments: ["ok", "OK ", "o k", "k"])
    func `Short words alone are an error, or found by a scan`(_ text: String) throws {
        try withTexts { db throws in
            for search in [
                { try _ = Page.search(text).fetchAll(db) }, { try _ = Document.search(text).fetchAll(db) },
                { try _ = Document.search(text).fetchCount(db) },
                { try _ = Page.matching(FTS5Pattern(matchingTypedText: text)).fetchAll(db) },
                { try _ = Document.matching(FTS5Pattern(matchingAllTokensIn: text)).fetchCount(db) },
            ] as [() throws -> Void] {
                let error = #expect(throws: DatabaseError.self, performing: search)
                #expect(error?.message?.contains("has no words of fewer than three characters, because its tokenizer is trigram") == true)
                #expect(error?.advice == "Search all rows for short words with allowingScan().")
            }
            let expected: [Int64] = text == "k" ? [1, 2, 3, 5, 7, 8] : text == "o k" ? [1, 2, 3, 5] : [2, 3, 5]
            let results = try Document.search(text).allowingScan().fetchAll(db)
            #expect(results.map(\.record.id) == expected)
            #expect(results.allSatisfy { $0.rank == 0 })
            #expect(results.allSatisfy { !$0.snippet.ranges.isEmpty })
            #expect(try Page.search(text).allowingScan().weighted(["title": 2]).fetchCount(db) == expected.count)
            #expect(
                try Document.search(text).allowingScan().limit(2, offset: 1).fetchAll(db).map(\.record.id)
                    == Array(expected[1...].prefix(2)))
            #expect(
                try Document.filter(Column("id") > 2).search(text).allowingScan().fetchAll(db).map(\.record.id)
                    == expected.filter { $0 > 2 })
            #expect(try rowIDs(Document.matching(FTS5Pattern(matchingTypedText: text)?.allowingScan()), db) == expected)
        }
    }

    @Test
    func `A search that allows a scan uses the index if there is a longer word, and finds nothing without words`() throws {
        try withTexts { db throws in
            let results = try Document.search("quick ok").allowingScan().fetchAll(db)
            #expect(Set(results.map(\.record.id)) == [2, 3])
            #expect(results.allSatisfy { $0.rank < 0 })
            #expect(try Document.search("").allowingScan().fetchAll(db).isEmpty)
            #expect(try Document.search(nil as FTS5Pattern?).allowingScan().fetchAll(db).isEmpty)
            #expect(try Page.matching(FTS5Query.any([])).fetchCount(db) == 0)
            // Changes are seen by the same connection.
            try db.execute(sql: "UPDATE document SET title = 'ok, quick again' WHERE id = 1; DELETE FROM document WHERE id = 2")
            #expect(try documents("quick ok", db) == [1, 3])
        }
    }

    @Test(arguments: [
        "quick" && "ok", "quick" || "ok", "quick" && !"ok", .near("quick", "ok"), .first("ok"),
        FTS5Query.phrase("ok").in(Column("title")),
        ("quick" || "fox") && .prefix("o"),
    ])
    func `A pattern with operators can't have short words`(_ query: FTS5Query) throws {
        try withTexts { db throws in
            for pattern in [query.pattern, query.pattern.allowingScan()] {
                let error = #expect(throws: DatabaseError.self) { try Page.matching(pattern).fetchAll(db) }
                #expect(error?.advice == "Search for such words without operators.")
                #expect(throws: DatabaseError.self) { try Document.search(pattern).fetchAll(db) }
            }
        }
    }

    @Test
    func `Any of several words, and words at the beginning, must be longer; raw patterns, too`() throws {
        try withTexts { db throws in
            for pattern in [
                FTS5Pattern(matchingAnyTokenIn: "quick ok"), FTS5Pattern(matchingPrefixPhrase: "ok"),
                try FTS5Pattern(rawPattern: "quick NOT ok"),
                try FTS5Pattern(rawPattern: "title : ok quick", allowedColumns: ["title"]), try FTS5Pattern(rawPattern: "quick + ok"),
                try FTS5Pattern(rawPattern: "{title body} : (quick ok)", allowedColumns: ["title", "body"]),
                try FTS5Pattern(rawPattern: "NEAR(quick ok, 2)"), try FTS5Pattern(rawPattern: "\"a\"\"\" OR quick"),
            ] { #expect(throws: DatabaseError.self, "\(pattern!.rawPattern)") { try Page.matching(pattern).fetchAll(db) } }
            // Names of columns, distances and operators are not words.
            for (raw, expected) in [
                ("NEAR(quick fox, 9)", [1]), ("{title} : quick", [1, 2, 3, 7, 8]), ("title : quick NOT fox", [2, 3, 7, 8]),
                ("- {body} : \"quick ok\"", [3]), ("\"quick\" OR \"東京\u{90FD}\"", [1, 2, 3, 7, 8]), ("\"k o\"", [3]), ("near", []),
                ("NEAR", []),
            ] as [(String, [Int64])] {
                let pattern = try FTS5Pattern(rawPattern: raw, allowedColumns: ["title", "body"])
                #expect(try rowIDs(Page.matching(pattern), db) == expected, "\(raw)")
            }
            // Names of columns may be short.
            try db.create(virtualTable: "short", using: FTS5()) { t in
                t.tokenizer = .trigram()
                t.column("a")
            }
            try db.execute(sql: "INSERT INTO short VALUES ('quick')")
            #expect(try Table<Row>("short").matching(FTS5Pattern(rawPattern: "a : quick", allowedColumns: ["a"])).fetchCount(db) == 1)
            #expect(try Table<Row>("short").matching(FTS5Pattern(rawPattern: "{a} : quick", allowedColumns: ["a"])).fetchCount(db) == 1)
        }
    }

    @Test
    func `A contentless table can't be searched for short words`() throws {
        try withTexts(contentless: true) { db throws in
            for text in ["quick ok", "ok"] {
                for pattern in [FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAllTokensIn: text)?.allowingScan()] {
                    let message = message { _ = try Page.matching(pattern).fetchCount(db) }
                    #expect(message?.contains("does not store its text") == true)
                }
                #expect(message { _ = try Page.search(text).allowingScan().fetchAll(db) }?.contains("does not store its text") == true)
            }
            #expect(try Page.matching(FTS5Pattern(matchingAllTokensIn: "quick")).fetchCount(db) == 5)
        }
    }

    @Test
    func `Words are folded as the tokenizer folds them`() throws {
        try withTexts(.trigram(caseSensitive: true)) { db throws in
            #expect(try documents("quick ok", db) == [2])
            #expect(try documents("QUICK OK", db) == [3])
            #expect(try documents("École à", db) == [4])
            #expect(try documents("école à", db) == [])
        }
        guard Database.sqliteLibVersionNumber >= 3_045_000 else { return }
        try withTexts(.trigram(removesDiacritics: true)) { db throws in
            #expect(try documents("ecole a", db) == [4])
            #expect(try documents("école ou", db) == [4])
            #expect(try documents("quick ae", db) == [8])
            #expect(try Document.search("e").allowingScan().fetchAll(db).map(\.record.id) == [1, 4, 8])
        }
    }

    @Test
    func `Each connection has the function, and each table its own tokenizer`() throws {
        let folder = try TemporaryFolder()
        let pool = try DatabasePool(path: folder.file("trigrams.sqlite").path)
        try pool.write { db in
            for (name, tokenizer) in [("exact", "trigram case_sensitive 1"), ("folded", "'TRIGRAM'"), ("stems", "porter trigram")] {
                try db.execute(
                    sql: """
                        CREATE VIRTUAL TABLE \(name) USING FTS5 (a, "b, c" unindexed, tok = "\(tokenizer)", /* , */ columnsize=0);
                        INSERT INTO \(name) VALUES ('the Quick Ok', 'zz'), ('ok quick', NULL), (12345, 'ok');
                        """)
            }
        }
        let pattern = FTS5Pattern(matchingAllTokensIn: "Quick Ok")
        for _ in 1...2 {
            try pool.read { db in
                try #expect(Table<Row>("exact").matching(pattern).fetchCount(db) == 1)
                try #expect(Table<Row>("folded").matching(pattern).fetchCount(db) == 2)
                try #expect(Table<Row>("folded").matching(FTS5Pattern(matchingAllTokensIn: "quick zz")).fetchCount(db) == 0)
                try #expect(Table<Row>("folded").matching(FTS5Pattern(matchingAllTokensIn: "123 45")).fetchCount(db) == 1)
                try #expect(Table<Row>("stems").matching(pattern).fetchCount(db) == 2)
            }
        }
        try pool.write { db in try #expect(Table<Row>("folded").matching(pattern).fetchCount(db) == 2) }
        // Not a function for other purposes.
        #expect(throws: DatabaseError.self) { try pool.read { try $0.execute(sql: "SELECT strata_excerpt('x', 1, '', 1)") } }
        for arguments in [
            "", "'trigram case_sensitive 1', 0, '', 0", "'trigram case_sensitive 1', 1, '', 9", "1, 2, 3, 4", "'TRIGRAM', 1, '', -1",
        ] {
            #expect(throws: DatabaseError.self) { try pool.read { try $0.execute(sql: "SELECT strata_excerpt(\(arguments))") } }
        }
    }

    @Test
    func `Snippets mark short words, too`() throws {
        try withTexts { db throws in
            func snippet(_ text: String, tokens: Int = 16, ellipsis: String = "…") throws -> [String] {
                try Document.search(text).allowingScan().snippets(tokens: tokens, ellipsis: ellipsis).fetchAll(db)
                    .map { $0.snippet.marked(open: "[", close: "]") }
            }
            try db.execute(sql: "DELETE FROM document")
            func index(_ title: String, _ body: String = "") throws {
                try db.execute(sql: "DELETE FROM document; INSERT INTO document VALUES (1, ?, ?)", arguments: [title, body])
            }
            try index("a quick ok go")
            #expect(try snippet("quick ok") == ["a [quick] [ok] go"])
            #expect(try snippet("OK") == ["a quick [ok] go"])
            #expect(try snippet("ok k go") == ["a quic[k] [ok] [go]"])
            try index("在东京大学学习")
            #expect(try snippet("学") == ["在东京大[学学]习"])
            #expect(try snippet("京 学习") == ["在东[京]大学[学习]"])
            #expect(try snippet("京", tokens: 1) == ["…东[京]大…"])
            #expect(try snippet("习", tokens: 1, ellipsis: "--") == ["--学学[习]"])
            #expect(try snippet("在", tokens: 1) == ["[在]东京…"])
            // The part with the most words.
            try index("ok " + String(repeating: "-", count: 100) + " İ ÉCOLE à ok " + String(repeating: "-", count: 100), "à")
            #expect(try snippet("à ok") == ["… ÉCOLE [à] [ok] ------…"])
            #expect(try snippet("ok école")[0].contains("[ÉCOLE] à [ok]"))
            try index("nothing", "ok")
            #expect(try snippet("ok") == ["[ok]"])
            // The words are in several columns.
            try index("quick", "ok")
            #expect(try snippet("quick ok") == ["[quick]"])
            // A word that is longer than the snippet.
            try index("about something long, ok")
            #expect(try snippet("something ok", tokens: 1).first?.contains("[something]") == true)
            #expect(throws: DatabaseError.self) { try snippet("ok", tokens: 65) }
            #expect(throws: DatabaseError.self) { try snippet("something ok", tokens: 0) }
            // SQLite stops at a NUL, or skips it.
            for text in ["ok\0quick", "\0ok quick\0", "quick ok\0", "quick \0ok", "\0", "ok\0"] {
                try index(text)
                for result in try snippet("ok") { #expect(result.contains("[")) }
            }
            try index("quick ok\0")
            #expect(try snippet("ok").count == 1)
            try db.execute(sql: "UPDATE document SET title = CAST(x'6F6BFF206F6B' AS TEXT)")
            #expect(try snippet("ok").count == 1)
        }
    }

    @Test
    func `Random strings are found by their parts, in all lengths`() throws {
        var random = SeededGenerator(seed: 8)
        let letters = ["a", "A", "é", "É", "京", "ß", "😀", "İ", "ǅ", "Σ", "ς", "\u{301}"]
        try withTexts { db throws in
            try db.execute(sql: "DELETE FROM page")
            var texts: [String] = []
            for id in 1...30 {
                let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in letters.randomElement(using: &random)! }.joined()
                texts.append(text)
                try db.execute(sql: "INSERT INTO page (rowid, title) VALUES (?, ?)", arguments: [id, text])
            }
            let tokenizer = try db.makeTokenizer(.trigram())
            // The tokenizer makes a trigram of each character and two spaces.
            func fold(_ text: String) throws -> [String] {
                try text.unicodeScalars.flatMap {
                    try tokenizer.tokenize(document: "  \($0)").map { String($0.token.unicodeScalars.last!) }
                }
            }
            let folded = try texts.map(fold)
            for _ in 1...300 {
                let words = (0..<Int.random(in: 1...3, using: &random)).map { _ -> String in
                    let scalars = Array(texts.randomElement(using: &random)!.unicodeScalars)
                    let start = Int.random(in: 0..<scalars.count, using: &random)
                    return scalars[start...].prefix(Int.random(in: 1...4, using: &random)).map(String.init).joined()
                }
                let expected = try texts.indices.filter { index in
                    try words.allSatisfy { word in
                        let part = try fold(word)
                        return folded[index].indices.contains { folded[index][$0...].starts(with: part) }
                    }
                }
                let search = Page.search(words.joined(separator: " "), limit: nil).allowingScan()
                #expect(try search.fetchCount(db) == expected.count, "\(words)")
                for result in try search.fetchAll(db) { #expect(!result.snippet.ranges.isEmpty) }
            }
        }
    }
}
