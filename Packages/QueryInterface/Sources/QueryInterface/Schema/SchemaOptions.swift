/// How a table is created.
///
/// ```swift
/// // CREATE TABLE IF NOT EXISTS "country" ("code" TEXT PRIMARY KEY NOT NULL, "name" TEXT) WITHOUT ROWID, STRICT
/// try db.create(table: "country", options: [.ifNotExists, .withoutRowID, .strict]) { t in
///     t.primaryKey("code", .text)
///     t.column("name", .text)
/// }
/// ```
public struct TableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: a table or a view of this name stays as it is.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// `TEMPORARY`: the table is the connection's own, and goes away with it.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// `WITHOUT ROWID`: the rows are stored in the order of the primary key, which the table must have.
    ///
    /// Source: <https://www.sqlite.org/withoutrowid.html>
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// `STRICT`: columns take no values of other types than theirs.
    ///
    /// The types of the columns are `integer`, `real`, `text`, `blob` and `any`, with `jsonText` and `jsonb`, which are
    /// two of these. SQLite refuses other types, among them `double`, `boolean`, `date`, `datetime` and `numeric`, with an
    /// error that names the column. SQLite knows the option since 3.37.
    ///
    /// Source: <https://www.sqlite.org/stricttables.html>
    public static let strict = TableOptions(rawValue: 1 << 3)
}

/// How an index is created.
public struct IndexOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: an index of this name stays as it is.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// `UNIQUE`: no two rows of the index have the same values. NULL is never the same as another NULL.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}

/// How a view is created.
public struct ViewOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: a table or a view of this name stays as it is.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// `TEMPORARY`: the view is the connection's own, and goes away with it. It can read the tables of all databases.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}

/// How a virtual table is created.
public struct VirtualTableOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: a table or a view of this name stays as it is.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// The table is the connection's own, and goes away with it.
    ///
    /// SQL has no `TEMPORARY` for virtual tables: they are created in the database `temp`.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
