import SQLiteDriver
import Testing

/// The tokens of SQL, which must be SQLite's.
@Suite struct SQLTokensTests {
    private func texts(_ sql: String) -> [String] {
        let tokens = SQLTokens(sql)
        return tokens.tokens.indices.map { tokens.text($0) }
    }

    @Test
    func `White space and comments stand between tokens`() {
        #expect(texts("SELECT\ta,\r\n\u{C}b--c\n/*d*/ FROM/**/t /*") == ["SELECT", "a", ",", "b", "FROM", "t"])
        #expect(texts("-- a") == [])
        #expect(texts("/*/ a") == [])
        #expect(texts("/* a **/b/***/c") == ["b", "c"])
        #expect(texts("a - - b / * c") == ["a", "-", "-", "b", "/", "*", "c"])
        // A vertical tab is white space only behind other white space.
        #expect(texts("a \u{B}b") == ["a", "b"])
        #expect(texts("a\u{B}b") == ["a", "\u{B}", "b"])
        #expect(texts("") == [])
    }

    @Test
    func `Quotes are doubled, and may lack their end`() {
        #expect(texts("'it''s' \"a\"\"b\" `c``d` [e]f") == ["'it''s'", "\"a\"\"b\"", "`c``d`", "[e]", "f"])
        #expect(texts("'a -- b' \"/*\" '*/'") == ["'a -- b'", "\"/*\"", "'*/'"])
        for open in ["'a", "\"a", "`a", "[a", "'", "''a'"] { #expect(texts(open).last == (open == "''a'" ? "'" : open)) }
        #expect(
            ["'it''s'", "\"a\"\"b\"", "`c``d`", "[e]", "f", "'", "[g"].map(\.unquotedSQLName) == ["it's", "a\"b", "c`d", "e", "f", "", "g"])
    }

    @Test
    func `Parentheses, keywords and parts`() throws {
        let tokens = SQLTokens("CREATE TABLE \"t\" (a, b CHECK (b IN (1, 2)), c) -- end")
        let open = try #require(tokens.tokens.firstIndex { $0.kind == .open })
        let close = try #require(tokens.indexOfClosing(open))
        #expect(close == tokens.count - 1)
        #expect(tokens.indexOfClosing(0) == nil)
        let parts = tokens.split((open + 1)..<close, atCommasOfDepth: 1)
        #expect(parts.map { $0.map { tokens.text($0) }.joined(separator: " ") } == ["a", "b CHECK ( b IN ( 1 , 2 ) )", "c"])
        #expect(tokens.split(open..<open, atCommasOfDepth: 1) == [open..<open])
        #expect(tokens.keyword(0) == "CREATE" && tokens.keyword(2) == "" && tokens.keyword(99) == "")
        #expect(tokens.name(2) == "t")
        #expect(tokens.trimmedSQL == "CREATE TABLE \"t\" (a, b CHECK (b IN (1, 2)), c)")
        #expect(tokens.comments.map { tokens.text($0.range) } == ["-- end"])
        #expect(SQLTokens("(a").indexOfClosing(0) == nil)
        #expect(SQLTokens(")(").tokens.map(\.depth) == [-1, -1])
    }

    @Test(arguments: 1...300)
    func `The tokens cover all bytes, whatever the SQL is`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let parts = [
            "'", "\"", "`", "[", "]", "(", ")", "--", "/*", "*/", "\n", " ", "\u{B}", "a", "é", "1.5", "$x", "?", ",", "/", "*", "-",
        ]
        let sql = (0..<Int.random(in: 0...40, using: &generator)).map { _ in parts.randomElement(using: &generator)! }.joined()
        var end = 0
        for token in SQLLexer(sql) {
            #expect(token.range.lowerBound == end && !token.range.isEmpty, "\(sql)")
            end = token.range.upperBound
        }
        #expect(end == sql.utf8.count, "\(sql)")
        // Comments are not part of any token.
        #expect(texts(texts(sql).joined(separator: "/**/")) == texts(sql), "\(sql)")
    }
}
