import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value with one of SQLite's storage classes: NULL, INTEGER, REAL, TEXT or BLOB.
///
/// An integer equals a real with the same numeric value. Unlike in SQL, NULL equals NULL:
///
/// ```swift
/// DatabaseValue.null == DatabaseValue.null                                      // true
/// DatabaseValue(storage: .int64(1)) == DatabaseValue(storage: .double(1))       // true
/// DatabaseValue(storage: .int64(1)) == DatabaseValue(storage: .string("1"))     // false
/// ```
///
/// Source: <https://www.sqlite.org/datatype3.html>
@frozen
public struct DatabaseValue: Sendable {
    /// SQLite's storage classes, with their values.
    @frozen
    public enum Storage: Sendable {
        /// SQL's NULL.
        case null
        /// An INTEGER.
        case int64(Int64)
        /// A REAL.
        case double(Double)
        /// A TEXT.
        case string(String)
        /// A BLOB.
        case blob(Data)

        /// The value as an `Int64`, a `Double`, a `String` or a `Data`; nil for NULL.
        public var value: (any Sendable)? {
            switch self {
            case .null: nil
            case .int64(let value): value
            case .double(let value): value
            case .string(let value): value
            case .blob(let value): value
            }
        }
    }

    /// The storage class, with the value.
    public let storage: Storage

    /// Creates a value from its storage.
    @inlinable
    public init(storage: Storage) {
        self.storage = storage
    }

    /// NULL.
    @inlinable
    public static var null: DatabaseValue { DatabaseValue(storage: .null) }

    /// Whether the value is NULL.
    @inlinable
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }
}

// MARK: - Equality

extension DatabaseValue: Hashable {
    /// Returns whether two values are equal.
    public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        lhs.storage == rhs.storage
    }

    /// Returns whether two values are different.
    public static func != (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        lhs.storage != rhs.storage
    }

    /// Hashes a value. An integer and a real with the same numeric value have the same hash.
    public func hash(into hasher: inout Hasher) {
        storage.hash(into: &hasher)
    }
}

extension String {
    /// Returns whether two strings have the same bytes of UTF-8. To Swift, canonically equivalent strings are equal, too.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { lhs in
            other.utf8.withContiguousStorageIfAvailable {
                lhs.count == $0.count && strata_are_same_bytes(lhs.baseAddress, $0.baseAddress, lhs.count) != 0
            }
        }
        // Strings that are bridged from another representation may not be contiguous in memory.
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension DatabaseValue.Storage: Hashable {
    /// Returns whether two values are equal.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.int64(let lhs), .int64(let rhs)): lhs == rhs
        case (.double(let lhs), .double(let rhs)): lhs == rhs
        case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
            Int64(exactly: real) == integer
        // Strings are compared by their bytes, as in SQLite, and not by Unicode's rules. Comparing memory is faster than comparing byte by
        // byte.
        case (.string(let lhs), .string(let rhs)): lhs.hasSameBytes(as: rhs)
        case (.blob(let lhs), .blob(let rhs)): lhs == rhs
        default: false
        }
    }

    /// Hashes a value. An integer and a real with the same numeric value have the same hash.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        // A real that equals an integer is that integer converted to a `Double`, so both hash as that real.
        case .int64(let value): hasher.combine(Double(value))
        case .double(let value): hasher.combine(value)
        case .string(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .blob(let value): hasher.combine(value)
        }
    }
}

// MARK: - Description

extension DatabaseValue: CustomStringConvertible {
    /// The value: `NULL`, `1`, `1.5`, `"Arthur"`, `Data(2 bytes)`.
    ///
    /// Strings are written as in Swift. For a blob, only the size is shown, unless its 16 bytes look like a UUID:
    /// `UUID(E621E1F8-C36C-495A-93FC-0C247A3E6E5F)`.
    public var description: String {
        switch storage {
        case .null: "NULL"
        case .int64(let value): value.description
        case .double(let value): value.description
        case .string(let value): String(reflecting: value)
        case .blob(let value): value.likelyUUID.map { "UUID(\($0))" } ?? "Data(\(value.count) bytes)"
        }
    }

    /// The storage class: `NULL`, `INTEGER`, `REAL`, `TEXT` or `BLOB`. Messages name it in place of a private value.
    package var storageClassName: String {
        switch storage {
        case .null: "NULL"
        case .int64: "INTEGER"
        case .double: "REAL"
        case .string: "TEXT"
        case .blob: "BLOB"
        }
    }
}

// MARK: - From any value

extension DatabaseValue {
    /// Creates a value from any value that can be bound to a statement.
    ///
    /// - Parameter value: a value that conforms to ``StatementBinding``, or a nil optional. For other values, the result is nil.
    public init?(value: Any) {
        guard let binding = value as? any StatementBinding, let value = try? binding.bindingValue() else {
            return nil
        }
        self = value
    }
}

extension Data {
    /// The standard form of a UUID if the bytes are most likely one, for text that people read: 16 bytes with a version and the variant of
    /// RFC 9562. Of 16 random bytes, one in eight looks like a UUID.
    ///
    /// Source: <https://www.rfc-editor.org/rfc/rfc9562>
    package var likelyUUID: String? {
        guard count == 16, case let bytes = Array(self), (1...8).contains(bytes[6] >> 4), bytes[8] >> 6 == 0b10 else { return nil }
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
