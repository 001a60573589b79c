import CSQLiteShims

// Reading and binding the bytes of texts and blobs, for types that need no `String` or `Data` in between.

extension Statement {
    /// Binds a text from its UTF-8 bytes.
    ///
    /// Types use it to implement ``StatementBinding/bind(to:at:)`` without creating a string.
    ///
    /// - Parameters:
    ///   - bytes: valid UTF-8, which SQLite copies. An empty buffer is the empty text, not NULL.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    package static func bindText(_ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return strata_bind_text_copy(sqliteStatement, index, "", 0)
        }
        return strata_bind_text_copy(sqliteStatement, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count))
    }

    /// Binds a blob from its bytes.
    ///
    /// Types use it to implement ``StatementBinding/bind(to:at:)`` without creating a `Data`.
    ///
    /// - Parameters:
    ///   - bytes: the bytes, which SQLite copies. An empty buffer is the empty blob, not NULL.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    package static func bindBlob(_ bytes: UnsafeRawBufferPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            return sqlite3_bind_zeroblob(sqliteStatement, index, 0)
        }
        return strata_bind_blob_copy(sqliteStatement, index, start, UInt64(bytes.count))
    }
}

extension String {
    /// Creates a string from bytes, or nil if they are not valid UTF-8.
    ///
    /// The standard library's `init(validating:as:)` does the same, but requires macOS 15 or iOS 18.
    ///
    /// - Complexity: O(n) in the number of bytes.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        // Decoding replaces invalid bytes by U+FFFD, which changes them.
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
