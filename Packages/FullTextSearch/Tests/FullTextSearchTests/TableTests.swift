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

    @Test("The options of an FTS5 table are in its SQL")
    func fts5Options() throws {
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

    @Test("The options of FTS4 and FTS3 tables are in their SQL")
    func fts4Options() throws {
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
        "Each tokenizer of FTS5 finds what SQLite's documentation says",
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
    func tokenizers(_ tokenizer: FTS5TokenizerDescriptor?, _ text: String, _ patterns: [String: Bool]) throws {
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

    @Test("Each tokenizer of FTS4 finds the tokens that SQLite documents")
    func fts4Tokenizers() throws {
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

    @Test("Options that SQLite lacks are refused with the version that has them")
    func versions() throws {
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

    @Test("FTS5's functions are at hand")
    func api() throws {
        try withDatabase { db throws in
            #expect(FTS5.api(db).pointee.iVersion >= 2)
            #expect(FTS5.api(db).pointee.xCreateTokenizer != nil)
        }
    }

    @Test("Definitions that can't be right are refused before anything is created")
    func refusals() throws {
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
                == "can't synchronize document with without: it is a WITHOUT ROWID table, and the index refers to its rows by their row ids"
        )
        #expect(try refuse { $0.synchronize(withTable: "view") }?.contains("it is a view") == true)
        #expect(try refuse { $0.synchronize(withTable: "virtual") }?.contains("it is a virtual table") == true)
        #expect(try refuse { $0.synchronize(withTable: "hidden") }?.contains("hide its row ids") == true)
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
            } == "synchronize(withTable:) sets the content of the table: don't set it as well")
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: []) }?.contains("needs the name") == true)
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: ["none"]) }?.contains("none") == true)
        #expect(try refuse { $0.tokenizer = FTS5TokenizerDescriptor(components: ["asc\0ii"]) }?.contains("NUL") == true)
        #expect(try refuse { $0.detail = "much" }?.contains("detail") == true)
        #expect(try refuse { $0.column("rank") } != nil)
    }
}
