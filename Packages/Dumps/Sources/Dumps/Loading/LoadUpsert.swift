/// By which columns a load finds the rows that it updates, instead of inserting records.
///
/// ```swift
/// // id,score
/// // 1,550
/// try db.load(.csv(.file(url)), into: "player", upsert: .byKey)
/// // INSERT INTO "player" ("id", "score") VALUES (?, ?)
/// //     ON CONFLICT ("id") DO UPDATE SET "score" = excluded."score"
/// ```
///
/// A row with the same values in these columns gets the values of the record. Columns that the file or the object lacks keep their values;
/// ``Database/ConflictResolution/replace`` would delete the row, and insert one without them. A record without such a row is inserted.
///
/// Source: <https://www.sqlite.org/lang_upsert.html>
public struct LoadUpsert: Sendable {
    /// The columns; nil for those of the primary key.
    private let columns: [String]?

    /// The columns of the primary key.
    public static let byKey = LoadUpsert(columns: nil)

    /// The columns of a unique index, or of the primary key.
    ///
    /// - Parameter columns: the columns, regardless of case. Each record must have them.
    public static func by(_ columns: [String]) -> LoadUpsert { LoadUpsert(columns: columns) }

    /// Returns the columns of a table.
    ///
    /// - Throws: ``LoadError`` if the table has no primary key.
    func columns(_ db: Database, _ table: String) throws -> [String] {
        if let columns { return columns }
        let key = try db.tableExists(table) ? db.primaryKey(table) : nil
        guard let key, !key.isRowID || key.rowIDColumn != nil else {
            throw LoadError(
                line: 1, column: nil, message: "the table \(table.debugDescription) has no primary key",
                advice: "Name the columns of a unique index.")
        }
        return key.columns
    }
}

/// What happens to records that are in the table already.
struct ConflictRule: Sendable {
    let resolution: Database.ConflictResolution?
    let upsert: LoadUpsert?
}
