import Testing

@testable import FullTextSearch

@Suite struct TableTests {
    /// Creates an FTS5 table "document", and returns its SQL.
    private func fts5SQL(_ define: @escaping (FTS5TableDefinition) -> Void) throws -> String? {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS5(), define)
            return try db.schemaSQL("document")
        }
    }

    private func fts4SQL(_ define: @escaping (FTS4TableDefinition) -> Void) throws -> String? {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS4(), define)
            return try db.schemaSQL("document")
        }
    }

    @Test
    func `The options of an FTS5 table are in its SQL`() throws {
        let plain = try fts5SQL { t in
            t.column("title")
            t.column("the \"body\"").notIndexed()
        }
        #expect(plain == #"CREATE VIRTUAL TABLE "document" USING fts5("title", "the ""body""" UNINDEXED)"#)
        let all = try fts5SQL { t in
            t.tokenizer = .porter(wrapping: .unicode61(diacritics: .remove, categories: "L* N*", separators: ["'"], tokenCharacters: ["-"]))
            t.prefixes = [4, 2]
            t.columnSize = 0
            t.detail = "column"
            t.content = ""
            t.column("body")
        }
        #expect(
            all == """
                CREATE VIRTUAL TABLE "document" USING fts5("body", \
                tokenize='''porter'' ''unicode61'' ''remove_diacritics'' ''2'' ''categories'' ''L* N*'' \
                ''separators'' '''''''' ''tokenchars'' ''-''', \
                content='', prefix='2 4', columnsize=0, detail='column')
                """)
        let external = try fts5SQL { t in
            t.content = "it's"
            t.contentRowID = "id"
            t.column("body")
        }
        #expect(external == #"CREATE VIRTUAL TABLE "document" USING fts5("body", content='it''s', content_rowid='id')"#)
    }

    @Test
    func `The options of FTS4 and FTS3 tables are in their SQL`() throws {
        let all = try fts4SQL { t in
            t.tokenizer = .unicode61(diacritics: .keep, separators: ["X"], tokenCharacters: ["\"", "-"])
            t.matchinfo = "fts3"
            t.prefixes = [4, 2]
            t.column("body")
            t.column("author").notIndexed()
            t.column("language").asLanguageId()
        }
        #expect(
            all == """
                CREATE VIRTUAL TABLE "document" USING fts4("body", "author", \
                tokenize=unicode61 "remove_diacritics=0" "separators=X" "tokenchars=""-", matchinfo="fts3", prefix="2,4", \
                notindexed="author", languageid="language")
                """)
        #expect(
            try fts4SQL { t in
                t.compress = "hex"
                t.uncompress = "unhex"
                t.column("body")
            } == #"CREATE VIRTUAL TABLE "document" USING fts4("body", compress="hex", uncompress="unhex")"#)
        #expect(
            try fts4SQL { t in
                t.content = ""
                t.column("body")
            } == #"CREATE VIRTUAL TABLE "document" USING fts4("body", content="")"#)
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS3()) { t in
                t.tokenizer = .porter
                t.column("body")
            }
            #expect(try db.schemaSQL("document") == #"CREATE VIRTUAL TABLE "document" USING fts3("body", tokenize=porter)"#)
        }
    }

    @Test(
        arguments: [
            (nil, "Gustave Doré running", ["dore": true, "Gustave": true, "run": false]),
            (.ascii(), "Gustave Doré", ["dore": false, "doré": true]),
            (.ascii(separators: ["u"], tokenCharacters: ["-"]), "gus-tave", ["\"gus\"": false, "\"s-tave\"": true]),
            (.porter(), "running Doré", ["runs": true, "dore": true]),
            (.porter(wrapping: .ascii()), "running Doré", ["runs": true, "dore": false]),
            (.unicode61(diacritics: .keep), "Doré", ["dore": false]),
            (.unicode61(diacritics: .remove), "Do\u{1EC7}", ["doe": true]),
            (.unicode61(diacritics: .removeLegacy), "Do\u{1EC7}", ["doe": false]),
            (.unicode61(categories: "N*"), "abc 123", ["abc": false, "123": true]),
            (
                .unicode61(separators: ["X"], tokenCharacters: ["-", "'", "\""]), "aXb c-d e'f g\"h",
                [
                    "a": true, "\"c-d\"": true, "c": false, "\"e'f\"": true, "\"g\"\"h\"": true,
                ]
            ),
            (.trigram(), "Swift", ["wif": true, "WIF": true, "wi": false]),
            (.trigram(caseSensitive: true), "Swift", ["wif": true, "WIF": false]),
        ] as [(FTS5TokenizerDescriptor?, String, [String: Bool])])
    func `Each tokenizer of FTS5 finds what SQLite documents`(
        _ tokenizer: FTS5TokenizerDescriptor?, _ text: String, _ patterns: [String: Bool]
    ) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = tokenizer
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [text])
            for (pattern, isMatch) in patterns {
                #expect(try db.matches("document", pattern).isEmpty != isMatch, "\(pattern)")
            }
        }
    }

    @Test
    func `Each tokenizer of FTS4 finds the tokens that SQLite documents`() throws {
        #expect(try FTS3.tokenize("SQLite database's Doré") == ["sqlite", "database", "s", "doré"])
        #expect(try FTS3.tokenize("running Runs", withTokenizer: .porter) == ["run", "run"])
        #expect(try FTS3.tokenize("Doré's", withTokenizer: .unicode61()) == ["dore", "s"])
        #expect(try FTS3.tokenize("Doré", withTokenizer: .unicode61(diacritics: .keep)) == ["doré"])
        let special = FTS3TokenizerDescriptor.unicode61(separators: ["X"], tokenCharacters: ["\"", "'"])
        #expect(try FTS3.tokenize("aXb e'f g\"h", withTokenizer: special) == ["a", "b", "e'f", "g\"h"])
        #expect(throws: DatabaseError.self) { try FTS3.tokenize("a", withTokenizer: FTS3TokenizerDescriptor("none")) }
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.tokenizer = special
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: ["aXb e'f"])
            #expect(try db.matches("document", "a") == [1])
            #expect(try db.matches("document", "e'f") == [1])
            #expect(try db.matches("document", "axb") == [])
        }
    }

    @Test
    func `Options that SQLite lacks are refused with the version that has them`() throws {
        func message(_ body: () throws -> Void) -> String? {
            do { try body() } catch let error as DatabaseError { return error.message } catch {}
            return nil
        }
        #expect(
            message { try FTS5TokenizerDescriptor.trigram().check(version: 3_033_001) }
                == "the tokenizer trigram needs SQLite 3.34.0 or later, and this is SQLite 3.33.1")
        #expect(
            message { try FTS5TokenizerDescriptor.porter(wrapping: .unicode61(diacritics: .remove)).check(version: 3_026_000) }
                == "the option remove_diacritics=2 needs SQLite 3.27.0 or later, and this is SQLite 3.26.0")
        #expect(message { try FTS3TokenizerDescriptor.unicode61(diacritics: .remove).check(version: 3_026_000) } != nil)
        #expect(message { try FTS5TokenizerDescriptor.unicode61(diacritics: .keep).check(version: 3_020_000) } == nil)
        #expect(message { try FTS5TokenizerDescriptor.unicode61(categories: "L*").check(version: 3_024_000) } != nil)
        #expect(message { try FTS5TokenizerDescriptor.trigram(removesDiacritics: true).check(version: 3_044_000) } != nil)
        try withDatabase { db throws in
            let error = message {
                try db.create(virtualTable: "document", using: FTS5()) { t in
                    t.contentlessDelete = true
                    t.content = ""
                    t.column("body")
                }
            }
            if Database.sqliteLibVersionNumber < 3_043_000 {
                #expect(error?.hasPrefix("the option contentless_delete needs SQLite 3.43.0 or later, and this is SQLite 3.") == true)
            } else {
                #expect(error == nil)
            }
        }
    }

    @Test
    func `FTS5's functions are at hand`() throws {
        try withDatabase { db throws in
            #expect(FTS5.api(db).pointee.iVersion >= 2)
            #expect(FTS5.api(db).pointee.xCreateTokenizer != nil)
        }
    }

    @Test
    func `Definitions that can't be right are refused before anything is created`() throws {
        func refuse(_ define: @escaping (FTS5TableDefinition) -> Void) throws -> String? {
            try withDatabase { db throws in
                try db.execute(
                    sql: """
                        CREATE TABLE content (id INTEGER PRIMARY KEY, a);
                        CREATE TABLE without (a PRIMARY KEY) WITHOUT ROWID;
                        CREATE TABLE hidden (rowid, oid, _rowid_, a);
                        CREATE VIEW view AS SELECT 1 AS a;
                        CREATE VIRTUAL TABLE virtual USING fts5(a);
                        """)
                let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
                defer { #expect(try! Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") == before) }
                return #expect(throws: DatabaseError.self) {
                    try db.create(virtualTable: "document", using: FTS5()) { t in
                        t.column("a")
                        define(t)
                    }
                }?.message
            }
        }
        #expect(
            try refuse { $0.synchronize(withTable: "without") }
                == "can't synchronize document with without: it is a WITHOUT ROWID table, and the index refers to rows by their row IDs"
        )
        #expect(try refuse { $0.synchronize(withTable: "view") }?.contains("it is a view") == true)
        #expect(try refuse { $0.synchronize(withTable: "virtual") }?.contains("it is a virtual table") == true)
        #expect(try refuse { $0.synchronize(withTable: "hidden") }?.contains("hide its row IDs") == true)
        #expect(try refuse { $0.synchronize(withTable: "nothing") } == "no such table: nothing")
        #expect(
            try refuse { t in
                t.synchronize(withTable: "content")
                t.column("b")
            } == "can't synchronize document with content: it has no column b")
        #expect(
            try refuse { t in
                t.synchronize(withTable: "content")
                t.content = "other"
            } == "the content of the table is set twice: synchronize(withTable:) sets it, too")
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: []) }?.contains("needs the name") == true)
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: ["none"]) }?.contains("none") == true)
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: ["asc\0ii"]) }?.contains("NUL") == true)
        #expect(try refuse { $0.detail = "much" }?.contains("detail") == true)
        #expect(try refuse { $0.column("rank") } != nil)
    }
}

/// Each option against what SQLite's documentation says that it does.
@Suite struct OptionTests {
    private let texts = ["swift and sqlite", "sqlite", "swift swift"]

    private func withTable(_ define: @escaping (FTS5TableDefinition) -> Void, _ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            try db.create(virtualTable: "document", using: FTS5()) { t in
                define(t)
                t.column("body")
            }
            for text in texts { try db.execute(sql: "INSERT INTO document (body) VALUES (?)", arguments: [text]) }
            try body(db)
        }
    }

    @Test(arguments: [nil, "full", "column", "none"], [nil, 0, 1])
    func `Tables without sizes and with less detail find and rank the same rows`(_ detail: String?, _ columnSize: Int?) throws {
        try withTable { t in
            t.detail = detail
            t.columnSize = columnSize
        } _: { db throws in
            #expect(try db.matches("document", "swift") == [1, 3])
            #expect(
                try Table<Row>("document").matching("swift").order(Column.rank).select(Column.rowID, as: Int.self).fetchAll(db) == [3, 1])
            #expect(try db.tableExists("document_docsize") == (columnSize != 0))
            let phrase = Result { try db.matches("document", "\"and sqlite\"") }
            if detail == "column" || detail == "none" {
                #expect(throws: DatabaseError.self) { try phrase.get() }
            } else {
                #expect(try phrase.get() == [1])
            }
            #expect(
                try Table<Row>("document").matching("sqlite").select(Column("body").highlighted, as: HighlightedText.self).fetchAll(db)
                    .map { $0.utf8Ranges.count } == [1, 1])
        }
    }

    @Test
    func `A contentless table finds rows, and has no content`() throws {
        try withTable {
            $0.content = ""
        } _: { db throws in
            #expect(try db.matches("document", "swift") == [1, 3])
            #expect(try String?.fetchOne(db, sql: "SELECT body FROM document WHERE rowid = 1") == .some(nil))
            try FTS5Index("document").delete(db, rowID: 3, values: ["body": texts[2]])
            #expect(try db.matches("document", "swift") == [1])
            #expect(throws: DatabaseError.self) { try FTS5Index("document").rebuild(db) }
        }
    }

    @Test
    func `External content is read by the column of row ids`() throws {
        try withDatabase { db throws in
            try db.execute(sql: "CREATE TABLE text (number INTEGER PRIMARY KEY, body, other); INSERT INTO text VALUES (7, 'swift', 1)")
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.content = "text"
                t.contentRowID = "number"
                t.prefixes = [1, 3]
                t.column("body")
                t.column("other").notIndexed()
            }
            try FTS5Index("document").rebuild(db)
            #expect(try db.matches("document", "sw*") == [7])
            #expect(try db.matches("document", "1") == [])
            #expect(try Row.fetchOne(db, sql: "SELECT * FROM document")?["other"] == 1)
        }
    }

    @Test
    func `The options of FTS4 do what SQLite documents`() throws {
        try withDatabase { db throws in
            db.add(
                function: DatabaseFunction("pack", argumentCount: 1, pure: true) { values in
                    String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
                })
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.compress = "pack"
                t.uncompress = "pack"
                t.prefixes = [2]
                t.column("body")
                t.column("note").notIndexed()
                t.column("language").asLanguageId()
            }
            try db.execute(sql: "INSERT INTO document (body, note, language) VALUES ('swift', 'hidden', 0), ('sql', 'swift', 1)")
            #expect(try String.fetchAll(db, sql: "SELECT c0body FROM document_content ORDER BY docid") == ["tfiws", "lqs"])
            #expect(try String.fetchAll(db, sql: "SELECT body FROM document ORDER BY docid") == ["swift", "sql"])
            #expect(try db.matches("document", "swift") == [1])
            #expect(try db.matches("document", "sq*") == [])
            #expect(try Int.fetchAll(db, sql: "SELECT docid FROM document WHERE document MATCH 'sq*' AND language = 1") == [2])
            #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "small", using: FTS4()) { t in
                    t.matchinfo = "fts2"
                    t.column("body")
                }
            }
            try db.create(virtualTable: "small", using: FTS4()) { t in
                t.matchinfo = "fts3"
                t.column("body")
            }
            #expect(try !db.tableExists("small_docsize"))
        }
    }

    @Test
    func `A synchronized FTS4 table keeps the language of its rows`() throws {
        try withDatabase { db throws in
            try db.execute(
                sql: "CREATE TABLE text (id INTEGER PRIMARY KEY, body UNIQUE, language); INSERT INTO text VALUES (1, 'swift', 1)")
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.synchronize(withTable: "text")
                t.column("body")
                t.column("language").asLanguageId()
            }
            func found(_ language: Int) throws -> [Int] {
                try Int.fetchAll(
                    db, sql: "SELECT docid FROM document WHERE document MATCH 'swift' AND language = \(language) ORDER BY docid")
            }
            #expect(try found(1) == [1])
            try db.execute(sql: "INSERT INTO text VALUES (2, 'swift sql', 2), (3, 'swift x', 1); UPDATE text SET language = 2 WHERE id = 1")
            #expect(try found(1) == [3])
            #expect(try found(2) == [1, 2])
            try db.execute(sql: "REPLACE INTO text VALUES (4, 'swift', 3)")
            #expect(try found(2) == [2])
            #expect(try found(3) == [4])
            try FTS4Index("document").checkIntegrity(db)
            try FTS4Index("document").rebuild(db)
            #expect(try found(2) == [2])
        }
    }
}
