import Foundation
import SQLiteDriver

extension UUID: DatabaseValueConvertible, StatementColumnConvertible {
    /// A BLOB of 16 bytes, in the order in which the standard form writes them.
    @inlinable
    public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(withUnsafeBlob { Data($0) }))
    }

    /// The UUID, which record types may store in ways of their own.
    @inlinable
    public var columnEncodableValue: (any DatabaseValueConvertible & Sendable)? { self }

    /// Writes the 16 bytes of the BLOB.
    @inlinable
    public func shortBinding(in room: UnsafeMutableRawPointer) -> ShortBinding? {
        withUnsafeBlob { room.copyMemory(from: $0.baseAddress!, byteCount: 16) }
        return .blob(count: 16)
    }

    /// Binds the BLOB, without making a `Data`.
    @inlinable
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBlob { Statement.bindBlob($0, to: sqliteStatement, at: index) }
    }

    /// A BLOB of 16 bytes, or a TEXT in the standard form, such as `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`, with letters of
    /// either case.
    @inlinable
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> UUID? {
        switch dbValue.storage {
        case .blob(let data): data.withUnsafeBytes { UUID(databaseBlob: $0) }
        case .string(var text): text.withUTF8 { UUID(databaseText: UnsafeRawBufferPointer($0)) }
        case .null, .int64, .double: nil
        }
    }

    /// A BLOB of 16 bytes, or a TEXT in the standard form, read without a `Data` or a string in between.
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

    /// Gives access to the 16 bytes of the BLOB.
    @inlinable
    @inline(__always)
    func withUnsafeBlob<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Self.isItsBytes ? withUnsafeBytes(of: self, body) : withUnsafeBytes(of: uuid, body)
    }

    /// Whether a UUID in memory is its 16 bytes.
    ///
    /// Its initializer takes each of them as an argument of its own, and its property gives them one by one, which costs more than to
    /// read the column.
    @inlinable
    static var isItsBytes: Bool { MemoryLayout<UUID>.size == 16 && MemoryLayout<UUID>.alignment == 1 }

    /// Reads the standard form: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12, with a hyphen between them.
    @usableFromInline
    init?(databaseText bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 36 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &uuid) { uuid in
            var position = 0
            // Has a bit above the lowest four as soon as a digit is none.
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

/// The value of a hexadecimal digit, 255 for any other character.
private func hexadecimalDigit(_ character: UInt8) -> UInt8 {
    let digit = character &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    // Bit 5 is what makes an ASCII letter a small one.
    let letter = (character | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter + 10 : 255
}
