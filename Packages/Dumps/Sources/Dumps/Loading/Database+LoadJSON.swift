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
    /// Numbers with a fraction or an exponent are stored as REAL, other numbers as INTEGER if they fit into 64 bits. `true` and `false`
    /// become 1 and 0. Objects and arrays in an object are stored as JSON texts, as they are written in the file, except for those by which
    /// ``JSONDumpFormat`` writes blobs and infinities: `{"$base64":"AP8="}` and `{"$real":"inf"}`. All values of a dump are therefore
    /// restored exactly. The file is read in chunks, and may have any size. A member can be the hidden row id, under a name such as
    /// `rowid`.
    ///
    /// All rows are inserted, or none.
    ///
    /// - Parameters:
    ///   - source: a file, a text or bytes: an array of objects, or objects one after the other.
    ///   - table: the name of a table or view.
    ///   - blobs: how blobs are written. With an encoding other than ``CSVFormat/BlobEncoding/marked``, all strings for columns with the
    ///     declared type `BLOB` are blobs.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - progress: called after each 1,000 rows and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line; ``DatabaseError``; the error of the file, or of `progress`.
    @discardableResult
    public func load(
        json source: TextSource, into table: String, blobs: CSVFormat.BlobEncoding = .marked,
        onConflict conflict: ConflictResolution? = nil,
        progress: ((LoadProgress) throws -> Void)? = nil
    ) throws -> Int {
        var reader = try JSONObjectReader(source)
        let known = try LoadTargets(self, table: table)
        let insertion = RowInsertion(self, table: table, columns: [], onConflict: conflict)
        return try insertion.run(progress: progress) {
            guard let members = try reader.next() else { return nil }
            var columns: [String] = []
            var values: [DatabaseValue] = []
            for member in members {
                guard let target = known[member.name] else {
                    throw LoadError(
                        line: reader.line, column: member.name, message: "the table \(table.debugDescription) has no such column")
                }
                if columns.contains(where: { $0.lowercased() == member.name.lowercased() }) {
                    throw LoadError(line: reader.line, column: member.name, message: "the object has two members of this name")
                }
                columns.append(member.name)
                var value = member.value
                if blobs != .marked, target.isBlob, case .string(let text) = value.storage {
                    value = DatabaseValue(storage: .blob(try blobs.decode(text, line: reader.line, column: member.name)))
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
                if try peekAfterSpace() != nil { throw error("unexpected text after the array") }
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
        throw LoadError(line: line, column: nil, message: "the object has no closing brace")
    }

    private func members(of object: [UInt8]) throws -> [Member] {
        do {
            return try JSONText(object).members()
        } catch let error as JSONText.MarkError {
            throw LoadError(line: line, column: nil, message: error.description, underlyingError: error)
        } catch {
            throw LoadError(line: line, column: nil, message: "the object is not valid JSON", underlyingError: error)
        }
    }
}

/// Some JSON that is known to be valid, whose values are those of the database.
private struct JSONText {
    /// An object like those that stand for a blob or an infinity in dumps, but with other content.
    struct MarkError: Error, CustomStringConvertible {
        let mark: JSONMark

        var description: String {
            switch mark {
            case .base64: "the blob is not valid base64"
            case .real: "a number in {\"\(mark.rawValue)\": …} must be \"inf\" or \"-inf\""
            }
        }
    }

    private let bytes: [UInt8]
    private let decoder = JSONDecoder()

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        // This only checks that the text is JSON, on which the rest relies.
        _ = try JSONSerialization.jsonObject(with: Data(bytes))
    }

    func members() throws -> [JSONObjectReader.Member] {
        try JSONMembers(bytes[...]).map { name, value in
            JSONObjectReader.Member(name: try string(name), value: try databaseValue(value))
        }
    }

    func elements() throws -> [DatabaseValue] {
        try JSONElements(bytes[...]).map(databaseValue)
    }

    private func string(_ text: ArraySlice<UInt8>) throws -> String { try decoder.decode(String.self, from: Data(text)) }

    private func databaseValue(_ text: ArraySlice<UInt8>) throws -> DatabaseValue {
        switch text.first {
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "t"): return DatabaseValue(storage: .int64(1))
        case UInt8(ascii: "f"): return DatabaseValue(storage: .int64(0))
        case UInt8(ascii: "\""): return DatabaseValue(storage: .string(try string(text)))
        case UInt8(ascii: "{"): return try markedValue(text) ?? DatabaseValue(storage: .string(String(decoding: text, as: UTF8.self)))
        case UInt8(ascii: "["): return DatabaseValue(storage: .string(String(decoding: text, as: UTF8.self)))
        default:
            let number = String(decoding: text, as: UTF8.self)
            if let integer = Int64(number) { return DatabaseValue(storage: .int64(integer)) }
            // The digits are valid, so the number is one.
            return DatabaseValue(storage: .double(Double(number) ?? .infinity))
        }
    }

    /// Returns the value that an object stands for, if it is an object by which dumps write values.
    private func markedValue(_ text: ArraySlice<UInt8>) throws -> DatabaseValue? {
        var members = JSONMembers(text)
        guard let member = members.next(), members.next() == nil, let mark = JSONMark(rawValue: try string(member.name)) else { return nil }
        let content = member.value.first == UInt8(ascii: "\"") ? try string(member.value) : nil
        switch (mark, content) {
        case (.base64, let content?):
            if let data = Data(base64Encoded: content) { return DatabaseValue(storage: .blob(data)) }
        case (.real, "inf"): return DatabaseValue(storage: .double(.infinity))
        case (.real, "-inf"): return DatabaseValue(storage: .double(-.infinity))
        default: break
        }
        throw MarkError(mark: mark)
    }
}

/// The arguments of a statement as JSON: an array, or an object with their names. Values are those of
/// ``Database/load(json:into:blobs:onConflict:progress:)``.
package enum JSONArguments {
    /// The values of an array.
    case positional([DatabaseValue])
    /// The members of an object, in their order. A name may occur more than once.
    case named([(name: String, value: DatabaseValue)])

    /// Reads arguments; nil for other texts, and for nested arrays and objects.
    package init?(_ json: String) {
        let text = json.trimmingCharacters(in: .whitespacesAndNewlines)
        let bytes = Array(text.utf8)
        guard let value = try? JSONText(bytes) else { return nil }
        switch bytes.first {
        case UInt8(ascii: "["):
            guard JSONElements(bytes[...]).allSatisfy(Self.isPlain), let values = try? value.elements() else { return nil }
            self = .positional(values)
        case UInt8(ascii: "{"):
            guard JSONMembers(bytes[...]).allSatisfy({ Self.isPlain($0.value) }), let members = try? value.members() else { return nil }
            self = .named(members.map { ($0.name, $0.value) })
        default: return nil
        }
    }

    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool { text.first != UInt8(ascii: "[") && text.first != UInt8(ascii: "{") }
}

/// The members of an object: the bytes of their names and of their values. The object must be valid JSON.
private struct JSONMembers: Sequence, IteratorProtocol {
    private var scanner: JSONScanner

    init(_ bytes: ArraySlice<UInt8>) {
        scanner = JSONScanner(bytes)
    }

    mutating func next() -> (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)? {
        guard let name = scanner.next() else { return nil }
        return (name, scanner.next() ?? [])
    }
}

/// The elements of an array: the bytes of their values. The array must be valid JSON.
private struct JSONElements: Sequence, IteratorProtocol {
    private var scanner: JSONScanner

    init(_ bytes: ArraySlice<UInt8>) {
        scanner = JSONScanner(bytes)
    }

    mutating func next() -> ArraySlice<UInt8>? { scanner.next() }
}

/// Finds where the values in an array or object begin and end, names included.
private struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex + 1
    }

    mutating func next() -> ArraySlice<UInt8>? {
        skip { $0.isJSONSpace || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ":") }
        guard position < bytes.endIndex, bytes[position] != UInt8(ascii: "}"), bytes[position] != UInt8(ascii: "]") else { return nil }
        return value()
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.endIndex, isSkipped(bytes[position]) { position += 1 }
    }

    private mutating func value() -> ArraySlice<UInt8> {
        let start = position
        var depth = 0
        var isInString = false
        while position < bytes.endIndex {
            let byte = bytes[position]
            if isInString {
                if byte == UInt8(ascii: "\\") { position += 1 }
                isInString = byte != UInt8(ascii: "\"")
                position += 1
                if !isInString, depth == 0 { break }
                continue
            }
            if depth == 0, byte.isJSONSpace || ",:}]".utf8.contains(byte) { break }
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
        return bytes[start..<min(position, bytes.endIndex)]
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") || self == UInt8(ascii: "\t")
    }
}
