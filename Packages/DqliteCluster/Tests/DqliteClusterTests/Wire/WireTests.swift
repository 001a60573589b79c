import Foundation
import Testing

@testable import DqliteCluster

@Suite struct WireTests {
    private func body(_ words: UInt64...) -> [UInt8] {
        var bytes: [UInt8] = []
        for word in words { bytes.append(word: word) }
        return bytes
    }

    private func text(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8) + [0]
        bytes.pad()
        return bytes
    }

    private func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        let words = body.count / 8
        return [UInt8(words & 0xff), UInt8(words >> 8 & 0xff), 0, 0, type, 0, 0, 0] + body
    }

    // MARK: - Requests

    @Test
    func `A request is a header and whole words`() throws {
        var request = WireRequest(.open)
        try request.append(text: "app")
        request.append(word: 0)
        try request.append(text: "")
        #expect(
            try request.finished() == [4 - 1, 0, 0, 0, 3, 0, 0, 0] + text("app") + body(0) + text(""))
    }

    @Test
    func `Texts that fill a word get another word for their NUL`() throws {
        var request = WireRequest(.dump)
        try request.append(text: "12345678")
        #expect(try request.finished().count == 8 + 16)
    }

    @Test
    func `Arguments have a count, their types, and their values`() throws {
        var parameters = WireParameters()
        parameters.append(Int64.min)
        parameters.append(-0.0)
        "é".utf8.withContiguousStorageIfAvailable { parameters.append(text: UnsafeRawBufferPointer($0)) }
        [UInt8](repeating: 7, count: 9).withUnsafeBytes { parameters.append(blob: $0) }
        parameters.appendNull()
        var request = WireRequest(.execSQL)
        request.append(parameters)
        let expected =
            [5, 1, 2, 3, 4, 5, 0, 0] + body(1 << 63, 1 << 63) + text("é") + body(9) + [UInt8](repeating: 7, count: 9)
            + [UInt8](repeating: 0, count: 7) + body(0)
        #expect(try Array(request.finished().dropFirst(8)) == expected)
    }

    @Test
    func `A text with a NUL is refused, as a node would cut it off`() {
        var request = WireRequest(.execSQL)
        #expect(throws: WireError.self) { try request.append(text: "a\0b") }
    }

    @Test
    func `A request without words is refused, as it would end the node`() {
        #expect(throws: WireError.self) { try WireRequest(.leader).finished() }
    }

    // MARK: - Responses

    @Test(arguments: 1...40)
    func `Messages are read from pieces of any size`(size: Int) throws {
        let bytes = message(2, body(0)) + message(6, body(7, 3)) + message(1, body(1) + text("127.0.0.1:9001"))
        var parser = WireMessageParser()
        var responses: [WireResponse] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            parser.append(bytes[start..<min(start + size, bytes.count)])
            while let message = try parser.next() { responses.append(try WireResponse(message)) }
        }
        #expect(responses == [.welcome, .result(lastInsertedRowID: 7, changesCount: 3), .node(id: 1, address: "127.0.0.1:9001")])
        #expect(parser.bufferedCount == 0)
    }

    @Test
    func `A message over the limit is an error before its body has arrived`() throws {
        var parser = WireMessageParser(limit: 1 << 10)
        parser.append([0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0])
        #expect(throws: WireError.self) { try parser.next() }
    }

    @Test
    func `Rows have values of all types`() throws {
        let types: [UInt8] = [0x21, 0x43, 0x05, 0, 0, 0, 0, 0]
        let row = types + body(UInt64.max, (1.5).bitPattern) + text("abc") + body(2) + [1, 2, 0, 0, 0, 0, 0, 0] + body(0)
        let rows = try WireRows(body(5) + text("a") + text("b") + text("c") + text("d") + text("e") + row + row + body(UInt64.max))
        #expect(rows.columnNames == ["a", "b", "c", "d", "e"])
        #expect(rows.count == 2)
        #expect(!rows.hasMore)
        #expect(rows.int64(row: 1, column: 0) == -1)
        #expect(rows.text(row: 1, column: 2) == "abc")
        #expect(rows.cells.map(\.type) == [.integer, .real, .text, .blob, .null, .integer, .real, .text, .blob, .null])
        #expect(rows.cells[8].count == 2)
    }

    @Test
    func `A mark at the end of the rows announces further rows`() throws {
        let rows = try WireRows(body(1) + text("a") + body(0xeeee_eeee_eeee_eeee))
        #expect(rows.hasMore)
        #expect(rows.count == 0)
    }

    @Test(arguments: ["", "no", "1234567", "12345678", "no such table: player"])
    func `A failure is read from its end, as rows may precede it`(text message: String) throws {
        let failure = WireResponse.failure(code: 2067, message: message)
        #expect(try WireResponse(WireMessage(type: 0, body: body(2067) + text(message))) == failure)
        let rows = body(1) + text("a") + [1, 0, 0, 0, 0, 0, 0, 0] + body(0x4141_4141_4141_4141)
        #expect(try WireResponse(WireMessage(type: 0, body: rows + body(2067) + text(message))) == failure)
    }

    @Test
    func `An unknown message is an error`() {
        #expect(throws: WireError.self) { try WireResponse(WireMessage(type: 99, body: body(0))) }
    }

    @Test
    func `A number of changed rows that can't be is an error`() throws {
        let most = UInt64(Int32.max)
        #expect(try WireResponse(WireMessage(type: 6, body: body(1, most))) == .result(lastInsertedRowID: 1, changesCount: most))
        #expect(throws: WireError.self) { try WireResponse(WireMessage(type: 6, body: body(1, most + 1))) }
    }

    @Test
    func `Nodes are listed with their roles`() throws {
        let nodes = body(2, 1) + text("127.0.0.1:9001") + body(0, 2) + text("127.0.0.1:9002") + body(2)
        let expected = WireResponse.nodes([
            WireResponse.Node(id: 1, address: "127.0.0.1:9001", role: 0), WireResponse.Node(id: 2, address: "127.0.0.1:9002", role: 2),
        ])
        #expect(try WireResponse(WireMessage(type: 3, body: nodes)) == expected)
        #expect(throws: WireError.self) { try WireResponse(WireMessage(type: 3, body: [255] + nodes.dropFirst())) }
    }

    // MARK: - Garbled messages

    @Test(arguments: 0..<20)
    func `Garbled and truncated messages are errors or other messages, and nothing else`(round: Int) throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_SEED"] ?? "") ?? UInt64.random(in: 0...UInt64.max / 100)
        let own = seed &+ UInt64(round)
        var random = SeededGenerator(seed: own)
        let row: [UInt8] = [0x31, 0x04, 0, 0, 0, 0, 0, 0] + body(1) + text("a text of some length") + body(3) + [1, 2, 3, 0, 0, 0, 0, 0]
        let valid = [
            message(7, body(3) + text("id") + text("name") + text("data") + row + row + body(UInt64.max)),
            message(0, body(5) + text("database is locked")),
            message(3, body(1, 1) + text("127.0.0.1:9001") + body(0)),
            message(1, body(1) + text("127.0.0.1:9001")),
            message(6, body(1, 2)),
        ]
        var errorCount = 0
        for step in 0..<500 {
            var bytes = valid.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Bool.random(using: &random) ? Int.random(in: 0..<bytes.count, using: &random) : 0)
            var parser = WireMessageParser(limit: 1 << 16)
            parser.append(bytes)
            do {
                while let message = try parser.next() {
                    if case .rows(let rows) = try WireResponse(message) {
                        let isInside = rows.cells.allSatisfy { $0.start >= 0 && $0.start + $0.count <= rows.bytes.count }
                        #expect(isInside, "seed \(own), step \(step)")
                        #expect(rows.cells.count == rows.count * rows.columnNames.count, "seed \(own), step \(step)")
                    }
                }
            } catch {
                #expect(error is WireError, "seed \(own), step \(step)")
                errorCount += 1
            }
        }
        #expect(errorCount > 0)
    }
}
