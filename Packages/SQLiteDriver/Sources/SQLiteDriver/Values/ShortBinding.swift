import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A text or a blob of a few bytes, in memory that was given for it: a value of fixed size is bound without a string or a `Data` being
/// made of it, and without SQLite copying it.
///
/// ```swift
/// extension Color: StatementBinding {
///     func shortBinding(in room: UnsafeMutableRawPointer) -> ShortBinding? {
///         room.storeBytes(of: rgba, as: UInt32.self)
///         return .blob(count: 4)
///     }
/// }
/// ```
@frozen
public enum ShortBinding: Equatable, Sendable {
    /// A text, of valid UTF-8.
    case text(count: UInt8)
    case blob(count: UInt8)

    /// The number of bytes that there is room for.
    @inlinable
    public static var capacity: Int { 32 }

    /// The number of bytes.
    @inlinable
    public var count: Int {
        switch self {
        case .text(let count), .blob(let count): Int(count)
        }
    }

    /// Binds the bytes, without copying them.
    ///
    /// - Parameters:
    ///   - room: the bytes, which must stay as they are until the parameter is bound again or the statement is finalized.
    ///   - sqliteStatement: a statement that is not running.
    ///   - index: the parameter's index, from 1.
    /// - Returns: a result code of SQLite.
    @inlinable
    public func bindBorrowed(from room: UnsafeRawPointer, to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .text(let count):
            strata_bind_text_borrowed(sqliteStatement, index, room.assumingMemoryBound(to: CChar.self), UInt64(count))
        case .blob(let count):
            strata_bind_blob_borrowed(sqliteStatement, index, room, UInt64(count))
        }
    }

    /// The value that the bytes stand for.
    public func databaseValue(from room: UnsafeRawPointer) -> DatabaseValue {
        switch self {
        case .text(let count):
            let bytes = UnsafeRawBufferPointer(start: room, count: Int(count))
            return DatabaseValue(storage: .string(String(decoding: bytes, as: UTF8.self)))
        case .blob(let count):
            return DatabaseValue(storage: .blob(Data(bytes: room, count: Int(count))))
        }
    }
}
