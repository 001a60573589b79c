import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text or a blob of a few bytes, in memory that the caller provides. It binds a value of fixed size without creating a `String`
/// or a `Data`, and without a copy by SQLite. Only Strata's own types have short bindings.
@frozen
public struct ShortBinding: Equatable, Sendable {
    @usableFromInline let isText: Bool
    @usableFromInline let byteCount: UInt8

    // This is the only initializer: code that reads the bytes relies on its check of the count.
    @inlinable
    @inline(__always)
    init(isText: Bool, count: Int) {
        if count < 0 || count > Self.capacity { Self.stop(count: count) }
        self.isText = isText
        byteCount = UInt8(truncatingIfNeeded: count)
    }

    /// A text.
    ///
    /// - Parameter count: the number of bytes, which must be valid UTF-8.
    /// - Precondition: the number is between 0 and ``capacity``.
    @inlinable
    @inline(__always)
    package static func text(count: Int) -> ShortBinding { ShortBinding(isText: true, count: count) }

    /// A blob.
    ///
    /// - Parameter count: the number of bytes.
    /// - Precondition: the number is between 0 and ``capacity``.
    @inlinable
    @inline(__always)
    package static func blob(count: Int) -> ShortBinding { ShortBinding(isText: false, count: count) }

    /// The maximum number of bytes.
    @inlinable
    package static var capacity: Int { 32 }

    /// The number of bytes.
    @inlinable
    package var count: Int { Int(byteCount) }

    @inline(never)
    @usableFromInline
    static func stop(count: Int) -> Never {
        fatalError("A short binding has room for \(capacity) bytes, not for \(count). Return longer values from bindingValue().")
    }

    /// Binds the bytes without copying them.
    ///
    /// - Parameters:
    ///   - room: the bytes, which the caller keeps unchanged until the parameter is bound again or the statement is finalized.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    package func bindBorrowed(from room: UnsafeRawPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        if isText {
            strata_bind_text_borrowed(sqliteStatement, index, room.assumingMemoryBound(to: CChar.self), UInt64(byteCount))
        } else {
            strata_bind_blob_borrowed(sqliteStatement, index, room, UInt64(byteCount))
        }
    }

    /// Returns the value that the bytes stand for.
    package func databaseValue(from room: UnsafeRawPointer) -> DatabaseValue {
        if isText {
            let bytes = UnsafeRawBufferPointer(start: room, count: count)
            return DatabaseValue(storage: .string(String(decoding: bytes, as: UTF8.self)))
        }
        return DatabaseValue(storage: .blob(Data(bytes: room, count: count)))
    }
}
