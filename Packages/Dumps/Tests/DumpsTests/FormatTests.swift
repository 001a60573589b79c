import Dumps
import Foundation
import Testing

@Suite("Formats")
struct FormatTests {
    /// Each storage class, with the values that formats treat apart.
    static let values: SQL = """
        SELECT 1 AS id, 1.5 AS real, 'O''Brien, "A"' AS text, x'00FF' AS blob, NULL AS missing
        UNION ALL SELECT -9223372036854775808, 9e999, '', x'', 'x'
        """

    @Test
    func `debug prints a line for each row`() throws {
        let queue = try makePlayers()
        #expect(try queue.dumped("SELECT * FROM player", .debug()) == "1|Arthur|500\n2|Barbara|\n")
        #expect(
            try queue.dumped("SELECT * FROM player", .debug(header: true, separator: ", ", nullValue: "NULL"))
                == "id, name, score\n1, Arthur, 500\n2, Barbara, NULL\n")
        #expect(try queue.dumped("SELECT 'a', x'00FF', x'41', x''", .debug()) == "a|X'00FF'|A|X''\n")
    }

    @Test
    func `list prints as SQLite's shell does`() throws {
        let queue = try makePlayers()
        #expect(try queue.dumped("SELECT * FROM player", .list(header: true)) == "id|name|score\n1|Arthur|500\n2|Barbara|\n")
        #expect(try queue.dumped("SELECT * FROM player WHERE 0", .list(header: true)).isEmpty)
        #expect(try queue.dumped("SELECT 1.0, 9e999, -9e999, x'41'", .list()) == "1.0|Inf|-Inf|A\n")
    }

    @Test
    func `line prints a line for each value, with aligned names`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped("SELECT id, name FROM player", .line(nullValue: "NULL"))
                == "   id = 1\n name = Arthur\n\n   id = 2\n name = Barbara\n")
        #expect(try queue.dumped("SELECT 1 AS longName, 2 AS a", .line()) == "longName = 1\n       a = 2\n")
    }

    @Test
    func `A table prints a value with the text that the program returns for it`() throws {
        var format = TableDumpFormat.table(nullValue: "NULL")
        format.valueText = { value in if case .blob(let bytes) = value.storage { "\(bytes.count) bytes" } else { nil } }
        #expect(
            try makePlayers().dumped("SELECT 1 AS a, x'00FF' AS b, NULL AS c", format) == """
                +---+---------+------+
                | a |    b    |  c   |
                +---+---------+------+
                | 1 | 2 bytes | NULL |
                +---+---------+------+

                """)
    }

    @Test
    func `quote prints SQL literals`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped(Self.values, .quote(header: true)) == """
                'id','real','text','blob','missing'
                1,1.5,'O''Brien, "A"',X'00FF',NULL
                -9223372036854775808,9e999,'',X'','x'

                """)
        #expect(try queue.dumped("SELECT 'a' || char(0) || 'b'", .quote()) == "replace('a\\0b', '\\0', char(0))\n")
        #expect(try queue.dumped("SELECT '\\0' || char(0)", .quote()) == "replace('\\0\\0_', '\\0_', char(0))\n")
    }

    @Test
    func `json prints an array of objects, with members in the order of the columns`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped(Self.values, .json()) == """
                [{"id":1,"real":1.5,"text":"O'Brien, \\"A\\"","blob":{"$base64":"AP8="},"missing":null},
                {"id":-9223372036854775808,"real":{"$real":"inf"},"text":"","blob":{"$base64":""},"missing":"x"}]

                """)
        #expect(try queue.dumped("SELECT 1.0 AS a, 1e300 AS b", .json()) == "[{\"a\":1.0,\"b\":1e+300}]\n")
        #expect(try queue.dumped("SELECT 1 WHERE 0", .json()) == "[]\n")

        let encoder = JSONDumpFormat.defaultEncoder
        encoder.outputFormatting = [.prettyPrinted]
        #expect(
            try queue.dumped("SELECT id, name FROM player", .json(encoder: encoder)) == """
                [
                  {
                    "id" : 1,
                    "name" : "Arthur"
                  },
                  {
                    "id" : 2,
                    "name" : "Barbara"
                  }
                ]

                """)
    }

    @Test
    func `jsonLines prints an object on each line`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped("SELECT id, name || char(10) AS name FROM player", .jsonLines())
                == "{\"id\":1,\"name\":\"Arthur\\n\"}\n{\"id\":2,\"name\":\"Barbara\\n\"}\n")
        #expect(try queue.dumped("SELECT 1 WHERE 0", .jsonLines()).isEmpty)
    }

    @Test
    func `csv quotes what would be read as something else`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped(Self.values, .csv())
                == "id,real,text,blob,missing\r\n1,1.5,\"O'Brien, \"\"A\"\"\",X'00FF',\r\n-9223372036854775808,9e999,\"\",X'',x\r\n")
        #expect(try queue.dumped("SELECT 1 AS \"a,b\" WHERE 0", .csv()) == "\"a,b\"\r\n")
        #expect(
            try queue.dumped(
                "SELECT 'a' || char(10) || 'b', ' c', 'NULL', NULL, 'd;e', ',' || char(0x301)",
                .csv(header: false, separator: ";", nullValue: "NULL"))
                == "\"a\nb\";\" c\";\"NULL\";NULL;\"d;e\";,\u{301}\r\n")
        // A combining mark makes one character of itself and the separator, but not for parsers.
        #expect(
            try queue.dumped("SELECT 'a,' || char(0x301), 'a\"' || char(0x301)", .csv(header: false))
                == "\"a,\u{301}\",\"a\"\"\u{301}\"\r\n")
    }

    @Test(arguments: ["\"", "\n", "\r", "é", "\r\n", "7", "e", "-"] as [Character])
    func `csv refuses a separator that can't be read back`(_ separator: Character) throws {
        let queue = try makePlayers()
        let error = #expect(throws: DatabaseError.self) { try queue.dumped("SELECT 1", .csv(separator: separator)) }
        #expect(error?.resultCode == .SQLITE_MISUSE)
    }

    @Test
    func `markdown escapes, and aligns numbers to the right`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped("SELECT id, name || '|*' || char(13, 10) || '<b>' AS \"na_me\", score FROM player", .markdown(nullValue: "-"))
                == """
                | id | na\\_me | score |
                | ---: | --- | ---: |
                | 1 | Arthur\\|\\*<br>&lt;b&gt; | 500 |
                | 2 | Barbara\\|\\*<br>&lt;b&gt; | - |

                """)
        #expect(try queue.dumped("SELECT 1 AS a WHERE 0", .markdown()) == "| a |\n| --- |\n")
    }

    @Test
    func `box and table align columns`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped("SELECT * FROM player", .box(nullValue: "NULL")) == """
                ┌────┬─────────┬───────┐
                │ id │  name   │ score │
                ├────┼─────────┼───────┤
                │  1 │ Arthur  │   500 │
                │  2 │ Barbara │ NULL  │
                └────┴─────────┴───────┘

                """)
        #expect(
            try queue.dumped("SELECT id, x'00FF' AS b FROM player WHERE 0", .table()) == """
                +----+---+
                | id | b |
                +----+---+
                +----+---+

                """)
        #expect(try queue.dumped("PRAGMA user_version = 1", .box()).isEmpty)
    }

    @Test
    func `box counts wide characters, combining marks, emoji and control characters as terminals show them`() throws {
        let queue = try DatabaseQueue()
        let texts = ["日本", "e\u{301}", "👨‍👩‍👧", "🇫🇷", "❤️", "a\tb\u{7}", "한글", "ｆ", "\u{202E}x", "क्ष"]
        let lines = try texts.map { text in
            try queue.dumped("SELECT \(text) AS t", .box()).split(separator: "\n")[3]
        }
        #expect(
            lines == [
                "│ 日本 │", "│ e\u{301} │", "│ 👨‍👩‍👧 │", "│ 🇫🇷 │", "│ ❤️ │", "│ a␉b␇ │", "│ 한글 │", "│ ｆ │", "│ \\u{202E}x │", "│ क्ष │",
            ])
        let widths = try texts.map { text in
            try queue.dumped("SELECT \(text) AS t", .box()).split(separator: "\n")[0].count - 4
        }
        #expect(widths == [4, 1, 2, 2, 2, 4, 4, 2, 9, 2])
    }

    @Test
    func `box cuts columns to a width, and continues values that are wider than the measured ones`() throws {
        let queue = try DatabaseQueue()
        #expect(
            try queue.dumped("SELECT 'abcdef' AS a, '日本語' AS b, 'abc' AS c", .box(maximumColumnWidth: 4)) == """
                ┌──────┬─────┬─────┐
                │  a   │  b  │  c  │
                ├──────┼─────┼─────┤
                │ abc… │ 日… │ abc │
                └──────┴─────┴─────┘

                """)
        var format = TableDumpFormat.table()
        format.measuredRowCount = 1
        #expect(
            try queue.dumped("SELECT 'ab' AS a, 1 AS b UNION ALL SELECT 'cdefg', 2", format) == """
                +----+---+
                | a  | b |
                +----+---+
                | ab | 1 |
                | cd | 2 |
                | ef |   |
                | g  |   |
                +----+---+

                """)
        #expect(throws: DatabaseError.self) { try queue.dumped("SELECT 1", .box(maximumColumnWidth: 0)) }
    }

    @Test
    func `insert needs the name of a table for other queries`() throws {
        let queue = try makePlayers()
        #expect(
            try queue.dumped("SELECT id, name FROM player", .insert(into: "person"))
                == "INSERT INTO \"person\" (\"id\", \"name\") VALUES (1, 'Arthur');\nINSERT INTO \"person\" (\"id\", \"name\") VALUES (2, 'Barbara');\n"
        )
        let error = #expect(throws: DatabaseError.self) { try queue.dumped("SELECT 1", .insert()) }
        #expect(error?.advice == "Name a table, as in .insert(into: \"player\").")
    }
}
