import Foundation
import RowDecoding

/// A list of values packed into one argument, a JSON array that SQL unpacks, so that a list can exceed SQLite's limit on parameters.
///
/// Values come back exactly as they were. Integers, strings and NULL are plain JSON. But SQLite's JSON rounds reals differently, ends
/// strings at a NUL character, and has no blobs. If the list contains such a value, all values other than integers and NULL become tagged
/// strings, which a Swift function decodes.
///
/// The packed values match the same rows as a list of parameters does: neither has an affinity, as `+` removes the affinity of the JSON
/// column. The only exception: an integer above 2^53 that is not exactly representable as a REAL is rounded before it is compared with a
/// column of REAL affinity.
struct PackedValues {
    let rows: [[DatabaseValue]]
    let columnCount: Int

    /// Writes a query that returns the rows, in parentheses.
    func render(to renderer: inout SQLRenderer) throws {
        let isTagged = rows.contains { $0.contains(where: \.needsTag) }
        if isTagged { try renderer.database.addIfUnknown(Self.unpack) }
        let columns =
            columnCount == 1
            ? [isTagged ? "value" : "+value"] : (0..<columnCount).map { "json_extract(value, '$[\($0)]')" }
        let selection = columns.map { isTagged ? "\(Self.unpack.name)(\($0))" : $0 }
        renderer.append(query: "(SELECT \(selection.joined(separator: ", ")) FROM json_each(")
        renderer.append(argument: json(isTagged: isTagged).databaseValue)
        renderer.append("))")
    }

    private func json(isTagged: Bool) -> String {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for (index, row) in rows.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            if columnCount > 1 { json.append(UInt8(ascii: "[")) }
            for (index, value) in row.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                value.write(to: &json, isTagged: isTagged)
            }
            if columnCount > 1 { json.append(UInt8(ascii: "]")) }
        }
        json.append(UInt8(ascii: "]"))
        return String(decoding: json, as: UTF8.self)
    }

    // MARK: - Tags

    /// The first byte of a tagged string, which determines the meaning of the rest.
    fileprivate enum Tag {
        static let text = UInt8(ascii: "t")
        static let textWithNUL = UInt8(ascii: "n")
        static let real = UInt8(ascii: "r")
        static let blob = UInt8(ascii: "b")
    }

    /// Decodes a tagged text.
    static let unpack = DatabaseFunction("strata_unpack", argumentCount: 1, pure: true) { values in
        guard case .string(let text) = values[0].storage, let tag = text.utf8.first else { return values[0] }
        let content = text.utf8.dropFirst()
        if tag == Tag.text { return String(content) }
        let bytes = try Self.bytes(hexadecimal: content)
        switch tag {
        case Tag.textWithNUL: return String(decoding: bytes, as: UTF8.self)
        case Tag.real: return Double(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        case Tag.blob: return Data(bytes)
        default: throw malformed
        }
    }

    private static var malformed: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISMATCH, message: "the value was not packed into a list")
    }

    private static func bytes(hexadecimal digits: Substring.UTF8View) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let nibble = Character(UnicodeScalar(digit)).hexDigitValue.map(UInt8.init) else { throw malformed }
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return bytes
    }
}

extension DatabaseValue {
    /// Whether plain JSON can't represent the value exactly.
    fileprivate var needsTag: Bool {
        switch storage {
        case .null, .int64: false
        // SQLite stores NaN as NULL.
        case .double(let value): !value.isNaN
        case .string(let text): text.utf8.contains(0)
        case .blob: true
        }
    }

    fileprivate func write(to json: inout [UInt8], isTagged: Bool) {
        switch storage {
        case .null: json += "null".utf8
        case .int64(let value): json += String(value).utf8
        case .double(let value):
            if value.isNaN {
                json += "null".utf8
            } else {
                let bits = value.bitPattern
                write(bytes: (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }, tag: PackedValues.Tag.real, to: &json)
            }
        case .string(let text):
            if text.utf8.contains(0) {
                write(bytes: text.utf8, tag: PackedValues.Tag.textWithNUL, to: &json)
            } else {
                write(text: text, tag: isTagged ? PackedValues.Tag.text : nil, to: &json)
            }
        case .blob(let data): write(bytes: data, tag: PackedValues.Tag.blob, to: &json)
        }
    }

    private func write(text: String, tag: UInt8?, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        if let tag { json.append(tag) }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                json.append(UInt8(ascii: "\\"))
                json.append(byte)
            case 0..<0x20:
                json += "\\u00".utf8
                write(hexadecimal: byte, to: &json)
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private func write(bytes: some Sequence<UInt8>, tag: UInt8, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        json.append(tag)
        for byte in bytes { write(hexadecimal: byte, to: &json) }
        json.append(UInt8(ascii: "\""))
    }

    private func write(hexadecimal byte: UInt8, to json: inout [UInt8]) {
        for nibble in [byte >> 4, byte & 15] {
            json.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
        }
    }
}
