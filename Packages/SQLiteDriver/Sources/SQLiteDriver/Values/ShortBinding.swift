/// A string or a blob of a few bytes, stored in place. It binds a value of fixed size without creating a `String` or a `Data`, and without
/// a copy by SQLite. Only Strata's own types have short bindings.
@frozen
public struct ShortBinding: Equatable, Sendable {
    /// The bytes in the order of memory, followed by zeros.
    @usableFromInline let words: Words
    @usableFromInline let isText: Bool
    @usableFromInline let byteCount: UInt8

    /// 32 bytes.
    @usableFromInline
    package typealias Words = (UInt64, UInt64, UInt64, UInt64)

    // This is the only initializer: code that reads the bytes relies on its check of the count.
    @inlinable
    @inline(__always)
    init(isText: Bool, words: Words, count: Int) {
        if count < 0 || count > Self.capacity { Self.stop(count: count) }
        self.words = words
        self.isText = isText
        byteCount = UInt8(truncatingIfNeeded: count)
    }

    /// A string.
    ///
    /// - Parameters:
    ///   - words: the bytes in the order of memory, which must be valid UTF-8, followed by zeros.
    ///   - count: the number of bytes, from 0 to 32.
    @inlinable
    @inline(__always)
    package static func text(_ words: Words, count: Int) -> ShortBinding { ShortBinding(isText: true, words: words, count: count) }

    /// A blob.
    ///
    /// - Parameters:
    ///   - words: the bytes in the order of memory, followed by zeros.
    ///   - count: the number of bytes, from 0 to 32.
    @inlinable
    @inline(__always)
    package static func blob(_ words: Words, count: Int) -> ShortBinding { ShortBinding(isText: false, words: words, count: count) }

    /// A binding of no bytes.
    @inlinable
    package static var empty: ShortBinding { .blob((0, 0, 0, 0), count: 0) }

    /// The maximum number of bytes.
    @inlinable
    static var capacity: Int { 32 }

    /// The number of bytes.
    @inlinable
    package var count: Int { Int(byteCount) }

    @inline(never)
    @usableFromInline
    static func stop(count: Int) -> Never {
        fatalError("A short binding has room for \(capacity) bytes, not for \(count). Return longer values from bindingValue().")
    }

    /// Returns whether two bindings have the same kind and the same bytes.
    @inlinable
    public static func == (lhs: ShortBinding, rhs: ShortBinding) -> Bool {
        lhs.words == rhs.words && lhs.isText == rhs.isText && lhs.byteCount == rhs.byteCount
    }
}
