import Dumps
import Foundation
import Testing

@Suite("Encodings, quotes and lines before the records")
struct TextFormatTests {
    private static let text = "id,name\n1,\"Ångström, 10 €\"\n2,Z\u{1F600}\u{E000}\u{FFFD}\n3,\n"

    /// The bytes of UTF-16, with the byte order mark.
    private func utf16(_ text: String, isBigEndian: Bool) -> Data {
        Data(("\u{FEFF}" + text).utf16.flatMap { isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
    }

    /// Bytes in chunks of random sizes.
    private func chunks(_ data: Data, seed: UInt64) -> TextSource {
        var random = SeededGenerator(seed: seed)
        var rest = data
        return .chunks {
            let chunk = rest.prefix(Int.random(in: 1...5, using: &random))
            rest = rest.dropFirst(chunk.count)
            return Data(chunk)
        }
    }

    private func records(_ source: TextSource, _ format: CSVFormat = CSVFormat()) throws -> [[String]] {
        var reader = try CSVReader(source, format: format)
        var records: [[String]] = []
        while let record = try reader.next() { records.append(record.fields.map(\.text)) }
        return records
    }

    @Test(arguments: [false, true])
    func `UTF-16 is recognized by its byte order mark, in chunks of any size`(_ isBigEndian: Bool) throws {
        let data = utf16(Self.text, isBigEndian: isBigEndian)
        let expected = try records(.text(Self.text))
        try #expect(records(.data(data)) == expected)
        for seed in 0..<30 { try #expect(records(chunks(data, seed: UInt64(seed))) == expected) }
        try #expect(records(.data(utf16("", isBigEndian: isBigEndian))).isEmpty)

        let queue = try DatabaseQueue()
        let json = utf16("[{\"id\": 1, \"name\": \"Ä\u{1F600}\"}]", isBigEndian: isBigEndian)
        try queue.load(.json(.data(json)), into: "t", options: LoadOptions(newTable: LoadedTable()))
        try #expect(queue.dumped("SELECT * FROM t", .quote()) == "1,'Ä\u{1F600}'\n")
    }

    @Test
    func `Broken UTF-16 is an error of its record`() throws {
        // A surrogate alone, between records, at the end, and half of a character at the end.
        let units: [UInt16] = Array("a,b\n1,".utf16) + [0xD800] + Array("\n2,x\n3,".utf16) + [0xDC00] + Array("\n4,y\n5,".utf16) + [0xD83D]
        let data = Data([0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0x41])
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a, b)") }
        let lines = Guarded<[String]>([])
        let options = LoadOptions(
            rejects: .handler { record in lines.withLock { $0.append("\(record.error.line): \(record.error.message)") } })
        try queue.load(.csv(.data(data)), into: "t", options: options)
        #expect(lines.withLock { $0 } == [2, 4, 6].map { "\($0): field 2 is not valid UTF-8" })
        try #expect(queue.dumped("SELECT a FROM t", .list()) == "2\n4\n")
    }

    @Test
    func `Latin-1 is read as browsers do, and is an error without its name`() throws {
        let bytes = Data("id,name\n1,\"".utf8) + [0xC5, 0x80, 0x99, 0xFF, 0x81] + Data("\"\n".utf8)
        try #expect(records(TextSource.data(bytes).decoding(.latin1)) == [["1", "Å€™ÿ\u{81}"]])
        try #expect(records(chunks(bytes, seed: 1).decoding(.latin1)) == [["1", "Å€™ÿ\u{81}"]])
        let error = #expect(throws: LoadError.self) { try records(.data(bytes)) }
        #expect(error?.message == "field 2 is not valid UTF-8")
        #expect(error?.advice?.contains("latin1") == true)
        // Each byte is a character, also the beginning of a mark.
        try #expect(records(TextSource.data(Data([0xFF, 0xFE, 0x0A, 0x41])).decoding(.latin1)) == [["A"]])
    }

    @Test
    func `A load of another encoding is resumed, and finds types in all of the file`() throws {
        let queue = try DatabaseQueue()
        let text = "id,name\n" + (1...45).map { "\($0 == 45 ? "x" : "\($0)"),Ä\n" }.joined()
        let source = TextSource.data(utf16(text, isBigEndian: false))
        var totals: [Int?] = []
        func load(stops: Bool) throws {
            try queue.load(.csv(source), into: "t", options: LoadOptions(newTable: LoadedTable()), portion: 10, resumableAs: "t") {
                progress in
                totals.append(progress.totalByteCount)
                if stops, progress.rowCount == 20 { throw Stop() }
            }
        }
        #expect(throws: Stop.self) { try load(stops: true) }
        try load(stops: false)
        try #expect(queue.dumped("SELECT count(*), count(DISTINCT id), typeof(max(id)) FROM t", .list()) == "45|45|text\n")
        // The bytes that were read are those of UTF-8.
        #expect(totals.allSatisfy { $0 == nil })
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `Lines before the header are skipped, whatever they contain, and counted`(_ end: String) throws {
        let text = ["Report \"of 1.1.", "", ",,,", "id,name", "1,a", "x", ""].joined(separator: end)
        var format = CSVFormat()
        format.skippedLineCount = 3
        for seed in 0..<20 {
            var reader = try CSVReader(chunks(Data(text.utf8), seed: UInt64(seed)), format: format)
            #expect(reader.header == ["id", "name"])
            let record = try reader.next()
            #expect(record?.line == 5 && record?["name"] == "a")
        }
        let queue = try DatabaseQueue()
        let error = #expect(throws: LoadError.self) {
            try queue.load(
                .csv(.text(text), format: format), into: "t", options: LoadOptions(newTable: LoadedTable()), portion: 1, resumableAs: "t")
        }
        #expect(error?.line == 6)
        // It continues behind them.
        let corrected = text.replacing("\(end)x\(end)", with: "\(end)2,b\(end)")
        try queue.load(.csv(.text(corrected), format: format), into: "t", portion: 1, resumableAs: "t")
        try #expect(queue.dumped("SELECT * FROM t", .quote()) == "1,'a'\n2,'b'\n")
        format.skippedLineCount = 100
        try #expect(CSVReader(.text(text), format: format).header == nil)
    }

    @Test
    func `Fields have another quote character, also those of rejected records`() throws {
        let folder = try TemporaryFolder()
        var format = CSVFormat()
        format.quote = "'"
        let text = "id,name\n1,'a, \"b\" ''c'''\n2,\n3,'x'y\n4,\"q\n"
        try #expect(records(.text("id,name\n1,'a, \"b\" ''c'''\n4,\"q\n"), format) == [["1", "a, \"b\" 'c'"], ["4", "\"q"]])
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (id INTEGER, name TEXT NOT NULL)") }
        try queue.load(.csv(.text(text), format: format), into: "t", options: LoadOptions(rejects: .file(folder.file("r.csv"))))
        var rejects = try CSVReader(.file(folder.file("r.csv")), format: format)
        let first = try rejects.next()
        #expect(first?["rejected_line"] == "3" && first?["rejected_reason"] == "NOT NULL constraint failed: t.name" && first?["id"] == "2")
        let second = try rejects.next()
        #expect(second?["rejected_reason"] == "field 2 must end at its closing quote")
        try #expect(rejects.next() == nil)
        for (separator, quote) in [("'", "'"), (",", "\n"), (",", "ä"), (",", "\u{0}")] as [(Character, Character)] {
            var wrong = CSVFormat(separator: separator)
            wrong.quote = quote
            #expect(throws: DatabaseError.self) { try CSVReader("a", format: wrong) }
        }
    }

    // MARK: A list in an object

    @Test(arguments: [1, 2, 100])
    func `The objects of a list in an object are loaded, and whatever is around it is skipped`(_ portion: Int) throws {
        let list = "[{\"a\": 1}, {\"a\": \"]\"},\n {\"a\": 3}]"
        for text in [
            "{\"items\": \(list)}",
            " {\n\"n\": 3, \"s\": \"items\\\"]}\", \"o\": {\"items\": [{\"a\": 9}]}, \"e\": [[], {}], \"i\\u0074ems\" : \(list), \"x\": null , \"y\": {}} ",
        ] {
            let queue = try DatabaseQueue()
            let options = LoadOptions(newTable: LoadedTable(types: ["a": .any]))
            try #expect(queue.load(.json(.text(text), at: "items"), into: "t", options: options, portion: portion) == 3)
            try #expect(queue.dumped("SELECT a FROM t", .quote()) == "1\n']'\n3\n")
            try #expect(queue.write { db in try db.load(.json(.text(text), at: "items"), into: "t") } == 3)
            // Each shorter file is an error.
            let trimmed = Array(text.utf8.reversed().drop { $0 == UInt8(ascii: " ") }.reversed())
            for end in 0..<trimmed.count {
                let source = TextSource.data(Data(trimmed[..<end]))
                #expect(throws: LoadError.self) { try queue.load(.json(source, at: "items"), into: "t", portion: portion) }
            }
            #expect(throws: Stop.self) {
                try queue.load(.json(.text(text), at: "items"), into: "t", portion: 1, resumableAs: "r") {
                    if $0.rowCount == 2 { throw Stop() }
                }
            }
            try #expect(queue.load(.json(.text(text), at: "items"), into: "t", portion: portion, resumableAs: "r") == 3)
        }
    }

    @Test(arguments: [
        ("[]", "the file is not an object with the member items"), ("{}", "the object has no member items"),
        ("{\"a\": 1, \"b\": 2}", "the object has no member items"), ("{\"items\": {}}", "the member items is not an array"),
        ("{\"items\": [], \"items\": []}", "the object has two members with the name items"),
        ("{\"items\": []} x", "unexpected text after the object"),
        ("{\"a\" 1}", "a name and a colon must begin a member"), ("{\"a\": 1 \"items\": []}", "a comma or } must follow a member"),
        ("{\"items\": [] 1}", "a comma or } must follow a member"), ("{,}", "a name and a colon must begin a member"),
    ])
    func `An object without the list is an error`(_ text: String, _ message: String) throws {
        let queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
        #expect(#expect(throws: LoadError.self) { try queue.load(.json(.text(text), at: "items"), into: "t") }?.message == message)
    }

    // MARK: New tables of objects that can't be read

    @Test(arguments: [
        (
            "{\"a\": 1,\n\"b\": 2}\n", true,
            "line 1: the object is not valid JSON. Each line must have one object. If objects have several lines, load the file as JSON."
        ),
        (
            "\n{\"a\": 1, \"A\": 2}\n", true,
            "line 2, column \"A\": the object has two members with this name. Remove or rename one of them."
        ),
        ("[{},\n{\"a\": NaN}]", false, "line 2: the object is not valid JSON. JSON has no number NaN: write null."),
        ("[{\"a\": -Infinity}]", false, "line 1: the object is not valid JSON. JSON has no number Infinity: write null."),
        ("{\"a\": 1 \"b\": 2}", false, "line 1: the object is not valid JSON"),
    ])
    func `A new table of objects that can't be read names the place of the first one`(
        _ text: String, _ isLines: Bool, _ description: String
    ) throws {
        let queue = try DatabaseQueue()
        let options = LoadOptions(newTable: LoadedTable())
        let error = #expect(throws: LoadError.self) {
            _ =
                try isLines
                ? queue.load(.jsonLines(.text(text)), into: "t", options: options)
                : queue.load(.json(.text(text)), into: "t", options: options)
        }
        #expect(error?.description == description)
    }
}
