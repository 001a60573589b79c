import CSQLiteShims

// The bytes of texts and blobs, in and out, for types that have their own way of reading and writing them: no Swift string and
// no data comes in between. As elsewhere, "unchecked" is for layers that check the index once for many reads.

extension Statement {
    /// Binds a text that is given by its UTF-8 bytes.
    ///
    /// It serves types that implement ``StatementBinding/bind(to:at:)`` without making a string.
    ///
    /// - Parameters:
    ///   - bytes: valid UTF-8, which SQLite copies. An empty buffer is the empty text, not NULL.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    public static func bindText(_ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return strata_bind_text_copy(sqliteStatement, index, "", 0)
        }
        return strata_bind_text_copy(sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }

    /// Binds a text that is given by its UTF-8 bytes, without copying them.
    ///
    /// - Parameters:
    ///   - bytes: valid UTF-8, which must stay where it is, unchanged, until the parameter is bound again or the statement is
    ///     finalized. An empty buffer is the empty text, not NULL.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    public static func bindBorrowedText(
        _ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt
    ) -> CInt {
        guard let start = bytes.baseAddress else {
            return strata_bind_text_copy(sqliteStatement, index, "", 0)
        }
        return strata_bind_text_borrowed(sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }

    /// Binds a blob that is given by its bytes.
    ///
    /// It serves types that implement ``StatementBinding/bind(to:at:)`` without making a `Data`.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, which SQLite copies. An empty buffer is the empty blob, not NULL.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    public static func bindBlob(_ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(sqliteStatement, index, 0)
        }
        return strata_bind_blob_copy(sqliteStatement, index, start, UInt64(bytes.count))
    }
}

extension String {
    /// Makes a string of bytes, or nil when they are not valid UTF-8.
    ///
    /// The standard library's `init(validating:as:)` does the same, from macOS 15 and iOS 18 on.
    ///
    /// - Complexity: O(n) in the number of bytes.
    @inlinable
    public init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Repairing invalid bytes puts U+FFFD in their place, and so changes them.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
