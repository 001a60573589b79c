/// An order of texts that is written in Swift.
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
/// A collation is added to each connection that is to know it, best where the connection is prepared, or to ``DatabaseRegistry`` for
/// all connections. Every program that
/// writes to a table with an index in this order needs the very same one: an order that changes corrupts the index.
///
/// Source: <https://www.sqlite.org/datatype3.html#collation>
public final class DatabaseCollation: Identifiable, Sendable {
    /// What tells collations apart: their names, whatever the case of ASCII letters.
    public struct ID: Hashable, Sendable {
        let name: SchemaName
    }

    /// How two texts are ordered.
    public enum Ordering: Int, Sendable {
        /// The left one comes first.
        case ascending = -1
        /// They count as equal.
        case same = 0
        /// The right one comes first.
        case descending = 1
    }

    /// The name of the collation in SQL.
    public let name: String

    let function: @Sendable (String, String) -> Ordering

    /// Makes a collation.
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - function: compares two texts. It must be a total order, the same each time:
    ///     <https://www.sqlite.org/c3ref/create_collation.html> has the rules. Invalid UTF-8 is repaired in what it is given.
    public init(_ name: String, function: @escaping @Sendable (String, String) -> Ordering) {
        self.name = name
        self.function = function
    }

    /// What tells the collation apart from others.
    public var id: ID { ID(name: SchemaName(name)) }
}

extension Database {
    /// The name of a collation, as it stands after `COLLATE`.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#collation>
    public struct CollationName: RawRepresentable, Hashable, Sendable {
        /// The name in SQL.
        public let rawValue: String

        /// Makes a collation's name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// `BINARY`: by the bytes of the texts. What SQLite does by default.
        public static let binary = CollationName(rawValue: "BINARY")

        /// `NOCASE`: by the bytes of the texts, after making the ASCII letters lowercase.
        public static let nocase = CollationName(rawValue: "NOCASE")

        /// `RTRIM`: by the bytes of the texts, without the spaces at their ends.
        public static let rtrim = CollationName(rawValue: "RTRIM")
    }
}
