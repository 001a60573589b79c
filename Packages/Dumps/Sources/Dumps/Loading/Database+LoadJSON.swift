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
    /// In a TEXT column, a number is stored with the digits of the file; in a REAL column, as the nearest real number. `INTEGER`, `NUMERIC`
    /// and similar columns store integers exactly, and other numbers as the nearest REAL. In a column without a type or of the type `BLOB`,
    /// numbers with a fraction or an exponent are REAL, and others INTEGER. `true` and `false` become 1 and 0. Objects and arrays in an
    /// object are stored as JSON, as they are written in the file, except for the objects that ``JSONDumpFormat`` writes for blobs and
    /// infinities: `{"$base64":"AP8="}` and `{"$real":"inf"}`. All values of a dump are therefore restored exactly. The file is read in
    /// chunks, and may have any size. A member can be the hidden row id, under a name such as `rowid`.
    /// Either all rows are inserted, or none.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes: an array of objects, or objects one after the other.
    ///   - table: the name of a table or view.
    ///   - blobs: how blobs are written. With an encoding other than ``CSVFormat/BlobEncoding/marked``, all strings for columns with the
    ///     declared type `BLOB` are blobs.
    ///   - conflict: the conflict resolution; nil for the table's own.
    ///   - progress: called after each 1,000 rows and at the end. An error that it throws ends the load.
    /// - Returns: the number of rows that were inserted, without ignored rows.
    /// - Throws: ``LoadError`` with the number of the line, for example for an integer of more than 64 bits in a column that is neither
    ///   TEXT nor REAL, and for a number that is too large for a REAL; ``DatabaseError``; the error of the file, or of `progress`.
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
                if columns.contains(where: { $0.isEqualIgnoringASCIICase(to: member.name) }) {
                    throw LoadError(line: reader.line, column: member.name, message: "the object has two members with this name")
                }
                columns.append(member.name)
                var value: DatabaseValue
                do {
                    value = try member.value.databaseValue(for: target.affinity)
                } catch {
                    throw LoadError(line: reader.line, column: member.name, message: "\(error)")
                }
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
/// It only finds where objects begin and end: ``JSONText`` reads them.
struct JSONObjectReader {
    struct Member {
        var name: String
        var value: JSONValue
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

/// A value in JSON.
enum JSONValue {
    /// A number, whose value depends on the column.
    case number(DecimalNumber)
    case other(DatabaseValue)

    /// Returns the value in a column.
    ///
    /// - Throws: ``DecimalNumber/RangeError``.
    func databaseValue(for affinity: ColumnAffinity) throws(DecimalNumber.RangeError) -> DatabaseValue {
        switch self {
        case .number(let number): try number.value(for: affinity)
        case .other(let value): value
        }
    }
}

/// An array or object in JSON. Foundation decodes its strings.
private struct JSONText {
    /// An object like the objects for blobs and infinities in dumps, but with other content.
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
        guard String(validUTF8: bytes) != nil else { throw JSONParser.SyntaxError() }
        self.bytes = bytes
    }

    func members() throws -> [JSONObjectReader.Member] {
        try JSONParser.members(bytes[...]).map { name, value in
            JSONObjectReader.Member(name: try string(name), value: try self.value(value))
        }
    }

    func elements() throws -> [JSONValue] {
        try JSONParser.elements(bytes[...]).map(value)
    }

    private func string(_ text: ArraySlice<UInt8>) throws -> String { try decoder.decode(String.self, from: Data(text)) }

    private func value(_ text: ArraySlice<UInt8>) throws -> JSONValue {
        let value: DatabaseValue
        switch text.first {
        case UInt8(ascii: "n"): value = .null
        case UInt8(ascii: "t"): value = DatabaseValue(storage: .int64(1))
        case UInt8(ascii: "f"): value = DatabaseValue(storage: .int64(0))
        case UInt8(ascii: "\""): value = DatabaseValue(storage: .string(try string(text)))
        default:
            let json = String(decoding: text, as: UTF8.self)
            if let number = DecimalNumber(json) { return .number(number) }
            value = try markedValue(text) ?? DatabaseValue(storage: .string(json))
        }
        return .other(value)
    }

    /// Returns the value that an object stands for, if it is an object by which dumps write values.
    private func markedValue(_ text: ArraySlice<UInt8>) throws -> DatabaseValue? {
        guard text.first == UInt8(ascii: "{") else { return nil }
        let members = try JSONParser.members(text)
        guard let member = members.first, members.count == 1, let mark = JSONMark(rawValue: try string(member.name)) else { return nil }
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

/// The arguments of a statement as JSON: an array, or an object with their names. Values are read as by
/// ``Database/load(json:into:blobs:onConflict:progress:)``.
package enum JSONArguments {
    /// The values of an array.
    case positional([DatabaseValue])
    /// The members of an object, in their order. A name may occur more than once.
    case named([(name: String, value: DatabaseValue)])

    /// Reads arguments; nil for other strings, and for nested arrays and objects.
    ///
    /// - Throws: an error that describes a number which is neither an integer of 64 bits nor a REAL.
    package init?(_ json: String) throws {
        let bytes = Array(json.utf8)
        guard let text = try? JSONText(bytes) else { return nil }
        if let values = try? JSONParser.elements(bytes[...]), values.allSatisfy(Self.isPlain), let values = try? text.elements() {
            self = .positional(try values.map { try $0.databaseValue(for: .blob) })
        } else if let members = try? JSONParser.members(bytes[...]), members.allSatisfy({ Self.isPlain($0.value) }),
            let members = try? text.members()
        {
            self = .named(try members.map { ($0.name, try $0.value.databaseValue(for: .blob)) })
        } else {
            return nil
        }
    }

    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool { text.first != UInt8(ascii: "[") && text.first != UInt8(ascii: "{") }
}
