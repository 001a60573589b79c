import Foundation

extension Database {
    /// Inserts the objects of a JSON array, or of JSON Lines.
    ///
    /// ```swift
    /// try db.load(
    ///     json: #"[{"id": 1, "name": "Arthur"}, {"id": 2, "name": null}]"#, into: "player")
    /// try db.load(json: .file(url), into: "player")
    /// ```
    ///
    /// The SQL is `INSERT INTO "player" ("id", "name") VALUES (?, ?)`, with the members of the object as columns. Columns that an object lacks
    /// get their default values.
    ///
    /// Numbers with a fraction or an exponent are stored as REAL, other numbers as INTEGER if they fit into 64 bits. `true` and `false` become
    /// 1 and 0. Objects and arrays in an object are stored as JSON texts, as they are written in the file. Strings are decoded from base64
    /// for columns with the declared type `BLOB`. The file is read in chunks, so it may be of any size.
    ///
    /// All rows are inserted, or none.
    ///
    /// - Parameters:
    ///   - source: a file, a text or bytes: an array of objects, or objects one after the other.
    ///   - table: the name of a table or view.
    ///   - conflict: the resolution of conflicts; nil for that of the table.
    ///   - progress: called after each 1,000 rows and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted. Without those that were ignored.
    /// - Throws: ``LoadError`` with the number of the line; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        json source: TextSource, into table: String, onConflict conflict: ConflictResolution? = nil,
        progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        var reader = try JSONObjectReader(source)
        let known = Set(try columns(in: table).map { $0.name.lowercased() })
        let insertion = try RowInsertion(self, table: table, columns: [], onConflict: conflict)
        return try insertion.run(progress: progress) {
            guard let members = try reader.next() else { return nil }
            var columns: [String] = []
            var values: [DatabaseValue] = []
            for member in members {
                guard known.contains(member.name.lowercased()) else {
                    throw LoadError(
                        line: reader.line, column: member.name, message: "the table \(table.debugDescription) has no such column")
                }
                if columns.contains(where: { $0.lowercased() == member.name.lowercased() }) {
                    throw LoadError(line: reader.line, column: member.name, message: "the object has two members of this name")
                }
                columns.append(member.name)
                var value = member.value
                if insertion.blobs.contains(member.name.lowercased()), case .string(let text) = value.storage {
                    guard let data = Data(base64Encoded: text) else {
                        throw LoadError(line: reader.line, column: member.name, message: "the blob is not written as base64")
                    }
                    value = DatabaseValue(storage: .blob(data))
                }
                values.append(value)
            }
            return (columns, values, reader.line, reader.byteCount)
        }
    }
}

/// Reads the objects of a JSON array, or objects that follow each other, one at a time.
///
/// It only finds where objects and their members begin and end. Foundation checks each object, and decodes the strings.
struct JSONObjectReader {
    struct Member {
        var name: String
        var value: DatabaseValue
    }

    private enum Kind { case array, lines }

    private var bytes: ByteReader
    private var kind: Kind?
    private var hasObjects = false
    private var isAtEnd = false
    private let decoder = JSONDecoder()

    /// The number of the line in which the last object begins, from 1.
    private(set) var line = 1

    var byteCount: Int { bytes.byteCount }

    init(_ source: TextSource) throws {
        bytes = try ByteReader(source)
    }

    /// Returns the members of the next object; nil at the end.
    mutating func next() throws -> [Member]? {
        if isAtEnd { return nil }
        if kind == nil {
            if try peekAfterSpace() == UInt8(ascii: "[") {
                kind = .array
                _ = try bytes.read()
            } else {
                kind = .lines
            }
        }
        var byte = try peekAfterSpace()
        if kind == .array {
            if byte == UInt8(ascii: "]") {
                _ = try bytes.read()
                if try peekAfterSpace() != nil { throw error("nothing can follow the array") }
                isAtEnd = true
                return nil
            }
            if hasObjects {
                guard byte == UInt8(ascii: ",") else { throw error("a comma or ] must follow an object") }
                _ = try bytes.read()
                byte = try peekAfterSpace()
            }
        } else if byte == nil {
            isAtEnd = true
            return nil
        }
        guard byte == UInt8(ascii: "{") else { throw error("an object must begin with {") }
        hasObjects = true
        line = bytes.line
        return try members(of: try nextValue())
    }

    private func error(_ message: String) -> LoadError {
        LoadError(line: bytes.line, column: nil, message: message)
    }

    private mutating func peekAfterSpace() throws -> UInt8? {
        while let byte = try bytes.peek(), byte.isJSONSpace { _ = try bytes.read() }
        return try bytes.peek()
    }

    /// Reads the object that begins here, as it is written.
    private mutating func nextValue() throws -> [UInt8] {
        var text: [UInt8] = []
        var depth = 0
        var isInString = false
        while let byte = try bytes.read() {
            text.append(byte)
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    if let escaped = try bytes.read() { text.append(escaped) }
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return text }
            default: break
            }
        }
        throw LoadError(line: line, column: nil, message: "the object has no end")
    }

    private func members(of object: [UInt8]) throws -> [Member] {
        do {
            // Only to learn that the text is JSON: what follows relies on it.
            _ = try JSONSerialization.jsonObject(with: Data(object))
            return try JSONMembers(object).map { name, value in
                Member(name: try decoder.decode(String.self, from: Data(name)), value: try databaseValue(value))
            }
        } catch {
            throw LoadError(line: line, column: nil, message: "the object is not valid JSON", underlyingError: error)
        }
    }

    private func databaseValue(_ text: ArraySlice<UInt8>) throws -> DatabaseValue {
        switch text.first {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"): return DatabaseValue(storage: .int64(1))
        case UInt8(ascii: "f"): return DatabaseValue(storage: .int64(0))
        case UInt8(ascii: "\""): return DatabaseValue(storage: .string(try decoder.decode(String.self, from: Data(text))))
        case UInt8(ascii: "{"), UInt8(ascii: "["): return DatabaseValue(storage: .string(String(decoding: text, as: UTF8.self)))
        default:
            let number = String(decoding: text, as: UTF8.self)
            if let integer = Int64(number) { return DatabaseValue(storage: .int64(integer)) }
            // The digits are valid, so the number is one: too great ones are infinite.
            return DatabaseValue(storage: .double(Double(number) ?? .infinity))
        }
    }
}

/// The members of an object: the bytes of their names and of their values. The object must be valid JSON.
private struct JSONMembers: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        skip { $0.isJSONSpace || $0 == UInt8(ascii: ",") }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let name = value()
        skip { $0.isJSONSpace || $0 == UInt8(ascii: ":") }
        return (name, value())
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) { position += 1 }
    }

    private mutating func value() -> ArraySlice<UInt8> {
        let start = position
        var depth = 0
        var isInString = false
        while position < bytes.count {
            let byte = bytes[position]
            if isInString {
                if byte == UInt8(ascii: "\\") { position += 1 }
                isInString = byte != UInt8(ascii: "\"")
                position += 1
                if !isInString, depth == 0 { break }
                continue
            }
            if depth == 0, byte.isJSONSpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: ":") { break }
            position += 1
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return bytes[start..<position] }
            default: break
            }
        }
        return bytes[start..<Swift.min(position, bytes.count)]
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\t")
    }
}
