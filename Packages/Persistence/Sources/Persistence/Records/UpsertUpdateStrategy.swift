import QueryInterface

/// The columns that an upsert updates if the row exists, besides those that its `doUpdate` closure assigns.
///
/// ```swift
/// // INSERT … ON CONFLICT("name") DO UPDATE SET "score" = "excluded"."score" …
/// try player.upsert(db, onConflict: ["name"], updating: .columns(["score"]))
///
/// // … WHERE "score" COLLATE BINARY IS NOT "excluded"."score" …
/// try player.upsert(
///     db, onConflict: ["name"], updating: .columns(["score"]).ifChanged)
/// ```
public struct UpsertUpdateStrategy: Hashable, Sendable {
    /// The columns; nil for all that the record encodes.
    let columns: Set<SchemaName>?

    /// Whether rows that have the values already are left alone.
    private(set) var isForChanges = false

    private init(columns: Set<SchemaName>?) {
        self.columns = columns
    }

    /// Updates all columns that the record encodes, except the columns of the primary key and of the conflict target.
    public static let allColumns = UpsertUpdateStrategy(columns: nil)

    /// Updates only the columns that the `doUpdate` closure assigns.
    public static let noColumnUnlessSpecified = UpsertUpdateStrategy(columns: [])

    /// Updates some columns.
    ///
    /// - Parameter names: the names of columns that the record encodes. An upsert with another name throws an error.
    public static func columns(_ names: some Collection<String>) -> UpsertUpdateStrategy {
        UpsertUpdateStrategy(columns: Set(names.map(SchemaName.init)))
    }

    /// Updates some columns: `.columns([Player.Columns.score])`.
    ///
    /// - Parameter columns: columns that the record encodes. An upsert with another column throws an error.
    public static func columns(_ columns: [any NamedColumn]) -> UpsertUpdateStrategy {
        self.columns(columns.map(\.name))
    }

    /// Updates the same columns, but only if at least one assignment changes its column.
    ///
    /// ```swift
    /// // Importing the same file again changes no row, and runs no trigger.
    /// try players.upsertAll(db, onConflict: ["name"], updating: .allColumns.ifChanged)
    /// ```
    ///
    /// Strings are compared byte by byte, regardless of the collation of their column, and NULL equals NULL. The integer 1 equals the real
    /// 1.0, as in all comparisons of SQLite.
    ///
    /// What is compared is the stored value with what the record writes. If they are the same date, UUID or number in two forms, such as
    /// '2026-11-28 10:00:00' and '2026-11-28 10:00:00.000', the row is updated, and from then on has the form that the record writes.
    public var ifChanged: UpsertUpdateStrategy {
        changed(self) { $0.isForChanges = true }
    }
}

/// The effect of an upsert on its row.
public enum UpsertOutcome: Hashable, Sendable {
    /// The row was inserted.
    case inserted
    /// An existing row was updated.
    case updated
    /// Nothing was written: a condition of the update is not true for the existing row, or a trigger or a constraint with `ON CONFLICT
    /// IGNORE` has left out the row.
    case unchanged
}
