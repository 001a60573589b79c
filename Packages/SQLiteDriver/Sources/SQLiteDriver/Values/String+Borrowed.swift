import CSQLiteShims

// Binding texts without copying them. A text of more than 15 bytes has memory of its own, or is in the program's constant data;
// both stay as long as the string is kept. A shorter text may be stored in the two words of the string itself, which can move: its
// bytes are copied to memory that the caller provides.

extension String {
    /// Binds the text without copying it.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running. The caller keeps the text until the parameter is bound again or the
    ///     statement is finalized.
    ///   - index: the parameter's index, from 1.
    ///   - room: memory for 16 bytes, which the caller keeps unchanged until then.
    /// - Returns: a result code of SQLite.
    @inlinable
    func bindBorrowed(to sqliteStatement: SQLiteStatement, at index: CInt, room: UnsafeMutableRawPointer) -> CInt {
        if let count = storeSmall(in: room) {
            return strata_bind_text_borrowed(
                sqliteStatement, index, UnsafeRawPointer(room).assumingMemoryBound(to: CChar.self), UInt64(count))
        }
        // Small texts come here if `storeSmall(in:)` could not read them; they are copied like texts without contiguous memory.
        guard let bytes = utf8.withContiguousStorageIfAvailable({ $0 }), bytes.count > 15 else {
            return bindText(to: sqliteStatement, at: index)
        }
        return Statement.bindBorrowedText(UnsafeRawBufferPointer(bytes), to: sqliteStatement, at: index)
    }

    /// Stores the bytes of a text that is stored in the string's own two words.
    ///
    /// - Parameter room: memory for 16 bytes. The bytes after the text have no meaning.
    /// - Returns: the number of bytes, or nil if the text has memory of its own, or if the layout is unknown.
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

    /// Whether the two words of a small text are its bytes, up to 15, followed by a byte with their number in its low half, and in
    /// its high half a bit that only small texts have. This holds on most 64-bit platforms, and is a constant to the compiler.
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
