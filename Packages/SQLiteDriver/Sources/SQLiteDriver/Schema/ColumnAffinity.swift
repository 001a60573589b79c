/// The affinity of a column, which decides how SQLite converts values before it stores them.
///
/// Source: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
package enum ColumnAffinity: Sendable {
    /// Integers stay integers, and strings that look like integers become integers.
    case integer
    /// Numbers become strings.
    case text
    /// Values stay as they are.
    case blob
    /// Numbers, and strings that look like numbers, become reals.
    case real
    /// Strings that look like numbers become numbers.
    case numeric

    /// Returns the affinity of a column.
    ///
    /// - Parameters:
    ///   - type: the declared type of the column; empty if there is none.
    ///   - isStrict: whether the table is `STRICT`.
    package init(_ type: String, isStrict: Bool) {
        let type = type.uppercased()
        let isUntyped = type.isEmpty || isStrict && type == "ANY"
        self = isUntyped ? .blob : Self.words.first { type.contains($0.word) }?.affinity ?? .numeric
    }

    /// The words of types, and the affinities that they give, in the order in which SQLite looks for them.
    private static let words: [(word: String, affinity: ColumnAffinity)] = [
        ("INT", .integer), ("CHAR", .text), ("CLOB", .text), ("TEXT", .text), ("BLOB", .blob), ("REAL", .real), ("FLOA", .real),
        ("DOUB", .real),
    ]
}

extension Database {
    /// Returns whether a table is `STRICT`. SQLite before 3.37 has no such tables.
    ///
    /// The SQL is `PRAGMA table_list`.
    ///
    /// Source: <https://www.sqlite.org/stricttables.html>
    ///
    /// - Parameters:
    ///   - name: the name of a table.
    ///   - schema: "main", "temp", or the name of an attached database.
    /// - Throws: ``DatabaseError``.
    package func isStrictTable(_ name: String, in schema: String) throws -> Bool {
        let query = InternalQuery("PRAGMA \(schema.quotedDatabaseIdentifier).table_list(\(name.quotedDatabaseIdentifier))")
        return try query.first(in: self) { $0.compiledColumnCount > 5 && $0.int64(at: 5) == 1 } ?? false
    }
}

extension Database {
    /// The declared type of a column.
    ///
    /// SQLite accepts any type name, and derives an affinity from it: the storage class that it prefers for the column's values.
    ///
    /// ```swift
    /// Database.ColumnType.text
    /// Database.ColumnType(rawValue: "VARCHAR(100)")
    /// ```
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
    public struct ColumnType: RawRepresentable, Hashable, Sendable {
        /// The SQL of the type.
        public let rawValue: String

        /// Creates a type from its SQL.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The type `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")

        /// The type `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")

        /// The type `DOUBLE`, of REAL affinity. `STRICT` tables get a `REAL` instead.
        public static let double = ColumnType(rawValue: "DOUBLE")

        /// The type `REAL`, which `STRICT` tables accept.
        public static let real = ColumnType(rawValue: "REAL")

        /// The type `NUMERIC`, of NUMERIC affinity: SQLite converts TEXT that looks like a number into a number.
        public static let numeric = ColumnType(rawValue: "NUMERIC")

        /// The type `BOOLEAN`, of NUMERIC affinity. `STRICT` tables get an `INTEGER` instead.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")

        /// The type `BLOB`, of BLOB affinity: SQLite converts no values.
        public static let blob = ColumnType(rawValue: "BLOB")

        /// The type `DATE`, of NUMERIC affinity, which leaves dates stored as TEXT unchanged. `STRICT` tables get a `TEXT` instead; for dates
        /// that are stored as numbers, choose `.integer` or `.real`.
        public static let date = ColumnType(rawValue: "DATE")

        /// The type `DATETIME`, of NUMERIC affinity, which leaves dates stored as TEXT unchanged. `STRICT` tables get a `TEXT` instead; for
        /// dates that are stored as numbers, choose `.integer` or `.real`.
        public static let datetime = ColumnType(rawValue: "DATETIME")

        /// The type `ANY`: in `STRICT` tables, SQLite converts no values of such a column.
        public static let any = ColumnType(rawValue: "ANY")

        /// The type `UUID`, for UUIDs that are stored as 16 bytes, or as strings: SQLite changes neither. `STRICT` tables have no such type,
        /// and get a `BLOB` instead.
        public static let uuid = ColumnType(rawValue: "UUID")

        /// The type `TEXT`, for UUIDs that are stored as strings, also in `STRICT` tables.
        public static let uuidText = ColumnType(rawValue: "TEXT")

        /// The type `TEXT`, for JSON.
        public static let jsonText = ColumnType(rawValue: "TEXT")

        /// The type `BLOB`, for SQLite's binary form of JSON.
        ///
        /// Source: <https://www.sqlite.org/jsonb.html>
        public static let jsonb = ColumnType(rawValue: "BLOB")
    }

    /// The storage class of a value, and the target of SQL's `CAST`.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The SQL of the storage class.
        public let rawValue: String

        /// Creates a storage class from its SQL.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The storage class `INTEGER`.
        public static let integer = StorageClass(rawValue: "INTEGER")

        /// The storage class `REAL`.
        public static let real = StorageClass(rawValue: "REAL")

        /// The storage class `TEXT`.
        public static let text = StorageClass(rawValue: "TEXT")

        /// The storage class `BLOB`.
        public static let blob = StorageClass(rawValue: "BLOB")
    }

    /// The action on referring rows when the row they refer to is deleted, or its key changes.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html#fk_actions>
    public enum ForeignKeyAction: String, CaseIterable, Sendable {
        /// SQLite deletes the referring rows, or changes their foreign keys.
        case cascade = "CASCADE"
        /// The referring rows prevent the deletion or the change.
        case restrict = "RESTRICT"
        /// SQLite sets the foreign key columns to NULL.
        case setNull = "SET NULL"
        /// SQLite sets the foreign key columns to their default values.
        case setDefault = "SET DEFAULT"
    }
}
