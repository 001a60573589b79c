import Dumps
import Foundation
import Testing

@Suite("What CSV and JSON keep, and what they refuse")
struct ExactValueTests {
    private func makeQueue(_ sql: String = "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, photo BLOB)") throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: sql) }
        return queue
    }

    @Test
    func `csv quotes strings that look like numbers and blobs, and writes blobs as asked`() throws {
        let queue = try makeQueue()
        #expect(
            try queue.dumped("SELECT '1', '007', '1.5', '1.50', '-9e999', '1e5', 'X''', -1, -9e999", .csv(header: false))
                == "\"1\",007,\"1.5\",1.50,\"-9e999\",1e5,\"X'\",-1,-9e999\r\n")
        // A reader would take this for a byte order mark.
        #expect(try queue.dumped("SELECT char(0xFEFF) || 'a'", .csv(header: false)) == "\"\u{FEFF}a\"\r\n")
        #expect(try queue.dumped("SELECT x'0061'", .csv(header: false, blobs: .base64)) == "AGE=\r\n")
        #expect(try queue.dumped("SELECT x'0061'", .csv(header: false, blobs: .hexadecimal)) == "0061\r\n")
        #expect(try queue.dumped("SELECT x'61'", .csv(header: false, blobs: .bytes)) == "a\r\n")
        #expect(throws: DatabaseError.self) { try queue.dumped("SELECT x'FF'", .csv(blobs: .bytes)) }
        for nullValue in ["0", "-1.5", "X''", "a,b", "\n"] {
            #expect(throws: DatabaseError.self) { try queue.dumped("SELECT 1", .csv(nullValue: nullValue)) }
        }
    }

    @Test
    func `A text that is not valid UTF-8 is refused by formats that programs read, and not repaired`() throws {
        let queue = try makeQueue()
        func check(_ format: some DumpFormat) throws {
            let error = #expect(throws: DatabaseError.self) {
                try queue.dumped("SELECT char(0xFFFD) AS a, CAST(x'61FF' AS TEXT) AS b", format)
            }
            #expect(error?.message == "the format can't represent the string in column \"b\", which is not UTF-8")
            #expect(error?.advice == "Dump it as SQL, or select CAST(… AS BLOB).")
            #expect(try queue.dumped("SELECT char(0xFFFD) AS a", format).contains("\u{FFFD}"))
        }
        try check(.csv())
        try check(.json())
        try check(.jsonLines())
    }

    @Test
    func `Blobs are decoded as asked, and not by guesses`() throws {
        let queue = try makeQueue()
        try queue.write { db in
            // Valid base64 and hexadecimal, and quoted marks, are strings.
            try db.load(.csv("id,photo\n1,textblob\n2,00ff\n3,\"X'00'\"\n4,X'0\n5,base\n"), into: "t")
            try db.load(.json(#"[{"id": 6, "photo": "AP8="}, {"id": 7, "photo": {"$base64": "AP8=", "b": 1}}]"#), into: "t")
            try db.load(.csv("id,photo\n8,AP8=", format: CSVFormat(blobs: .base64)), into: "t")
            try db.load(.csv("id,photo\n9,AP8=", format: CSVFormat(blobs: .bytes)), into: "t")
            try db.load(.json(#"{"id": 10, "photo": "00ff", "name": "00ff"}"#, blobs: .hexadecimal), into: "t")
        }
        #expect(
            try queue.dumped("SELECT photo FROM t ORDER BY id", .quote()) == """
                'textblob'
                '00ff'
                'X''00'''
                'X''0'
                'base'
                'AP8='
                '{"$base64": "AP8=", "b": 1}'
                X'00FF'
                X'4150383D'
                X'00FF'

                """)
        for (text, format) in [("id,photo\n1,%", CSVFormat(blobs: .base64)), ("id,photo\n1,0", CSVFormat(blobs: .hexadecimal))] {
            let error = #expect(throws: LoadError.self) {
                try queue.write { db in _ = try db.load(.csv(.text(text), format: format), into: "t") }
            }
            #expect(error?.column == "photo")
        }
    }

    @Test
    func `Strings in a column without a type stay strings, except for numbers as dumps write them`() throws {
        let queue = try makeQueue("CREATE TABLE t (v)")
        try queue.write { db in
            _ = try db.load(.csv("v\n1\n\"1\"\n007\n1.10\n1.5\n+1\n 1\n1e5\n0x10\n9e999\ninf\nnan\n9223372036854775808\n"), into: "t")
        }
        #expect(
            try queue.dumped("SELECT v FROM t", .quote())
                == "1\n'1'\n'007'\n'1.10'\n1.5\n'+1'\n' 1'\n'1e5'\n'0x10'\n9e999\n'inf'\n'nan'\n'9223372036854775808'\n")
    }

    @Test
    func `Rows are loaded with their hidden row ids`() throws {
        let queue = try makeQueue("CREATE TABLE t (v); INSERT INTO t (rowid, v) VALUES (7, 'a'), (9, 'b')")
        try queue.write { db in
            var csv = ""
            try db.dumpSQL("SELECT rowid, * FROM t", format: .csv(), to: &csv)
            var json = ""
            try db.dumpSQL("SELECT rowid + 10 AS rowid, * FROM t", format: .json(), to: &json)
            try db.execute(sql: "DELETE FROM t")
            try db.load(.csv(.text(csv)), into: "t")
            _ = try db.load(.json(.text(json)), into: "t")
        }
        #expect(try queue.dumped("SELECT rowid, v FROM t", .csv(header: false)) == "7,a\r\n9,b\r\n17,a\r\n19,b\r\n")
    }

    @Test
    func `Custom encoders write blobs and infinities with their strategies`() throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        #expect(try makeQueue().dumped("SELECT x'00FF' AS a, 9e999 AS b", .json(encoder: encoder)) == "[{\"a\":\"AP8=\",\"b\":\"inf\"}]\n")
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["STRATA_LARGE"] != nil))
    func `A script refuses a row that SQLite could not read`() throws {
        let error = #expect(throws: DatabaseError.self) {
            try makeQueue().dumped("SELECT zeroblob(500000000) AS b", .insert(into: "t"))
        }
        #expect(error?.resultCode == .SQLITE_TOOBIG)
    }
}
