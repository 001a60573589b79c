/// The triggers that apply each change of the content to an FTS5 or FTS4 table.
///
/// The index does not store text: to remove a row, it needs the text that it indexed. Two things hide it:
///
/// - A REPLACE deletes rows without calling DELETE triggers, unless `PRAGMA recursive_triggers` is on.
/// - Of two triggers for the same event, SQLite runs either first. When a trigger below runs, another trigger may have changed, deleted or
///   replaced the row already.
///
/// Before a row changes, a trigger therefore copies it into a table, with the rows that conflict with the new row. The copy of an indexed row
/// has the text that the index has, whatever the content has become. After the change, a trigger removes the copied text from the index
/// if they are no longer those of the content, and adds what the content then has. Which rows are indexed is known from the table of their
/// sizes: a new row that another trigger has changed is then not added twice, and one that it has deleted is not added at all.
///
/// If the statement had no effect (`OR IGNORE`), the copies are the same as the rows, and a later insertion deletes them.
///
/// Statements of a trigger follow the conflict resolution of the statement that fires it; `ON CONFLICT DO NOTHING` is independent of it. A
/// statement that inserts into a table that the trigger has read before collects its rows in a temporary table, which takes as long as all
/// the rest: insertions without conflicts have a trigger of their own.
struct SynchronizationTriggers {
    private let content: ContentTable
    private let isFTS5: Bool
    private let hasSizes: Bool

    /// Whether the index has generated columns: in BEFORE UPDATE triggers, SQLite computes them from only those columns that the triggers name.
    private let hasGeneratedColumns: Bool

    /// The quoted columns of the index, of the content, and of the copies.
    private let columns: [String]
    private let contentColumns: [String]
    private let copies: [String]

    private let fts: String
    private let sizes: String
    private let replaced: String
    private let source: String
    private let rowID: String

    /// - Parameters:
    ///   - columns: the columns of the index.
    ///   - contentColumns: the columns of the content with their text.
    init(
        _ content: ContentTable, isFTS5: Bool, columns: [String], contentColumns: [String], in db: Database
    ) throws {
        self.content = content
        self.isFTS5 = isFTS5
        self.columns = columns.map(\.quotedDatabaseIdentifier)
        self.contentColumns = contentColumns.map(\.quotedDatabaseIdentifier)
        let sizes = "\(content.index)_docsize"
        hasSizes = try db.tableExists(sizes, in: content.schema)
        hasGeneratedColumns = contentColumns.contains { content.generatedColumns.contains(SchemaName($0)) }
        self.sizes = sizes.quotedDatabaseIdentifier
        fts = content.index.quotedDatabaseIdentifier
        replaced = content.names.replaced.quotedDatabaseIdentifier
        copies = columns.indices.map { "\(content.names.replaced.quotedDatabaseIdentifier).\"c\($0)\"" }
        source = content.sql
        rowID = content.rowID
    }

    var all: [ContentTable.Trigger] {
        let others = "\(rowID) <> old.\(rowID) AND (\(content.conflict))"
        let change = (["old.\(rowID) <> new.\(rowID)"] + contentColumns.map { "CAST(old.\($0) AS BLOB) IS NOT CAST(new.\($0) AS BLOB)" })
            .joined(separator: " OR ")
        return [
            content.trigger(
                "bi", "BEFORE INSERT", when: content.hasConflict, ["DELETE FROM \(replaced) WHERE \(isEqual)"] + keep(content.conflict)),
            content.trigger(
                "bu", "BEFORE UPDATE", when: hasGeneratedColumns ? nil : "\(change) OR \(content.hasConflictWithOthers)",
                [keepOld] + keep(others)),
        ] + (hasSizes ? triggersWithSizes : triggersWithoutSizes)
    }

    private var triggersWithSizes: [ContentTable.Trigger] {
        let isIndexed = self.isIndexed("\(replaced).\"id\"")
        let updated = "\"id\" IN (old.\(rowID), new.\(rowID))"
        let isPending = "EXISTS (SELECT 1 FROM \(replaced))"
        return [
            content.trigger(
                "ai", "AFTER INSERT", when: "NOT \(self.isIndexed("new.\(rowID)")) AND new.\(rowID) IN (SELECT \(rowID) FROM \(source))",
                ["INSERT INTO \(fts) (\(list)) VALUES (\(values("new")))"]),
            content.trigger(
                "ar", "AFTER INSERT", when: isPending,
                [
                    remove("(\"id\" = new.\(rowID) AND NOT \(isEqual) OR \(content.isGone)) AND \(isIndexed)"),
                    "\(clear("\"id\" = new.\(rowID)")) OR \(isEqual)", add,
                ]),
            content.trigger(
                "au", "AFTER UPDATE", when: "\(isPending) OR old.\(rowID) <> new.\(rowID)",
                [
                    remove("(\(updated) AND NOT \(isEqual) OR \(content.isGone)) AND \(isIndexed)"), clear(updated),
                    add,
                ]),
            content.trigger(
                "ad", "AFTER DELETE",
                isFTS5
                    ? [
                        remove("\"id\" = old.\(rowID) AND \(isIndexed)"),
                        "\(deletion) SELECT 'delete', \(values("old")) WHERE \(self.isIndexed("old.\(rowID)"))", clear("0"),
                    ]
                    : [keepOld, "DELETE FROM \(fts) WHERE \"docid\" = old.\(rowID) AND \(self.isIndexed("old.\(rowID)"))", clear("0")]),
        ]
    }

    /// Without sizes, a row that was just inserted is not known to be missing from the index.
    private var triggersWithoutSizes: [ContentTable.Trigger] {
        let inserted = "\"id\" = new.\(rowID) OR \(content.isGone)"
        let own = "\"id\" IN (old.\(rowID), new.\(rowID)) AND (old.\(rowID) <> new.\(rowID) OR NOT \(isEqual))"
        let updated = "\(own) OR \(content.isGone)"
        let isMoved = "old.\(rowID) <> new.\(rowID)"
        return [
            content.trigger(
                "ai", "AFTER INSERT",
                [remove(inserted), "\(addition) WHERE \(rowID) = new.\(rowID)", "DELETE FROM \(replaced) WHERE \(inserted)"]),
            content.trigger(
                "au", "AFTER UPDATE", when: "EXISTS (SELECT 1 FROM \(replaced)) OR \(isMoved)",
                [
                    remove(updated),
                    "\(addition) WHERE \(rowID) = new.\(rowID) AND (\(isMoved) OR EXISTS (SELECT 1 FROM \(replaced) WHERE \(own)))",
                    "DELETE FROM \(replaced) WHERE \(updated)",
                ]),
            content.trigger(
                "ad", "AFTER DELETE",
                [
                    keepOld, isFTS5 ? remove("\"id\" = old.\(rowID)") : "DELETE FROM \(fts) WHERE \"docid\" = old.\(rowID)",
                    "DELETE FROM \(replaced) WHERE \"id\" = old.\(rowID)",
                ]),
        ]
    }

    // MARK: - Parts

    private var list: String { ([isFTS5 ? "\"rowid\"" : "\"docid\""] + columns).joined(separator: ", ") }

    private func values(_ row: String) -> String { ([rowID] + contentColumns).map { "\(row).\($0)" }.joined(separator: ", ") }

    private var contentValues: String { ([rowID] + contentColumns).joined(separator: ", ") }

    private var addition: String { "INSERT INTO \(fts) (\(list)) SELECT \(contentValues) FROM \(source)" }

    private var deletion: String { "INSERT INTO \(fts) (\(fts), \(list))" }

    /// Compares the bytes that were indexed: 1 and 1.0 are equal values, and 'a' and 'A' may be.
    private var isEqual: String {
        let columns = zip(contentColumns, copies).map { "CAST(\($0) AS BLOB) IS CAST(\($1) AS BLOB)" }
        let conditions = (["\(rowID) = \(replaced).\"id\""] + columns).joined(separator: " AND ")
        return "EXISTS (SELECT 1 FROM \(source) WHERE \(conditions))"
    }

    /// Without the sign, SQLite may read all sizes to find the rows.
    private func isIndexed(_ id: String) -> String { "+\(id) IN (SELECT \(isFTS5 ? "\"id\"" : "\"docid\"") FROM \(sizes))" }

    /// Copies rows of the content, which are then indexed.
    ///
    /// A row that a statement around this one has just inserted may not be indexed yet. It is added first: otherwise a trigger that updates
    /// it after this copy, and before the REPLACE, would add it unseen.
    private func keep(_ condition: String) -> [String] {
        let copy = "INSERT INTO \(replaced) SELECT \(contentValues) FROM \(source) WHERE (\(condition)) ON CONFLICT DO NOTHING"
        return (hasSizes ? ["\(addition) WHERE (\(condition)) AND NOT \(isIndexed(rowID))"] : []) + [copy]
    }

    /// Copies the row that is updated or deleted.
    private var keepOld: String { "INSERT INTO \(replaced) VALUES (\(values("old"))) ON CONFLICT DO NOTHING" }

    /// Deletes copies of rows that are not in the index: of rows that meet the condition, and of those that are gone. The copies of other rows
    /// may belong to statements around this one, whose triggers have not run yet.
    private func clear(_ condition: String) -> String {
        "DELETE FROM \(replaced) WHERE (\(condition) OR \(content.isGone)) AND NOT \(isIndexed("\(replaced).\"id\""))"
    }

    /// Removes the text of copies from the index.
    private func remove(_ condition: String) -> String {
        isFTS5
            ? "\(deletion) SELECT 'delete', \"id\", \(copies.joined(separator: ", ")) FROM \(replaced) WHERE \(condition)"
            : "DELETE FROM \(fts) WHERE \"docid\" IN (SELECT \"id\" FROM \(replaced) WHERE \(condition))"
    }

    /// Adds the row that was written to the index, unless it is there, or was deleted meanwhile.
    private var add: String { "\(addition) WHERE \(rowID) = new.\(rowID) AND NOT \(isIndexed("new.\(rowID)"))" }
}
