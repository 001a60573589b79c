import FullTextSearch
import Testing

@Suite struct PatternTests {
    @Test
    func `Patterns match the words of a string`() {
        let text = " Swift \"NOT\" sql* AND-Doré^:+{}() "
        #expect(FTS5Pattern(matchingAllTokensIn: text)?.rawPattern == #""Swift" "NOT" "sql" "AND" "Doré""#)
        #expect(FTS5Pattern(matchingAnyTokenIn: text)?.rawPattern == #""Swift" OR "NOT" OR "sql" OR "AND" OR "Doré""#)
        #expect(FTS5Pattern(matchingAllPrefixesIn: "Swift sql")?.rawPattern == #""Swift"* "sql"*"#)
        #expect(FTS5Pattern(matchingPhrase: "full, text")?.rawPattern == #""full text""#)
        #expect(FTS5Pattern(matchingPrefixPhrase: "full, text")?.rawPattern == #"^"full text""#)
        #expect(FTS5Pattern(matchingTypedText: "swift sql")?.rawPattern == #""swift" "sql"*"#)
        #expect(FTS5Pattern(matchingTypedText: "swift sql ")?.rawPattern == #""swift" "sql""#)
        #expect(FTS3Pattern(matchingAllTokensIn: text)?.rawPattern == "swift not sql and doré")
        #expect(FTS3Pattern(matchingAnyTokenIn: "Swift OR sql")?.rawPattern == #""Swift" OR "OR" OR "sql""#)
        #expect(FTS3Pattern(matchingAllPrefixesIn: "Swift sql")?.rawPattern == "swift* sql*")
        #expect(FTS3Pattern(matchingPhrase: "full, text")?.rawPattern == #""full text""#)
    }

    @Test(arguments: ["", " ", "\"", "*", "^-+(){}:", "\0", "\n\t", "…—«»", "\u{200B}"])
    func `Texts without words make no patterns`(_ text: String) {
        #expect(FTS5Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS5Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS5Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS5Pattern(matchingPhrase: text) == nil)
        #expect(FTS5Pattern(matchingPrefixPhrase: text) == nil)
        #expect(FTS5Pattern(matchingTypedText: text) == nil)
        #expect(FTS3Pattern(matchingAllTokensIn: text) == nil)
        #expect(FTS3Pattern(matchingAnyTokenIn: text) == nil)
        #expect(FTS3Pattern(matchingAllPrefixesIn: text) == nil)
        #expect(FTS3Pattern(matchingPhrase: text) == nil)
    }

    @Test
    func `10,000 random strings make patterns without syntax errors`() throws {
        var generator = SeededGenerator(seed: 22)
        let pieces = [
            "\"", "'", "*", "^", "-", "+", ":", "{", "}", "(", ")", ",", ".", "\\", "\0", "\u{FFFD}", "😀", "👩‍👩‍👧", "é", "e\u{301}", "\u{301}",
            " ", "\n", "\u{A0}", "\u{200D}", "\u{FE0F}", "漢字", "ß", "\u{10FFFF}", "\u{E000}", "AND", "OR", "NOT", "NEAR", "NEAR(", "NEAR/2",
            "and", "near", "swift", "title", "title:", "body :", "rank", "rowid", "a", "Z", "0", "42", "%", "?", "?1", "$x", ";--", "/*",
            "*/",
        ]
        try withDatabase { db throws in
            let fts5: [(String, FTS5TokenizerDescriptor?)] = [
                ("a", nil), ("b", .ascii()), ("c", .porter(wrapping: .unicode61(tokenCharacters: ["-", "😀"]))), ("d", .trigram()),
            ]
            for (name, tokenizer) in fts5 {
                try db.create(virtualTable: name, using: FTS5()) { t in
                    t.tokenizer = tokenizer
                    t.column("title")
                    t.column("body")
                }
                try db.execute(sql: "INSERT INTO \(name) VALUES ('swift', 'near 42')")
            }
            for (name, tokenizer) in [("e", FTS3TokenizerDescriptor.simple), ("f", .porter), ("g", .unicode61())] {
                try db.create(virtualTable: name, using: FTS4()) { t in
                    t.tokenizer = tokenizer
                    t.column("title")
                    t.column("body")
                }
                try db.execute(sql: "INSERT INTO \(name) VALUES ('swift', 'near 42')")
            }
            var matchCount = 0
            for _ in 1...10_000 {
                let text = (0..<Int.random(in: 0...8, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }.joined()
                let patterns = [
                    FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllPrefixesIn: text),
                    FTS5Pattern(matchingPhrase: text), FTS5Pattern(matchingPrefixPhrase: text), FTS5Pattern(matchingTypedText: text),
                    FTS5Query.phrase(text).pattern, (FTS5Query.prefix(text) && !(.first(text) || .near(text, "a", within: 3))).pattern,
                ].compactMap { $0 }
                let name = fts5.randomElement(using: &generator)!.0
                for pattern in patterns {
                    do {
                        matchCount += try Table<Row>(name).matching(pattern.allowingScan()).fetchAll(db).count
                    } catch let error as DatabaseError where name == "d" && error.advice?.contains("without operators") == true {}
                }
                let fts3Patterns = [
                    FTS3Pattern(matchingAllTokensIn: text), FTS3Pattern(matchingAnyTokenIn: text),
                    FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
                ].compactMap { $0 }
                let fts3 = ["e", "f", "g"].randomElement(using: &generator)!
                for pattern in fts3Patterns { matchCount += try Table<Row>(fts3).matching(pattern).fetchAll(db).count }
                if text.contains("\0") { continue }
                // Raw patterns are refused, or they work.
                if Int.random(in: 0..<20, using: &generator) == 0 {
                    if let pattern = try? FTS5Pattern(rawPattern: text, allowedColumns: ["title", "body"]) {
                        _ = try Table<Row>("a").matching(pattern).fetchAll(db)
                    }
                    if let pattern = try? FTS3Pattern(rawPattern: text) { _ = try Table<Row>("e").matching(pattern).fetchAll(db) }
                }
            }
            #expect(matchCount > 1000)
        }
    }

    @Test
    func `Raw patterns are checked`() throws {
        #expect(try FTS5Pattern(rawPattern: "swift AND (sql* OR NEAR(a b))").rawPattern == "swift AND (sql* OR NEAR(a b))")
        for pattern in ["", "swift AND", "\"", "title : swift", "(a", "a\0b", "*", "* x"] {
            #expect(throws: DatabaseError.self, "\(pattern)") { try FTS5Pattern(rawPattern: pattern) }
        }
        #expect(throws: Never.self) { try FTS5Pattern(rawPattern: "title : swift", allowedColumns: ["title"]) }
        #expect(throws: DatabaseError.self) { try FTS5Pattern(rawPattern: "other : swift", allowedColumns: ["title"]) }
        #expect(try FTS3Pattern(rawPattern: "swift OR sql*").rawPattern == "swift OR sql*")
        for pattern in ["swift OR", "\"", "a\0b"] {
            #expect(throws: DatabaseError.self, "\(pattern)") { try FTS3Pattern(rawPattern: pattern) }
        }
        try withDatabase { db throws in
            try db.create(virtualTable: "the document", using: FTS5()) { $0.column("the title") }
            #expect(throws: Never.self) { try db.makeFTS5Pattern(rawPattern: "\"the title\" : swift", forTable: "the document") }
            #expect(throws: DatabaseError.self) { try db.makeFTS5Pattern(rawPattern: "title : swift", forTable: "the document") }
            #expect(throws: DatabaseError.self) { try db.makeFTS5Pattern(rawPattern: "swift", forTable: "nothing") }
        }
    }

    @Test
    func `Patterns are values`() throws {
        let pattern = try FTS5Pattern(rawPattern: "swift OR sql")
        #expect(pattern.databaseValue == "swift OR sql".databaseValue)
        #expect(FTS5Pattern.fromDatabaseValue("swift OR sql".databaseValue) == pattern)
        #expect(FTS5Pattern.fromDatabaseValue("swift OR".databaseValue) == nil)
        #expect(FTS5Pattern.fromDatabaseValue(.null) == nil)
        #expect(try FTS3Pattern.fromDatabaseValue("swift OR sql".databaseValue) == FTS3Pattern(rawPattern: "swift OR sql"))
        #expect(FTS3Pattern.fromDatabaseValue("\"".databaseValue) == nil)
    }

    @Test
    func `Words that a tokenizer does not index are ignored among others`() throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "a", using: FTS5()) { $0.column("body") }
            try db.create(virtualTable: "b", using: FTS4()) { t in
                t.tokenizer = .unicode61()
                t.column("body")
            }
            for name in ["a", "b"] { try db.execute(sql: "INSERT INTO \(name) VALUES ('swift')") }
            #expect(try Table<Row>("a").matching(FTS5Pattern(matchingAllTokensIn: "😀 swift 😀")).fetchCount(db) == 1)
            #expect(try Table<Row>("a").matching(FTS5Pattern(matchingAnyTokenIn: "😀 swift")).fetchCount(db) == 1)
            #expect(try Table<Row>("b").matching(FTS3Pattern(matchingAllTokensIn: "😀 swift 😀")).fetchCount(db) == 1)
            #expect(try Table<Row>("b").matching(FTS3Pattern(matchingAnyTokenIn: "😀 swift")).fetchCount(db) == 1)
        }
    }
}

@Suite struct QueryTests {
    @Test
    func `Operators make patterns with the parentheses that FTS5 needs`() throws {
        func raw(_ query: FTS5Query) -> String { query.pattern.rawPattern }
        #expect(raw("full text") == #""full text""#)
        #expect(raw("a" && "b" && "c") == #""a" AND "b" AND "c""#)
        #expect(raw(("a" || "b") && "c") == #"("a" OR "b") AND "c""#)
        #expect(raw("a" || "b" && "c") == #""a" OR "b" AND "c""#)
        #expect(raw("a" && !"b") == #""a" NOT "b""#)
        #expect(raw("a" && !("b" || "c") && !"d") == #""a" NOT ("b" OR "c") NOT "d""#)
        #expect(raw("a" && !("b" && !"c")) == #""a" NOT ("b" NOT "c")"#)
        #expect(raw(("a" && "b").excluding("c")) == #"("a" AND "b") NOT "c""#)
        #expect(raw("a" && ("b" && !"c")) == #""a" AND "b" NOT "c""#)
        #expect(raw(.prefix("sql")) == #""sql" *"#)
        #expect(raw(.first("intro")) == #"^ "intro""#)
        #expect(raw(.near("a", "b c", within: 5)) == #"NEAR("a" "b c", 5)"#)
        #expect(raw(.phrase("say \"hi\"\0")) == #""say ""hi"" ""#)
        #expect(raw(("a" || .prefix("b")).in(Column("title"), Column("the \"x\""))) == #"{"title" "the ""x"""} : ("a" OR "b" *)"#)
        #expect(raw(FTS5Query("a").in(Column("t")) && FTS5Query("b").outside(Column("u"))) == #"{"t"} : "a" AND - {"u"} : "b""#)
        #expect(raw(.all(["a", "b" || "c"])) == #""a" AND ("b" OR "c")"#)
        #expect(raw(.any(["a", "b" && "c"])) == #""a" OR "b" AND "c""#)
        #expect(raw(.any([])) == #""""#)
    }

    @Test
    func `Random queries find what their operators mean`() throws {
        var generator = SeededGenerator(seed: 5)
        let words = ["a", "b", "c", "d"]
        try withDatabase { db throws in
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.column("x")
                t.column("y")
            }
            var texts: [(Set<String>, Set<String>)] = []
            for _ in 0..<60 {
                let x = words.filter { _ in Bool.random(using: &generator) }
                let y = words.filter { _ in Bool.random(using: &generator) }
                texts.append((Set(x), Set(y)))
                try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [x.joined(separator: " "), y.joined(separator: " ")])
            }
            typealias Predicate = (Set<String>, Set<String>) -> Bool
            func query(_ depth: Int) -> (FTS5Query, Predicate) {
                let word = words.randomElement(using: &generator)!
                switch depth == 0 ? 0 : Int.random(in: 0...6, using: &generator) {
                case 1, 2:
                    let (left, right) = (query(depth - 1), query(depth - 1))
                    return (left.0 && right.0, { left.1($0, $1) && right.1($0, $1) })
                case 3:
                    let (left, right) = (query(depth - 1), query(depth - 1))
                    return (left.0 || right.0, { left.1($0, $1) || right.1($0, $1) })
                case 4:
                    let (left, right) = (query(depth - 1), query(depth - 1))
                    return (left.0 && !right.0, { left.1($0, $1) && !right.1($0, $1) })
                case 5:
                    let inner = query(depth - 1)
                    return (inner.0.in(Column("x")), { x, _ in inner.1(x, []) })
                case 6:
                    let inner = query(depth - 1)
                    return (inner.0.outside(Column("x")), { _, y in inner.1([], y) })
                default: return (.phrase(word), { $0.contains(word) || $1.contains(word) })
                }
            }
            for _ in 0..<2000 {
                let (query, predicate) = query(4)
                let expected = texts.indices.filter { predicate(texts[$0].0, texts[$0].1) }.map { Int64($0 + 1) }
                let found = try Table<Row>("t").matching(query).select(Column.rowID, as: Int64.self).order(Column.rowID).fetchAll(db)
                try #require(found == expected, "\(query.pattern.rawPattern)")
            }
        }
    }
}
