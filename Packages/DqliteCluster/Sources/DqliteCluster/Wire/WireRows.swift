/// Some of the rows of a query: the content of one message.
struct WireRows: Equatable {
    /// A value, and its position in the body of the message.
    struct Cell: Equatable {
        let type: WireType
        let start: Int
        let count: Int
    }

    let columnNames: [String]

    /// The values, row by row.
    let cells: [Cell]

    /// The number of rows.
    let count: Int

    /// Whether another message follows.
    let hasMore: Bool

    /// The body of the message.
    let bytes: [UInt8]

    /// Reads the body of a message.
    ///
    /// - Throws: ``WireError`` if it is malformed.
    init(_ body: [UInt8]) throws {
        bytes = body
        var reader = WireReader(bytes: body)
        let columnCount = try reader.word()
        guard columnCount <= UInt64(body.count / 8) else { throw WireError("the message has too few bytes for \(columnCount) columns") }
        var names: [String] = []
        for _ in 0..<columnCount { names.append(try reader.text()) }
        columnNames = names

        let typesSize = (Int(columnCount) + 15) / 16 * 8
        var cells: [Cell] = []
        var count = 0
        while true {
            guard body.count - reader.position >= 8 else { throw WireError.truncated }
            let word = body.word(at: reader.position)
            if word == UInt64.max {
                hasMore = false
                break
            }
            if word == 0xeeee_eeee_eeee_eeee {
                hasMore = true
                break
            }
            let types = reader.position
            guard columnCount > 0, body.count - types >= typesSize else { throw WireError.truncated }
            reader.position += typesSize
            for column in 0..<Int(columnCount) {
                let byte = body[types + column / 2]
                cells.append(try Self.readCell(type: column % 2 == 0 ? byte & 0xf : byte >> 4, &reader))
            }
            try reader.check()
            count += 1
        }
        self.cells = cells
        self.count = count
    }

    private static func readCell(type: UInt8, _ reader: inout WireReader) throws -> Cell {
        guard let type = WireType(rawValue: type) else { throw WireError("the node sent a value of the unknown type \(type)") }
        let start = reader.position
        switch type {
        case .integer, .real, .null, .unixTime, .boolean:
            _ = try reader.word()
            return Cell(type: type, start: start, count: 8)
        case .text, .iso8601:
            let range = try reader.textRange()
            return Cell(type: type, start: range.lowerBound, count: range.count)
        case .blob:
            let range = try reader.blobRange()
            return Cell(type: type, start: range.lowerBound, count: range.count)
        }
    }

    /// Returns the integer in a column of a row, if there is one.
    func int64(row: Int, column: Int) -> Int64? {
        cell(.integer, row, column).map { Int64(bitPattern: bytes.word(at: $0.start)) }
    }

    /// Returns the string in a column of a row, if there is one.
    func text(row: Int, column: Int) -> String? {
        cell(.text, row, column).map { String(decoding: bytes[$0.start..<($0.start + $0.count)], as: UTF8.self) }
    }

    private func cell(_ type: WireType, _ row: Int, _ column: Int) -> Cell? {
        guard row < count, column < columnNames.count else { return nil }
        let cell = cells[row * columnNames.count + column]
        return cell.type == type ? cell : nil
    }
}
