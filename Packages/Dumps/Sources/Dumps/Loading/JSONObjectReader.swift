import Foundation

/// Reads the objects of a JSON array, which can be a member of an object, objects that follow each other, or JSON Lines, one at a time.
///
/// It only finds where objects begin and end: ``JSONText`` reads them.
struct JSONObjectReader {
    struct Member {
        var name: String
        var value: JSONValue
    }

    struct Record {
        /// The number of the line in which the object begins, from 1.
        var line: Int

        /// The object, as it is in the file.
        var text: [UInt8]

        /// The members of the object, or why it can't be read.
        var members: Result<[Member], LoadError>
    }

    private enum Kind {
        case array
        /// Objects that follow each other.
        case objects
        /// JSON Lines: one object in each line.
        case lines
    }

    private(set) var bytes: ByteReader

    /// The name of the member that has the array; nil if the file is the array.
    private let member: String?
    private var kind: Kind?
    private var hasObjects = false
    private var isAtEnd = false

    /// - Parameters:
    ///   - isLines: whether each line has one object, as in JSON Lines. Otherwise, the file has an array of objects, or objects.
    ///   - member: the name of the member of an object that has the array; nil if the file is the array.
    init(_ source: TextSource, isLines: Bool, at member: String?, isChecked: Bool) throws {
        self.member = member
        bytes = try ByteReader(source, isChecked: isChecked)
        kind = isLines ? .lines : nil
    }

    /// Returns the next object; nil at the end.
    ///
    /// - Throws: ``LoadError`` if it is not known where the next object begins; the error of the source.
    mutating func next() throws -> Record? {
        if isAtEnd { return nil }
        try findKind()
        if kind == .lines {
            while true {
                let line = bytes.line
                guard let text = try bytes.readLine() else { return nil }
                if !text.allSatisfy(\.isJSONSpace) { return record(text, line: line) }
            }
        }
        if try kind == .array && readEndOfArray() { return nil }
        var byte = try peekAfterSpace()
        if kind == .array {
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
        let line = bytes.line
        return record(try nextValue(line: line), line: line)
    }

    /// Continues a load after some of the objects: see ``SourceBytes/skip(to:)``.
    mutating func skip(to offset: Int, line: Int) throws -> Bool {
        try findKind()
        hasObjects = true
        return try bytes.skip(to: offset, line: line)
    }

    mutating func checksumOfUsedBytes() -> Int64 { bytes.checksumOfUsedBytes() }

    /// Whether no objects follow. It may read a chunk. An array does not end before its bracket.
    mutating func hasEnded() throws -> Bool {
        if isAtEnd { return true }
        return try kind == .array ? readEndOfArray() : peekAfterSpace() == nil
    }

    private mutating func readEndOfArray() throws -> Bool {
        guard try peekAfterSpace() == UInt8(ascii: "]") else { return false }
        _ = try bytes.read()
        if let member { try readEndOfObject(after: member) }
        if try peekAfterSpace() != nil { throw error("unexpected text after the \(member == nil ? "array" : "object")") }
        isAtEnd = true
        return true
    }

    // MARK: An array in an object

    /// Reads the object up to the objects of the array.
    private mutating func findArray(_ member: String) throws {
        guard try peekAfterSpace() == UInt8(ascii: "{") else { throw error("the file is not an object with the member \(member)") }
        repeat {
            _ = try bytes.read()
            if try readName() == member {
                guard try peekAfterSpace() == UInt8(ascii: "[") else { throw error("the member \(member) is not an array") }
                _ = try bytes.read()
                return
            }
            try skipValue()
        } while try peekAfterSpace() == UInt8(ascii: ",")
        guard try peekAfterSpace() == UInt8(ascii: "}") else { throw error("a comma or } must follow a member") }
        throw error("the object has no member \(member)")
    }

    private mutating func readEndOfObject(after member: String) throws {
        while try peekAfterSpace() == UInt8(ascii: ",") {
            _ = try bytes.read()
            if try readName() == member { throw error("the object has two members with the name \(member)") }
            try skipValue()
        }
        guard try peekAfterSpace() == UInt8(ascii: "}") else { throw error("a comma or } must follow a member") }
        _ = try bytes.read()
    }

    /// Reads the name of a member, and the colon after it; nil for an object without members.
    private mutating func readName() throws -> String? {
        let first = try peekAfterSpace()
        if first == UInt8(ascii: "}") { return nil }
        guard first == UInt8(ascii: "\""), let name = try? JSONText(nextValue(line: bytes.line)).string(),
            try peekAfterSpace() == UInt8(ascii: ":")
        else { throw error("a name and a colon must begin a member") }
        _ = try bytes.read()
        return name
    }

    private mutating func skipValue() throws {
        switch try peekAfterSpace() {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): _ = try nextValue(line: bytes.line, keeping: false)
        default:
            while let byte = try bytes.peek(), !byte.isJSONSpace, !",}]".utf8.contains(byte) { _ = try bytes.read() }
        }
    }

    private mutating func findKind() throws {
        guard kind == nil else { return }
        if let member {
            kind = .array
            return try findArray(member)
        }
        kind = .objects
        guard try peekAfterSpace() == UInt8(ascii: "[") else { return }
        kind = .array
        _ = try bytes.read()
    }

    private func error(_ message: String) -> LoadError {
        LoadError(line: bytes.line, column: nil, message: message)
    }

    private mutating func peekAfterSpace() throws -> UInt8? {
        while let byte = try bytes.peek(), byte.isJSONSpace { _ = try bytes.read() }
        return try bytes.peek()
    }

    /// Reads the object, the array or the string that begins here, as it is written.
    private mutating func nextValue(line: Int, keeping isKept: Bool = true) throws -> [UInt8] {
        var text: [UInt8] = []
        var depth = 0
        var isInString = false
        while let byte = try bytes.read() {
            if isKept { text.append(byte) }
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    if let escaped = try bytes.read(), isKept { text.append(escaped) }
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                    if depth == 0 { return text }
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

    private func record(_ text: [UInt8], line: Int) -> Record {
        func failure(_ message: String, _ error: any Error, advice: String? = nil) -> Record {
            let error = LoadError(line: line, column: nil, message: message, advice: advice, underlyingError: error)
            return Record(line: line, text: text, members: .failure(error))
        }
        do {
            return Record(line: line, text: text, members: .success(try JSONText(text).members()))
        } catch let error as JSONText.MarkError {
            return failure(error.description, error)
        } catch {
            return failure("the object is not valid JSON", error, advice: advice(about: text))
        }
    }

    /// Returns what may be wrong with an object that is not valid JSON.
    private func advice(about text: [UInt8]) -> String? {
        if kind == .lines, text.last != UInt8(ascii: "}") {
            return "Each line must have one object. If objects have several lines, load the file as JSON."
        }
        let text = String(decoding: text, as: UTF8.self)
        return ["NaN", "Infinity"].first(where: text.contains).map { "JSON has no number \($0): write null." }
    }
}

/// A value in JSON.
enum JSONValue {
    /// A number, whose value depends on the column.
    case number(DecimalNumber)
    /// `true` or `false`, which are stored as 1 and 0.
    case truth(Bool)
    case other(DatabaseValue)

    /// Returns the value in a column.
    ///
    /// - Throws: ``DecimalNumber/RangeError``.
    func databaseValue(for affinity: ColumnAffinity) throws(DecimalNumber.RangeError) -> DatabaseValue {
        switch self {
        case .number(let number): try number.value(for: affinity)
        case .truth(let truth): truth.databaseValue
        case .other(let value): value
        }
    }

    /// Whether a new column, whose type was found in other values, stores the value as it is.
    func fits(_ affinity: ColumnAffinity) -> Bool {
        if affinity == .text || affinity == .blob { return true }
        switch self {
        case .number(let number):
            guard let value = try? number.value(for: affinity) else { return false }
            if affinity == .integer, case .double = value.storage { return false }
            return true
        case .truth: return affinity != .real
        case .other(let value):
            switch value.storage {
            case .null: return true
            case .double: return affinity != .integer
            case .int64, .string, .blob: return false
            }
        }
    }

    /// The text that a column's conversion reads; nil for NULL and for values without a text.
    var text: String? {
        switch self {
        case .number(let number): number.description
        case .truth(let truth): truth ? "true" : "false"
        case .other(let value): if case .string(let text) = value.storage { text } else { nil }
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

    init(_ bytes: [UInt8]) throws {
        // ASCII, which most objects are, needs no string to validate it.
        guard bytes.allSatisfy({ $0 < 0x80 }) || String(validUTF8: bytes) != nil else { throw JSONParser.SyntaxError() }
        self.bytes = bytes
    }

    func members() throws -> [JSONObjectReader.Member] {
        try JSONParser.members(bytes[...]).map { name, value in
            JSONObjectReader.Member(name: try string(name), value: try self.value(value))
        }
    }

    /// The text as a string.
    func string() throws -> String { try string(bytes[...]) }

    func elements() throws -> [JSONValue] {
        try JSONParser.elements(bytes[...]).map(value)
    }

    private func string(_ text: ArraySlice<UInt8>) throws -> String {
        // A string without escapes is its bytes, which are valid UTF-8.
        if text.first == UInt8(ascii: "\""), !text.contains(UInt8(ascii: "\\")) {
            return String(decoding: text.dropFirst().dropLast(), as: UTF8.self)
        }
        return try JSONDecoder().decode(String.self, from: Data(text))
    }

    private func value(_ text: ArraySlice<UInt8>) throws -> JSONValue {
        let value: DatabaseValue
        switch text.first {
        case UInt8(ascii: "n"): value = .null
        case UInt8(ascii: "t"): return .truth(true)
        case UInt8(ascii: "f"): return .truth(false)
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
/// ``LoadedFile/json(_:at:blobs:)``.
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
