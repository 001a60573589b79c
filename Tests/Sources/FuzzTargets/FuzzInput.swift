import Foundation
import Strata

/// Reads values from the bytes that a fuzzer varies. At the end of the bytes, all numbers are 0 and all strings are empty.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func int64() -> Int64 {
        (0..<8).reduce(0) { value, _ in value << 8 | Int64(byte()) }
    }

    /// As many bytes as the next one says.
    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns a string of as many bytes as the next byte says. Invalid UTF-8 is replaced.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// The rest of the bytes.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    mutating func remainingText() -> String { String(decoding: remainder(), as: UTF8.self) }

    /// A value of any storage class, as an expression of SQL with one argument. A text may have any bytes.
    mutating func sqlValue() -> (sql: String, argument: DatabaseValue) {
        switch byte() % 7 {
        case 0: ("?", .null)
        case 1: ("?", int64().databaseValue)
        case 2: ("?", Int64(Int8(bitPattern: byte())).databaseValue)
        case 3: ("?", Double(bitPattern: UInt64(bitPattern: int64())).databaseValue)
        case 4: ("?", Data(bytes()).databaseValue)
        case 5: ("CAST(? AS TEXT)", Data(bytes()).databaseValue)
        // Numbers and dates as strings.
        default: ("?", String(decoding: bytes().map { UInt8(ascii: "-") + $0 % 14 }, as: UTF8.self).databaseValue)
        }
    }
}
