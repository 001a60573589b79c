import RecordGenerator
import Strata

/// The description of a table or a view in `schema` and `show`.
struct TableDescription {
    /// The columns, with a title line.
    let columns: TextTable

    /// The keys, the conditions of CHECK constraints and the indexes, each with a label.
    let keys: [(label: String, text: String)]

    init(_ db: Database, _ object: SchemaObject) throws {
        var table = TextTable("Column", "Type", "Not null", "Default", "Primary key")
        for column in try db.columns(in: object.name, in: "main") {
            table.add(
                column.name.withoutControlCharacters, column.type.withoutControlCharacters, column.isNotNull ? "not null" : "",
                column.isGenerated ? "generated" : (column.defaultValueSQL ?? "").withoutControlCharacters.truncated(toWidth: 40),
                column.primaryKeyIndex == 0 ? "" : "\(column.primaryKeyIndex)")
        }
        columns = table
        keys = object.kind == .table ? try Self.keys(db, object) : []
    }

    /// The lines of the keys, with their labels aligned.
    var keyLines: [String] {
        let width = keys.map(\.label.count).max() ?? 0
        return keys.map { label, text in label.padded(toWidth: width + 3) + text }
    }

    private static func keys(_ db: Database, _ object: SchemaObject) throws -> [(label: String, text: String)] {
        func list(_ names: [String]) -> String { names.map(\.withoutControlCharacters).joined(separator: ", ") }

        var lines: [(label: String, text: String)] = []
        let key = try db.primaryKey(object.name, in: "main")
        if key.isRowID, key.rowIDColumn == nil {
            lines.append(("Primary key", "only the hidden row ID"))
        } else {
            lines.append(("Primary key", list(key.columns) + (key.tableHasRowID ? "" : ", WITHOUT ROWID")))
        }
        for foreignKey in try db.foreignKeys(on: object.name, in: "main") {
            let destination = "\(foreignKey.destinationTable.withoutControlCharacters) (\(list(foreignKey.destinationColumns)))"
            lines.append(("Foreign key", "\(list(foreignKey.originColumns)) → \(destination)\(foreignKey.actions)"))
        }
        let sql = try String.fetchOne(
            db, sql: "SELECT sql FROM main.sqlite_master WHERE type = 'table' AND name = ?", arguments: [object.name])
        for (name, condition) in CommentedSQL.checks(sql ?? "") {
            lines.append(("Check", (name.map { "\($0) (\(condition))" } ?? condition).withoutControlCharacters))
        }
        for index in try db.indexes(on: object.name, in: "main") {
            let columns = index.columns.isEmpty ? "an expression" : list(index.columns) + (index.hasExpressions ? ", an expression" : "")
            let condition = index.isPartial ? ", of some rows" : ""
            lines.append((index.isUnique ? "Unique index" : "Index", "\(index.name.withoutControlCharacters) (\(columns))\(condition)"))
        }
        return lines
    }
}

extension ForeignKeyInfo {
    /// The action on referring rows when a row is deleted or its key changes, if any.
    fileprivate var actions: String {
        (deleteAction.map { ", on delete \($0.rawValue.lowercased())" } ?? "")
            + (updateAction.map { ", on update \($0.rawValue.lowercased())" } ?? "")
    }
}
