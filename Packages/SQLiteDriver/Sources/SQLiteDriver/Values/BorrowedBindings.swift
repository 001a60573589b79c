import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Binding strings and blobs without copying them: SQLite reads their bytes where they are (`SQLITE_STATIC`). The bytes of a short binding are
// in memory that the caller keeps. A text of more than 15 bytes has memory of its own, or is in the program's constant data; both stay as
// long as the string is kept. A shorter text may be stored in the two words of the string itself, which can move: it has a short binding.

extension ShortBinding {
    /// Gives access to the bytes.
    @inline(__always)
    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
    }

    /// The bytes as a text.
    package var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }

    /// The value that the bytes stand for.
    @usableFromInline
    package var databaseValue: DatabaseValue {
        DatabaseValue(storage: isText ? .string(string) : .blob(withBytes { Data($0) }))
    }

    /// Binds the bytes, which SQLite copies.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    package func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withUnsafeBytes(of: words) { bytes in
            isText
                ? strata_bind_text_copy(sqliteStatement, index, bytes.bindMemory(to: CChar.self).baseAddress, UInt64(byteCount))
                : strata_bind_blob_copy(sqliteStatement, index, bytes.baseAddress, UInt64(byteCount))
        }
    }
}

extension UnsafeMutablePointer<ShortBinding> {
    /// Stores a binding, and binds its bytes without copying them.
    ///
    /// - Parameters:
    ///   - binding: the binding.
    ///   - sqliteStatement: a statement that is not running. The caller keeps the memory of the pointer until the parameter is bound again
    ///     or the statement is finalized.
    ///   - index: the parameter's index, from 1; 0 to bind nothing.
    /// - Returns: a result code of SQLite.
    @inlinable
    @inline(__always)
    package func bindBorrowed(_ binding: ShortBinding, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        pointee = binding
        if index == 0 { return SQLITE_OK }
        // The words are the first property of the structure.
        let bytes = UnsafeRawPointer(self)
        if binding.isText {
            return strata_bind_text_borrowed(
                sqliteStatement, index, bytes.assumingMemoryBound(to: CChar.self), UInt64(binding.byteCount))
        }
        return strata_bind_blob_borrowed(sqliteStatement, index, bytes, UInt64(binding.byteCount))
    }
}

extension DatabaseValue {
    /// Binds the value, and does not copy a text that has memory of its own.
    ///
    /// - Parameters:
    ///   - sqliteStatement: a statement that is not running. The caller keeps the value until the parameter is bound again or the
    ///     statement is finalized.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    @inline(__always)
    package func bindBorrowed(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        if case .string(let text) = storage { return text.bindBorrowed(to: sqliteStatement, at: index) }
        return bind(to: sqliteStatement, at: index)
    }
}

extension String {
    /// Binds the text, and does not copy it if it has memory of its own.
    ///
    /// - Parameters: as for ``DatabaseValue/bindBorrowed(to:at:)``.
    @inlinable
    func bindBorrowed(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        // A text of 15 bytes or less may be in the words of the string.
        let code: CInt?? = utf8.withContiguousStorageIfAvailable { bytes in
            guard bytes.count > 15, let start = bytes.baseAddress else { return nil }
            return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                strata_bind_text_borrowed(sqliteStatement, index, $0, UInt64(bytes.count))
            }
        }
        if let code, let code { return code }
        return bindText(to: sqliteStatement, at: index)
    }

    /// The bytes of a text that is stored in the string's own two words; nil if the text has memory of its own, or if the layout is
    /// unknown.
    @inlinable
    @inline(__always)
    var shortText: ShortBinding? {
        guard String.smallTextsAreTheirWords else { return nil }
        let words = unsafeBitCast(self, to: (UInt64, UInt64).self)
        guard words.1 >> 61 & 1 == 1 else { return nil }
        return .text((words.0, words.1 & 0x00FF_FFFF_FFFF_FFFF, 0, 0), count: Int(words.1 >> 56) & 0xF)
    }

    /// Whether the two words of a small text are its bytes, up to 15, followed by a byte with their number in its low half, and in
    /// its high half a bit that only small strings have. This holds on most 64-bit platforms, and is a constant to the compiler.
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

/// The parameters of a statement, to which strings are bound without copying them. The statement keeps this object, and the arguments, until
/// it is finalized.
final class BorrowingParameters {
    let sqliteStatement: SQLiteStatement
    private let count: Int

    /// A short binding for each parameter.
    private let shortBindings: UnsafeMutablePointer<ShortBinding>

    init(of sqliteStatement: SQLiteStatement, count: Int) {
        self.sqliteStatement = sqliteStatement
        self.count = count
        shortBindings = .allocate(capacity: count)
        shortBindings.initialize(repeating: .empty, count: count)
    }

    deinit { shortBindings.deallocate() }

    /// Binds a text, which the caller keeps until the parameter is bound again.
    ///
    /// - Parameter index: the parameter's index, from 0.
    /// - Returns: a result code of SQLite.
    @inline(__always)
    func bind(_ text: String, at index: Int) -> CInt {
        precondition(index < count)
        let parameter = CInt(truncatingIfNeeded: index + 1)
        if let shortText = text.shortText {
            return (shortBindings + index).bindBorrowed(shortText, to: sqliteStatement, at: parameter)
        }
        return text.bindBorrowed(to: sqliteStatement, at: parameter)
    }

    /// Binds a value, whose text the caller keeps until the parameter is bound again.
    ///
    /// - Parameter index: the parameter's index, from 0.
    /// - Returns: a result code of SQLite.
    @inline(__always)
    func bind(_ value: DatabaseValue, at index: Int) -> CInt {
        if case .string(let text) = value.storage { return bind(text, at: index) }
        return value.bind(to: sqliteStatement, at: CInt(truncatingIfNeeded: index + 1))
    }
}
