import Dumps
import Foundation
import Testing

@Suite("Reading CSV")
struct CSVReaderTests {
    private func records(_ reader: CSVReader) throws -> [[String]] {
        var reader = reader
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record.fields.map(\.text)) }
        return records
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `Records have lines, fields and names`(lineEnd: String) throws {
        let text =
            "\u{FEFF}" + ["id;Name;note", "1;\"a;\"\"b\"\"\(lineEnd)c\";NULL", "", "2;;\"NULL\";more", "3"].joined(separator: lineEnd)
        for size in [1, 2, 3, 1000] {
            var rest = Data(text.utf8)
            let source = TextSource.chunks {
                defer { rest = rest.dropFirst(size) }
                return Data(rest.prefix(size))
            }
            var reader = try CSVReader(source, format: CSVFormat(separator: ";", nullValue: "NULL"))
            #expect(reader.header == ["id", "Name", "note"])
            let first = try #require(try reader.next())
            #expect(first.line == 2 && first["NAME"] == "a;\"b\"\(lineEnd)c" && first["note"] == nil && first[0] == "1")
            #expect(first.fields.map(\.isQuoted) == [false, true, false])
            let second = try #require(try reader.next())
            #expect(second.line == 5 && second["name"] == "" && second["note"] == "NULL" && second[3] == "more" && second["nope"] == nil)
            let third = try #require(try reader.next())
            #expect(third.fields.count == 1 && third["name"] == nil && third[-1] == nil)
            try #expect(reader.next() == nil)
            #expect(reader.byteCount == text.utf8.count)
        }
    }

    @Test
    func `Without a header, empty lines are records`() throws {
        try #expect(records(CSVReader("a,b\n\n,\n\"\"", header: false)) == [["a", "b"], [""], ["", ""], [""]])
        try #expect(records(CSVReader("a\n\n1\n\n")) == [[""], ["1"], [""]])
        try #expect(records(CSVReader("")) == [])
        try #expect(CSVReader("").header == nil)
    }

    @Test
    func `Records after an error are read`() throws {
        var reader = try CSVReader(.data(Data("a,b\n1,\"x\"y,\"\n2,".utf8) + [0xFF] + Data("\n3,z\u{0}ä\n".utf8)))
        let broken = #expect(throws: LoadError.self) { try reader.next() }
        #expect(broken?.line == 2)
        let invalid = #expect(throws: LoadError.self) { try reader.next() }
        #expect(invalid?.message == "field 2 is not valid UTF-8")
        try #expect(reader.next()?["b"] == "z\u{0}ä")
        try #expect(reader.next() == nil)
    }

    @Test
    func `A record may have a maximum size`() throws {
        var format = CSVFormat()
        format.maximumRecordSize = 1000
        var count = 0
        let endless = TextSource.chunks {
            count += 1
            return Data((count == 1 ? "a,b\n1,2\n3,\"" : String(repeating: "x", count: 100)).utf8)
        }
        var reader = try CSVReader(endless, format: format)
        try #expect(reader.next()?[1] == "2")
        let error = #expect(throws: LoadError.self) { try reader.next() }
        #expect(error?.line == 3 && count < 100)
        var whole = try CSVReader(.text("a\n\(String(repeating: "x", count: 1001))\n"), format: format)
        #expect(throws: LoadError.self) { try whole.next() }
        #expect(throws: DatabaseError.self) { try CSVReader("a", format: CSVFormat(separator: "é")) }
    }

    @Test
    func `Chunks may end anywhere, and records may be longer than chunks`() throws {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 1...6, using: &random)).map { _ in [random.text(), random.text(), "x"] }
            var csv = ""
            let queue = try DatabaseQueue()
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE t (a, b, c)")
                for row in rows { try db.execute(sql: "INSERT INTO t VALUES (?, ?, ?)", arguments: StatementArguments(row)) }
                try db.dumpTables(["t"], format: .csv(), to: &csv)
            }
            var rest = Data(csv.utf8)
            let source = TextSource.chunks {
                let chunk = Data(rest.prefix(Int.random(in: 1...9, using: &random)))
                rest = rest.dropFirst(chunk.count)
                return chunk
            }
            try #expect(records(CSVReader(source)) == rows)
        }
    }

    @Test
    func `Short and long records are padded, cut, skipped or refused`() throws {
        let text = "a,b,c\n1\n2,2,2\n3,3,3,3\n"
        func load(_ format: CSVFormat) throws -> (String, LoadProgress?) {
            let queue = try DatabaseQueue()
            try queue.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER, b INTEGER DEFAULT 7, c INTEGER)") }
            var last: LoadProgress?
            try queue.load(.csv(.text(text), format: format), into: "t") { last = $0 }
            return (try queue.dumped("SELECT * FROM t", .quote()), last)
        }
        #expect(throws: LoadError.self) { try load(CSVFormat(longRecords: .cut)) }
        #expect(throws: LoadError.self) { try load(CSVFormat(shortRecords: .padded)) }
        try #expect(load(CSVFormat(shortRecords: .padded, longRecords: .cut)).0 == "1,NULL,NULL\n2,2,2\n3,3,3\n")
        let skipped = try load(CSVFormat(shortRecords: .skipped, longRecords: .skipped))
        #expect(skipped.0 == "2,2,2\n")
        #expect(skipped.1?.recordCount == 3 && skipped.1?.rowCount == 1 && skipped.1?.rejectedCount == 0)
    }

    @Test
    func `Fields of generated columns are skipped, so that dumps can be loaded`() throws {
        let create = "CREATE TABLE t (a INTEGER, twice INTEGER AS (2 * a), thrice AS (3 * a) STORED, b TEXT)"
        let source = try DatabaseQueue()
        try source.write { try $0.execute(sql: "\(create); INSERT INTO t VALUES (1, 'x'), (2, NULL)") }
        var texts = ["", "", ""]
        try source.dumpTables(["t"], format: .csv(), to: &texts[0])
        try source.dumpTables(["t"], format: .json(), to: &texts[1])
        try source.dumpTables(["t"], format: .jsonLines(), to: &texts[2])
        #expect(texts[0].contains("twice"))
        for (index, text) in texts.enumerated() {
            try DatabaseQueue().write { db in
                try db.execute(sql: create)
                switch index {
                case 0: try db.load(.csv(.text(text)), into: "t")
                case 1: try db.load(.json(.text(text)), into: "t")
                default: try db.load(.jsonLines(.text(text)), into: "t")
                }
                try #expect(Row.fetchAll(db, sql: "SELECT * FROM t").map { Array($0.databaseValues) }.count == 2)
                try #expect(String.fetchAll(db, sql: "SELECT a || twice || thrice || ifnull(b, '-') FROM t") == ["123x", "246-"])
            }
        }
    }
}
