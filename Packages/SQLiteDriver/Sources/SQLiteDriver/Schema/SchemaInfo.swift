/// A column of a table or a view.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_table_xinfo>
public struct ColumnInfo: Sendable, Hashable {
    /// The column's name.
    public let name: String

    /// The column's declared type; empty if it has none.
    public let type: String

    /// Whether the column is declared NOT NULL.
    public let isNotNull: Bool

    /// The SQL of the column's default value, or nil.
    public let defaultValueSQL: String?

    /// The column's position in the primary key, from 1; 0 for other columns.
    public let primaryKeyIndex: Int

    /// Whether the column is generated from other columns, and can't be written.
    public let isGenerated: Bool

    /// Creates a column description.
    ///
    /// - Parameters:
    ///   - name: the column's name.
    ///   - type: the declared type; empty for none.
    ///   - isNotNull: whether the column is declared NOT NULL.
    ///   - defaultValueSQL: the SQL of the default value.
    ///   - primaryKeyIndex: the position in the primary key, from 1; 0 for other columns.
    ///   - isGenerated: whether the column is generated from other columns.
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
    /// The columns of the primary key, in its order. A table without a declared key has `rowid`, or another name of the row ID if a
    /// column has that name.
    public let columns: [String]

    /// The column that is the row ID: an `INTEGER PRIMARY KEY`. Nil if the row ID has no column, and for tables without row IDs.
    public let rowIDColumn: String?

    /// Whether the primary key is the row ID, with a column or hidden.
    public let isRowID: Bool

    /// Whether the table has row IDs: false for `WITHOUT ROWID` tables and for views.
    public let tableHasRowID: Bool

    /// A name of the row ID in SQL: its column, or one of SQLite's three names that no column has; nil without row IDs.
    public let rowIDName: String?
}

/// An index of a table.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_index_list>
public struct IndexInfo: Sendable, Hashable {
    /// The index's name.
    public let name: String

    /// The indexed columns, in order, without indexed expressions.
    public let columns: [String]

    /// Whether the index is unique.
    public let isUnique: Bool

    /// The origin of the index.
    public let origin: Origin

    /// Whether the index is partial: its `WHERE` clause selects the rows that it contains.
    ///
    /// Source: <https://www.sqlite.org/partialindex.html>
    public let isPartial: Bool

    /// Whether the index contains expressions.
    ///
    /// Source: <https://www.sqlite.org/expridx.html>
    public let hasExpressions: Bool

    /// The origin of an index.
    public struct Origin: RawRepresentable, Hashable, Sendable {
        /// SQLite's abbreviation.
        public let rawValue: String

        /// Creates an origin from SQLite's abbreviation.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A `CREATE INDEX` statement: "c".
        public static let createIndex = Origin(rawValue: "c")

        /// A `PRIMARY KEY` constraint: "pk".
        public static let primaryKeyConstraint = Origin(rawValue: "pk")

        /// A `UNIQUE` constraint: "u".
        public static let uniqueConstraint = Origin(rawValue: "u")
    }
}

/// A foreign key of a table.
///
/// Source: <https://www.sqlite.org/pragma.html#pragma_foreign_key_list>
public struct ForeignKeyInfo: Sendable, Hashable {
    /// A number that identifies the foreign key in its table.
    public let id: Int

    /// The table that the foreign key refers to.
    public let destinationTable: String

    /// The columns on both sides, in the order of the declaration.
    let pairs: [Pair]

    /// The columns on both sides, in the order of the declaration.
    ///
    /// ```swift
    /// for foreignKey in try db.foreignKeys(on: "player") {
    ///     for (origin, destination) in foreignKey.mapping {
    ///         print("\(origin) refers to \(destination)")
    ///     }
    /// }
    /// ```
    public var mapping: [(origin: String, destination: String)] { pairs.map { ($0.origin, $0.destination) } }

    /// The action on the referring rows when a row is deleted. Nil for no action: the deletion fails, unless the constraint holds again at
    /// the end of the statement, or of the transaction if the foreign key is deferred.
    public let deleteAction: Database.ForeignKeyAction?

    /// The action on the referring rows when the key of a row changes; nil for no action.
    public let updateAction: Database.ForeignKeyAction?

    /// The columns of the table that has the foreign key.
    public var originColumns: [String] { pairs.map(\.origin) }

    /// The columns of the table that the foreign key refers to.
    public var destinationColumns: [String] { pairs.map(\.destination) }

    /// A column of a foreign key, and the column that it refers to.
    struct Pair: Sendable, Hashable {
        let origin: String
        let destination: String
    }
}
