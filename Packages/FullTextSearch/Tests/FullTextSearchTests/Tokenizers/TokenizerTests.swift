import Foundation
import FullTextSearch
import Testing

@Suite struct TokenizerTests {
    private func withTokenizers(_ body: (Database) throws -> Void) throws {
        try withDatabase { db throws in
            db.add(tokenizer: BytesTokenizer.self)
            db.add(tokenizer: BigramTokenizer.self)
            db.add(tokenizer: SynonymTokenizer.self)
            db.add(tokenizer: StopWordTokenizer.self)
            db.add(tokenizer: FoldingTokenizer.self)
            db.add(tokenizer: FailingTokenizer.self)
            db.add(tokenizer: OuterTokenizer.self)
            try body(db)
        }
    }

    private func createTable(_ db: Database, _ tokenizer: FTS5TokenizerDescriptor) throws {
        try db.create(virtualTable: "document", using: FTS5()) { t in
            t.tokenizer = tokenizer
            t.column("body")
        }
    }

    private func insert(_ db: Database, _ texts: String...) throws {
        for text in texts { try db.execute(sql: "INSERT INTO document VALUES (?)", arguments: [text]) }
    }

    @Test
    func `SQLite's tokenizers return their tokens`() throws {
        try withTokenizers { db throws in
            let unicode = try db.makeTokenizer(.unicode61())
            #expect(try unicode.tokenize(document: "Gustave Doré\0x").map(\.token) == ["gustave", "dore", "x"])
            #expect(try unicode.tokenize(query: "").isEmpty)
            let porter = try db.makeTokenizer(.porter(wrapping: .unicode61(diacritics: .keep, tokenCharacters: ["-", "'"])))
            #expect(try porter.tokenize(query: "running-dogs Doré's").map(\.token) == ["running-dog", "doré'"])
            #expect(try db.makeTokenizer(.trigram()).tokenize(document: "Swift").map(\.token) == ["swi", "wif", "ift"])
            let error = #expect(throws: DatabaseError.self) { try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["none"])) }
            #expect(error?.message == "no such tokenizer: none")
            #expect(throws: DatabaseError.self) { try db.makeTokenizer(FTS5TokenizerDescriptor(components: ["unicode61", "x", "y"])) }
        }
    }

    @Test
    func `A tokenizer outlives its connection, but is of no use then`() throws {
        var tokenizers: [any FTS5Tokenizer] = []
        try withTokenizers { db throws in
            tokenizers = [
                try db.makeTokenizer(.porter()), try db.makeTokenizer(BytesTokenizer.tokenizerDescriptor()),
                try db.makeTokenizer(SynonymTokenizer.tokenizerDescriptor()),
            ]
            // Replaced while it is in use.
            db.add(tokenizer: BytesTokenizer.self)
            #expect(try tokenizers[1].tokenize(document: "A b").map(\.token) == ["a", "b"])
        }
        tokenizers = []
    }

    @Test
    func `A tokenizer over bytes finds the tokens of SQLite's`() throws {
        try withTokenizers { db throws in
            let (ours, theirs) = (try db.makeTokenizer(BytesTokenizer.tokenizerDescriptor()), try db.makeTokenizer(.ascii()))
            for text in ["", " ", "Swift", "a b", " Über, 42! ", "x\0y", "😀 z"] {
                #expect(try ours.tokenize(document: text).map(\.token) == theirs.tokenize(document: text).map(\.token))
            }
            try createTable(db, BytesTokenizer.tokenizerDescriptor())
            try insert(db, "Swift and SQL", "other")
            #expect(try db.matches("document", "swift") == [1])
            #expect(try String.fetchOne(db, sql: "SELECT highlight(document, 0, '[', ']') FROM document('sql')") == "Swift and [SQL]")
            // Invalid UTF-8, and NULs.
            try db.execute(sql: "INSERT INTO document VALUES (CAST(x'FF61006220FE' AS TEXT))")
            #expect(try db.matches("document", "b") == [3])
            try FTS5Index("document").checkIntegrity(db)
            try db.execute(sql: "DELETE FROM document WHERE rowid = 3")
            try FTS5Index("document").checkIntegrity(db)
        }
    }

    @Test
    func `A tokenizer makes n-grams for scripts without spaces`() throws {
        try withTokenizers { db throws in
            try createTable(db, BigramTokenizer.tokenizerDescriptor())
            try insert(db, "全文検索エンジン", "検索", "文全", "字")
            #expect(try Table<Row>("document").matching(FTS5Pattern(matchingAllTokensIn: "検索")).fetchCount(db) == 2)
            #expect(try Table<Row>("document").matching(FTS5Pattern(matchingAllTokensIn: "全文検索")).fetchCount(db) == 1)
            #expect(try Table<Row>("document").matching(FTS5Pattern(matchingAllTokensIn: "字")).fetchCount(db) == 1)
            #expect(
                try Table<Row>("document").matching("検索").select(Column("body").highlight(open: "[", close: "]"), as: String.self)
                    .order(Column.rowID).fetchAll(db) == ["全文[検索]エンジン", "[検索]"])
            try db.execute(sql: "INSERT INTO document VALUES (CAST(x'FFE6A49CFF' AS TEXT)), (''), (NULL)")
            try FTS5Index("document").checkIntegrity(db)
        }
    }

    @Test
    func `Wrappers add synonyms, remove words, and fold by Foundation`() throws {
        try withTokenizers { db throws in
            try createTable(db, SynonymTokenizer.tokenizerDescriptor())
            try insert(db, "the first row", "the 1st row", "the second")
            #expect(try db.matches("document", "first") == [1, 2])
            #expect(try db.matches("document", "\"first row\"") == [1, 2])
            #expect(try db.matches("document", "1st") == [2])
            let synonyms = try db.makeTokenizer(SynonymTokenizer.tokenizerDescriptor())
            #expect(try synonyms.tokenize(query: "First").map(\.flags) == [[], .colocated])
            #expect(try synonyms.tokenize(document: "First").map(\.token) == ["first"])
            try db.drop(table: "document")

            try createTable(db, StopWordTokenizer.tokenizerDescriptor(arguments: ["the", "it's"]))
            try insert(db, "The row")
            #expect(try db.matches("document", "the") == [])
            #expect(try db.matches("document", "row") == [1])
            try db.drop(table: "document")

            try createTable(db, FoldingTokenizer.tokenizerDescriptor())
            try insert(db, "Straße ｓｗｉｆｔ ỆÉ")
            for word in ["STRASSE", "swift", "ee"] { #expect(try db.matches("document", word) == [1], "\(word)") }
        }
    }

    @Test
    func `The error of a tokenizer is the error of the statement`() throws {
        try withTokenizers { db throws in
            try createTable(db, FailingTokenizer.tokenizerDescriptor())
            try insert(db, "good")
            func error(_ body: () throws -> Void) -> DatabaseError? { #expect(throws: DatabaseError.self, performing: body) }

            let insertion = error { try insert(db, "a bad word") }
            #expect(insertion?.resultCode == .SQLITE_ERROR)
            #expect(insertion?.message == "the word is bad")
            #expect(insertion?.underlyingError as? FailingTokenizer.Failure == FailingTokenizer.Failure(description: "the word is bad"))
            #expect(insertion?.sql == "INSERT INTO document VALUES (?)")
            #expect(try Int.fetchOne(db, sql: "SELECT count(*) FROM document") == 1)

            let query = error { _ = try db.matches("document", "bad") }
            #expect(query?.message == "the word is bad")
            let full = error { try insert(db, "full") }
            #expect(full?.resultCode == .SQLITE_FULL)
            #expect(full?.message == "no room for this word")

            // Later errors are their own.
            let syntax = error { _ = try db.matches("document", "AND") }
            #expect(syntax?.message?.contains("syntax error") == true)
            #expect(syntax?.underlyingError == nil)
            #expect(error { try db.execute(sql: "SELECT * FROM missing") }?.message == "no such table: missing")
            try insert(db, "caught")
            #expect(try db.matches("document", "good") == [1])

            let initializer = error {
                try db.create(virtualTable: "x", using: FTS5()) { t in
                    t.tokenizer = FailingTokenizer.tokenizerDescriptor(arguments: ["init"])
                    t.column("body")
                }
            }
            #expect(initializer?.message == "no tokenizer today")
            #expect(initializer?.underlyingError is FailingTokenizer.Failure)
            let code = error {
                try db.create(virtualTable: "x", using: FTS5()) { t in
                    t.tokenizer = OuterTokenizer.tokenizerDescriptor(arguments: ["code"])
                    t.column("body")
                }
            }
            #expect(code?.extendedResultCode == .SQLITE_CONSTRAINT_CHECK)
            #expect(code?.message == "not allowed")

            // Outside of statements, the error is the tokenizer's own.
            let tokenizer = try db.makeTokenizer(OuterTokenizer.tokenizerDescriptor())
            #expect(throws: FailingTokenizer.Failure(description: "the word is bad")) { try tokenizer.tokenize(document: "good bad") }
            #expect(try tokenizer.tokenize(document: "good").map(\.token) == ["goodx"])
            #expect(throws: FailingTokenizer.Failure(description: "no tokenizer today")) {
                try db.makeTokenizer(FailingTokenizer.tokenizerDescriptor(arguments: ["init"]))
            }
            #expect(error { try db.execute(sql: "SELECT * FROM missing") }?.underlyingError == nil)
        }
        try withTokenizers { db throws in
            try createTable(db, OuterTokenizer.tokenizerDescriptor())
            let nested = #expect(throws: DatabaseError.self) { try insert(db, "bad") }
            #expect(nested?.message == "the word is bad")
        }
    }

    @Test
    func `The connections of a pool have their own tokenizers`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("database.sqlite")
        var configuration = Configuration()
        configuration.prepareDatabase { db in db.add(tokenizer: SynonymTokenizer.self) }
        do {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.write { db in
                try createTable(db, SynonymTokenizer.tokenizerDescriptor())
                try insert(db, "the first row")
            }
            #expect(try pool.read { try $0.matches("document", "first") } == [1])
        }
        let queue = try DatabaseQueue(path: path)
        let error = #expect(throws: DatabaseError.self) { try queue.read { try $0.matches("document", "first") } }
        #expect(error?.message?.contains("synonyms") == true)
    }

    @Test(arguments: [
        BytesTokenizer.tokenizerDescriptor(), BigramTokenizer.tokenizerDescriptor(), FoldingTokenizer.tokenizerDescriptor(),
        SynonymTokenizer.tokenizerDescriptor(),
    ])
    func `Tokenizers survive random bytes`(_ tokenizer: FTS5TokenizerDescriptor) throws {
        var generator = SeededGenerator(seed: 3)
        try withTokenizers { db throws in
            try createTable(db, tokenizer)
            for id in 1...300 {
                let bytes = Data(
                    (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                        Bool.random(using: &generator)
                            ? UInt8.random(in: 0x20...0x7E, using: &generator) : UInt8.random(in: 0...255, using: &generator)
                    })
                try db.execute(sql: "INSERT INTO document (rowid, body) VALUES (?, CAST(? AS TEXT))", arguments: [id, bytes])
                if id % 3 == 0 { try db.execute(sql: "DELETE FROM document WHERE rowid = ?", arguments: [id / 3]) }
                if let pattern = FTS5Pattern(matchingAnyTokenIn: String(decoding: bytes, as: UTF8.self)) {
                    _ = try Table<Row>("document").matching(pattern).select(Column("body").highlighted, highlightedSnippet()).fetchAll(db)
                }
            }
            try FTS5Index("document").checkIntegrity(db)
        }
    }
}
