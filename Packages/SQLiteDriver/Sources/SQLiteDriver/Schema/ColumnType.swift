extension Database {
    /// A type that a column is declared with.
    ///
    /// SQLite takes any name for a type, and makes an affinity of it: what it would like the values to be.
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

        /// Makes a type from its SQL.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The type `TEXT`.
        public static let text = ColumnType(rawValue: "TEXT")

        /// The type `INTEGER`.
        public static let integer = ColumnType(rawValue: "INTEGER")

        /// The type `DOUBLE`, of REAL affinity.
        public static let double = ColumnType(rawValue: "DOUBLE")

        /// The type `REAL`, the one that `STRICT` tables know.
        public static let real = ColumnType(rawValue: "REAL")

        /// The type `NUMERIC`. SQLite turns a text that looks like a number into one.
        public static let numeric = ColumnType(rawValue: "NUMERIC")

        /// The type `BOOLEAN`, of NUMERIC affinity.
        public static let boolean = ColumnType(rawValue: "BOOLEAN")

        /// The type `BLOB`, which leaves values as they are.
        public static let blob = ColumnType(rawValue: "BLOB")

        /// The type `DATE`, of NUMERIC affinity, which leaves the texts of dates as they are.
        public static let date = ColumnType(rawValue: "DATE")

        /// The type `DATETIME`, of NUMERIC affinity, which leaves the texts of dates as they are.
        public static let datetime = ColumnType(rawValue: "DATETIME")

        /// The type `ANY`, which in `STRICT` tables leaves values as they are.
        public static let any = ColumnType(rawValue: "ANY")

        /// The type `TEXT`, for JSON.
        public static let jsonText = ColumnType(rawValue: "TEXT")

        /// The type `BLOB`, for SQLite's binary form of JSON.
        ///
        /// Source: <https://www.sqlite.org/jsonb.html>
        public static let jsonb = ColumnType(rawValue: "BLOB")
    }

    /// What a value is stored as, and what SQL's `CAST` makes of one.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#storage_classes_and_datatypes>
    public struct StorageClass: RawRepresentable, Hashable, Sendable {
        /// The SQL of the storage class.
        public let rawValue: String

        /// Makes a storage class from its SQL.
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

    /// What happens to the rows that refer to a row, when that one is deleted or its key changes.
    ///
    /// Source: <https://www.sqlite.org/foreignkeys.html#fk_actions>
    public enum ForeignKeyAction: String, CaseIterable, Sendable {
        /// They are deleted, or changed, too.
        case cascade = "CASCADE"
        /// They keep it from being deleted or changed.
        case restrict = "RESTRICT"
        /// They refer to no row any more.
        case setNull = "SET NULL"
        /// They refer to the row that the column's default says.
        case setDefault = "SET DEFAULT"
    }
}
