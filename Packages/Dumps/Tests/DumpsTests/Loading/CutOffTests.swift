import Dumps
import Foundation
import Testing

@Suite("Files that are cut off, and the numbers of their lines")
struct CutOffTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a, b)") }
    }

    private func values() throws -> [String] { try queue.read { try String.fetchAll($0, sql: "SELECT a FROM t ORDER BY rowid") } }

    @Test(arguments: [1, 2, 3, 4, 5, 100])
    func `A JSON array that is cut off is an error, at each byte`(_ portion: Int) throws {
        let text = Array("[{\"a\":\"]\"},\n{\"a\":\"}\"} , {\"a\":\"c\"}\r\n,{\"a\":\"d\"}]".utf8)
        for end in 1...text.count {
            try queue.write { try $0.execute(sql: "DELETE FROM t") }
            let source = TextSource.data(Data(text[..<end]))
            let result = Result { try queue.load(.json(source), into: "t", portion: portion) }
            let atOnce = Result { try queue.write { db in try db.load(.json(source), into: "t") } }
            if end == text.count {
                try #expect(result.get() == 4 && atOnce.get() == 4)
            } else {
                #expect(throws: LoadError.self, "\(end)") { try result.get() }
                #expect(throws: LoadError.self, "\(end)") { try atOnce.get() }
                try #expect(["]", "}", "c", "d"].starts(with: values()))
            }
        }
    }

    @Test
    func `A JSON array that ends with a batch of records is an error, too`() throws {
        let objects = (1...1000).map { "{\"a\":\($0)}" }.joined(separator: ",")
        #expect(throws: LoadError.self) { try queue.write { db in try db.load(.json(.text("[\(objects)")), into: "t") } }
        try #expect(values().isEmpty)
        try #expect(queue.write { db in try db.load(.json(.text("[\(objects)] \n")), into: "t") } == 1000)
    }

    @Test
    func `A JSON array that was cut off behind the loaded part is an error when the load continues`() throws {
        let text = "[{\"a\":\"x\"},{\"a\":\"y\"},{\"a\":\"z\"}]"
        #expect(throws: Stop.self) {
            try queue.load(.json(.text(text)), into: "t", portion: 1, resumableAs: "p") { if $0.rowCount == 2 { throw Stop() } }
        }
        let loaded = "[{\"a\":\"x\"},{\"a\":\"y\"}"
        for end in loaded.utf8.count..<text.utf8.count {
            #expect(throws: LoadError.self) {
                try queue.load(.json(.text(String(text.prefix(end)))), into: "t", portion: 10, resumableAs: "p")
            }
        }
        try #expect(values() == ["x", "y"])
        try queue.load(.json(.text(text)), into: "t", portion: 10, resumableAs: "p")
        try #expect(values() == ["x", "y", "z"])
    }

    /// A file whose last record is broken.
    enum Format: CaseIterable {
        case csv, jsonArray, jsonObjects, jsonLines

        func text(_ ends: [String]) -> String {
            switch self {
            case .csv: "a,b\n" + ends.map { "1,\"\($0)\"\($0)" }.joined() + "1"
            case .jsonArray: "[\n" + ends.map { "{\"a\": 1,\($0)\"b\": 2},\($0)" }.joined() + "{\"a\"}"
            case .jsonObjects: "\n" + ends.map { "{\"a\": 1,\($0)\"b\": 2}\($0)" }.joined() + "{\"a\"}"
            case .jsonLines: "\n" + ends.map { "{\"a\": 1}\($0)" }.joined() + "{\"a\"}"
            }
        }

        func load(_ source: TextSource, _ db: Database) throws {
            switch self {
            case .csv: try db.load(.csv(source), into: "t")
            case .jsonArray, .jsonObjects: try db.load(.json(source), into: "t")
            case .jsonLines: try db.load(.jsonLines(source), into: "t")
            }
        }
    }

    /// The number of lines that end before the end of a text.
    private func lineEndCount(_ text: String) -> Int {
        text.replacing("\r\n", with: "\n").unicodeScalars.count { $0 == "\n" || $0 == "\r" }
    }

    @Test(arguments: Format.allCases)
    func `Errors name the line in files with any mixture of line ends, in chunks of any size`(_ format: Format) throws {
        var random = SeededGenerator(seed: 11)
        for round in 0..<200 {
            let ends = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                ["\n", "\r", "\r\n", "\n\n", "\r\r"].randomElement(using: &random)!
            }
            // An empty line of CSV is no record, and belongs to none.
            let text = format.text(ends)
            let size = round % 2 == 0 ? 1 : 1000
            var rest = Data(text.utf8)
            let source = TextSource.chunks {
                let chunk = rest.prefix(size)
                rest = rest.dropFirst(chunk.count)
                return Data(chunk)
            }
            let error = #expect(throws: LoadError.self) { try queue.write { try format.load(source, $0) } }
            #expect(error?.line == lineEndCount(text) + 1, "\(text.debugDescription)")
        }
    }
}
