import Foundation
import SQLiteDriver

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// The value as a BLOB of 16 bytes, in the order of the standard form.
    public var databaseValue: DatabaseValue { blob.databaseValue }

    /// The UUID, for which record types may have an encoding strategy.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self }

    /// Returns the 16 bytes of the BLOB.
    @inlinable
    public func shortBinding() -> ShortBinding? { blob }

    /// Binds the BLOB without making a `Data`.
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { blob.bind(to: sqliteStatement, at: index) }

    /// Reads a BLOB of 16 bytes, or a TEXT in the standard form, such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, with letters of either
    /// case.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data): data.withUnsafeBytes { UUID(databaseBlob: $0) }
        case .string(var text): text.withUTF8 { UUID(databaseText: UnsafeRawBufferPointer($0)) }
        case .null, .int64, .double: nil
        }
    }

    /// Reads a BLOB of 16 bytes, or a TEXT in the standard form, without making a `Data` or a string.
    @inlinable
    public static func fromStatement(_ statement: Statement, atUncheckedIndex index: Int) -> UUID? {
        let value = statement.unprotectedValue(atUnchecked: index)
        return switch value.storage {
        case .blob: value.withUnsafeBlob { UUID(databaseBlob: $0) }
        case .text: value.withUnsafeText { UUID(databaseText: $0) }
        case .null, .integer, .real: nil
        }
    }

    @inlinable
    init?(databaseBlob bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        if Self.isItsBytes {
            self = bytes.loadUnaligned(as: UUID.self)
        } else {
            self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }

    /// The 16 bytes.
    @inlinable
    @inline(__always)
    var blob: ShortBinding {
        let words = Self.isItsBytes ? unsafeBitCast(self, to: (UInt64, UInt64).self) : unsafeBitCast(uuid, to: (UInt64, UInt64).self)
        return .blob((words.0, words.1, 0, 0), count: 16)
    }

    /// Whether the memory of a UUID consists of its 16 bytes.
    ///
    /// The initializer of `UUID` takes the bytes as 16 arguments, and its property returns them one by one. Both cost more than reading the
    /// column.
    @inlinable
    static var isItsBytes: Bool { MemoryLayout<UUID>.size == 16 && MemoryLayout<UUID>.alignment == 1 }

    /// Reads the standard form: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with a hyphen between them.
    @usableFromInline
    init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 36 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &uuid) { uuid in
            var position = 0
            // A bit above the lowest four is set as soon as a character is not a digit.
            var digits: UInt8 = 0
            for index in 0..<16 {
                if index == 4 || index == 6 || index == 8 || index == 10 {
                    guard bytes[position] == UInt8(ascii: "-") else { return false }
                    position += 1
                }
                let high = hexadecimalDigit(bytes[position])
                let low = hexadecimalDigit(bytes[position + 1])
                digits |= high | low
                uuid[index] = high << 4 | low
                position += 2
            }
            return digits < 16
        }
        guard isValid else { return nil }
        self.init(uuid: uuid)
    }
}

/// Returns the value of a hexadecimal digit, or 255 for any other character.
private func hexadecimalDigit(_ character: UInt8) -> UInt8 {
    let digit = character &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    // Setting bit 5 makes an ASCII letter lowercase.
    let letter = (character | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 255
}
