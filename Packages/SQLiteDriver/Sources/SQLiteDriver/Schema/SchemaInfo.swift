/// A column of a table or a view, as the schema describes it.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct ColumnInfo: Sendable, Hashable {
    /// The column's name.
    public let name: String

    /// The column's declared type, empty if it has none.
    public let type: String

    /// Whether the column is declared NOT NULL.
    public let isNotNull: Bool

    /// The SQL of the column's default value, or nil.
    public let defaultValueSQL: String?

    /// The column's place in the primary key, from 1, or 0 for a column that is no part of it.
    public let primaryKeyIndex: Int

    /// Whether the column is generated from others, and so can't be written.
    public let isGenerated: Bool

    /// Makes the description of a column.
    ///
    /// - Parameters:
    ///   - name: the column's name.
    ///   - type: its declared type, empty if it has none.
    ///   - isNotNull: whether it is declared NOT NULL.
    ///   - defaultValueSQL: the SQL of its default value.
    ///   - primaryKeyIndex: its place in the primary key, from 1, or 0.
    ///   - isGenerated: whether it is generated from others.
    public init(
        name: String, type: String, isNotNull: Bool = false, defaultValueSQL: String? = nil, primaryKeyIndex: Int = 0,
        isGenerated: Bool = false
    ) {
        self.name = name
        self.type = type
        self.isNotNull = isNotNull
        self.defaultValueSQL = defaultValueSQL
        self.primaryKeyIndex = primaryKeyIndex
        self.isGenerated = isGenerated
    }
}

/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable, Hashable {
    /// The columns of the primary key, in its order; `rowid` for a table that declares none, or another of SQLite's names for
    /// the row id where a column has taken that one.
    public let columns: [String]

    /// The column that stands for the row id: an `INTEGER PRIMARY KEY`. Nil when the row id has no column, or there is none.
    public let rowIDColumn: String?

    /// Whether the primary key is the row id, under a name of its own or hidden.
    public let isRowID: Bool

    /// Whether the table has row ids: false for `WITHOUT ROWID` tables and for views.
    public let tableHasRowID: Bool

    /// A name for the row id in SQL: that of its column, or one of SQLite's three that no column has taken; nil without row ids.
    public let rowIDName: String?
}

/// An index of a table.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_index_list>
public struct IndexInfo: Sendable, Hashable {
    /// The index's name.
    public let name: String

    /// The indexed columns, in order, without those that are expressions.
    public let columns: [String]

    /// Whether the index allows no two rows with the same values.
    public let isUnique: Bool

    /// How the index came to be.
    public let origin: Origin

    /// Whether the index holds only the rows that its `WHERE` clause lets in.
    ///
    /// Source: <https://www.sqlite.org/partialindex.html>
    public let isPartial: Bool

    /// Whether expressions are indexed, besides the ``columns`` or instead of them.
    ///
    /// Source: <https://www.sqlite.org/expridx.html>
    public let hasExpressions: Bool

    /// How an index came to be.
    public struct Origin: RawRepresentable, Hashable, Sendable {
        /// SQLite's abbreviation.
        public let rawValue: String

        /// Makes an origin from SQLite's abbreviation.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// By a `CREATE INDEX` statement: "c".
        public static let createIndex = Origin(rawValue: "c")

        /// By a `PRIMARY KEY` constraint: "pk".
        public static let primaryKeyConstraint = Origin(rawValue: "pk")

        /// By a `UNIQUE` constraint: "u".
        public static let uniqueConstraint = Origin(rawValue: "u")
    }
}

/// A foreign key of a table.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_foreign_key_list>
public struct ForeignKeyInfo: Sendable, Hashable {
    /// A number that tells the table's foreign keys apart.
    public let id: Int

    /// The table that the foreign key refers to.
    public let destinationTable: String

    /// The columns on both sides, in the order of the declaration.
    public let mapping: [Pair]

    /// What happens to the rows that refer to a row that is deleted, nil for nothing: then the deletion fails, unless the
    /// constraint holds again at the end of the statement, or of the transaction if it is deferred.
    public let deleteAction: Database.ForeignKeyAction?

    /// What happens to the rows that refer to a row whose key changes, nil for nothing.
    public let updateAction: Database.ForeignKeyAction?

    /// The columns of the table that has the foreign key.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The columns of the table that the foreign key refers to.
    public var destinationColumns: [String] { mapping.map(\.destination) }

    /// A column and the one that it refers to.
    public struct Pair: Sendable, Hashable {
        /// The column of the table that has the foreign key.
        public let origin: String
        /// The column of the table that it refers to.
        public let destination: String

        /// Makes a pair of column names.
        public init(origin: String, destination: String) {
            self.origin = origin
            self.destination = destination
        }
    }
}
