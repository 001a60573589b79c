import CSQLiteShims

// Binding texts without copying them. A text of more than 15 bytes has them in memory of its own, or in the program itself, where they
// stay as long as the string is kept. The bytes of a shorter one may be in the string's own two words, wherever these are: they are
// copied to memory that the caller has for them.

extension String {
    /// Binds the text, without copying it.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running. The caller keeps the text until the parameter is bound again or the
    ///     statement is finalized.
    ///   - index: the parameter's index, from 1.
    ///   - room: memory for 16 bytes, to be kept unchanged as long.
    /// - Returns: a result code of SQLite.
    @inlinable
    func bindBorrowed(to sqliteStatement: SQLiteStatement, at index: CInt, room: UnsafeMutableRawPointer) -> CInt {
        if let count = storeSmall(in: room) {
            return strata_bind_text_borrowed(
                sqliteStatement, index, UnsafeRawPointer(room).assumingMemoryBound(to: CChar.self), UInt64(count))
        }
        // Small texts, if they were not known as such, go the way of those that are bridged from another representation.
        guard let bytes = utf8.withContiguousStorageIfAvailable({ $0 }), bytes.count > 15 else {
            return bindText(to: sqliteStatement, at: index)
        }
        return Statement.bindBorrowedText(UnsafeRawBufferPointer(bytes), to: sqliteStatement, at: index)
    }

    /// Stores the bytes of a text that is held in the string's own two words.
    ///
    /// - Parameter room: memory for 16 bytes. Those after the text's own are of no meaning.
    /// - Returns: the number of bytes, or nil when the text has memory of its own, or when this is not known.
    @inlinable
    @inline(__always)
    func storeSmall(in room: UnsafeMutableRawPointer) -> Int? {
        guard String.smallTextsAreTheirWords else { return nil }
        let words = unsafeBitCast(self, to: (UInt64, UInt64).self)
        guard words.1 >> 61 & 1 == 1 else { return nil }
        room.storeBytes(of: words.0, as: UInt64.self)
        room.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
        return Int(words.1 >> 56) & 0xF
    }

    /// Whether the words of a small text are its bytes, up to 15, and a byte that has their number in its low half; in its high half
    /// there is a bit that small texts alone have. It is so on most platforms of 64 bits, and a constant to the compiler.
    ///
    /// Source: <https://github.com/swiftlang/swift/blob/main/stdlib/public/core/StringObject.swift>
    @inlinable
    @inline(__always)
    static var smallTextsAreTheirWords: Bool {
        guard MemoryLayout<String>.size == 16 else { return false }
        let words = unsafeBitCast("0123456789abcde", to: (UInt64, UInt64).self)
        return words.0 == 0x3736_3534_3332_3130 && words.1 == 0xEF65_6463_6261_3938
    }
}
