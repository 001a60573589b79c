/// Options for creating a table.
///
/// ```swift
/// // CREATE TABLE IF NOT EXISTS "country"
/// // ("code" TEXT PRIMARY KEY NOT NULL, "name" TEXT) WITHOUT ROWID, STRICT
/// try db.create(
///     table: "country", options: [.ifNotExists, .withoutRowID, .strict]
/// ) { t in
///     t.primaryKey("code", .text)
///     t.column("name", .text)
/// }
/// ```
public struct TableOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: does nothing if a table or a view with this name exists.
    public static let ifNotExists = TableOptions(rawValue: 1 << 0)

    /// `TEMPORARY`: the table belongs to the connection, and is removed when the connection is closed.
    public static let temporary = TableOptions(rawValue: 1 << 1)

    /// `WITHOUT ROWID`: the table stores its rows in the order of the primary key, which it must have.
    ///
    /// Source: <https://www.sqlite.org/withoutrowid.html>
    public static let withoutRowID = TableOptions(rawValue: 1 << 2)

    /// `STRICT`: columns accept only values of their type.
    ///
    /// Columns can have the types `integer`, `real`, `text`, `blob` and `any`, and `jsonText` and `jsonb`, which are two of these.
    /// SQLite rejects other types, such as `double`, `boolean`, `date`, `datetime` and `numeric`, with an error that names the column.
    /// The option requires SQLite 3.37.
    ///
    /// Source: <https://www.sqlite.org/stricttables.html>
    public static let strict = TableOptions(rawValue: 1 << 3)
}

/// Options for creating an index.
public struct IndexOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: does nothing if an index with this name exists.
    public static let ifNotExists = IndexOptions(rawValue: 1 << 0)

    /// `UNIQUE`: the indexed values must be unique. NULLs are always distinct from each other.
    public static let unique = IndexOptions(rawValue: 1 << 1)
}

/// Options for creating a view.
public struct ViewOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: does nothing if a table or a view with this name exists.
    public static let ifNotExists = ViewOptions(rawValue: 1 << 0)

    /// `TEMPORARY`: the view belongs to the connection, and is removed when the connection is closed. It can read the tables of all
    /// databases.
    public static let temporary = ViewOptions(rawValue: 1 << 1)
}

/// Options for creating a virtual table.
public struct VirtualTableOptions: OptionSet, Sendable {
    /// The bits of the options.
    public let rawValue: Int

    /// Creates options from their bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `IF NOT EXISTS`: does nothing if a table or a view with this name exists.
    public static let ifNotExists = VirtualTableOptions(rawValue: 1 << 0)

    /// The table belongs to the connection, and is removed when the connection is closed.
    ///
    /// SQL has no `TEMPORARY` for virtual tables: they are created in the database `temp`.
    public static let temporary = VirtualTableOptions(rawValue: 1 << 1)
}
