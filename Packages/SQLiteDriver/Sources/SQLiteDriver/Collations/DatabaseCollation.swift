/// A collation: an order of strings that is written in Swift.
///
/// ```swift
/// let byLength = DatabaseCollation("by_length") { lhs, rhs in
///     lhs.count < rhs.count ? .ascending : lhs.count == rhs.count ? .same : .descending
/// }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in
///     db.add(collation: byLength)
/// }
/// // SELECT name FROM player ORDER BY name COLLATE by_length
/// ```
///
/// Add a collation to each connection that uses it, best in ``Configuration/prepareDatabase(_:)``, or to ``DatabaseRegistry`` for
/// all connections. Every program that writes to a table with an index in this order needs exactly the same collation: a
/// different order corrupts the index.
///
/// Source: <https://www.sqlite.org/datatype3.html#collation>
public final class DatabaseCollation: Identifiable, Sendable {
    /// The identity of a collation: its name, regardless of the case of ASCII letters.
    public struct ID: Hashable, Sendable {
        let name: SchemaName
    }

    /// The order of two strings.
    public enum Ordering: Int, Sendable {
        /// The left one comes first.
        case ascending = -1
        /// The two are equal.
        case same = 0
        /// The right one comes first.
        case descending = 1
    }

    /// The name of the collation in SQL.
    public let name: String

    let function: @Sendable (String, String) -> Ordering

    /// Creates a collation.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - function: compares two strings. It must be a total order that never changes:
    ///     <https://www.sqlite.org/c3ref/create_collation.html> has the rules. Invalid UTF-8 in its arguments is repaired.
    public init(_ name: String, function: @escaping @Sendable (String, String) -> Ordering) {
        self.name = name
        self.function = function
    }

    /// The identity of the collation: its name.
    public var id: ID { ID(name: SchemaName(name)) }
}

extension Database {
    /// The name of a collation, as written after `COLLATE`.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#collation>
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Creates a collation's name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `BINARY`: compares the bytes of the strings. It is SQLite's default.
        public static let binary = CollationName(rawValue: "BINARY")

        /// `NOCASE`: compares the bytes of the strings, with ASCII letters in lowercase.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// `RTRIM`: compares the bytes of the strings, ignoring spaces at their ends.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
