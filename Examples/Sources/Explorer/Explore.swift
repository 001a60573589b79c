import ExampleSupport
import Foundation
import SQLiteDriver

/// The greatest width of a table in columns of the terminal. A wider table is printed with rows and columns exchanged.
private let widthOfScreen = 120

/// Prints the content of a database.
func explore(_ db: Database, path: String) throws {
    let objects = try schemaObjects(db)
    let shown = objects.filter { !$0.isInternal }
    print("\(URL(fileURLWithPath: path).lastPathComponent.withoutControlCharacters)\n")
    guard !shown.isEmpty else {
        print("The database has no tables and no views.")
        return
    }

    var table = TextTable("Name", "Kind", .right("Columns"), .right("Rows"))
    var counts: [String: String] = [:]
    for object in shown {
        let columns = try attempt(object) { "\(try db.columns(in: object.name, in: "main").count)" }
        let count = try attempt(object) { try rowCount(db, object) }
        counts[object.name] = count.value ?? "?"
        table.add(object.title, object.kind.description, columns.value ?? "?", count.value ?? "?")
    }
    print("\(table)\n")
    let left = objects.filter(\.isInternal).map(\.title)
    if !left.isEmpty {
        print("Left out, as SQLite's own: \(left.joined(separator: ", "))\n")
    }
    for object in shown {
        print("━━━ \(object.title) ━━━ \(object.kind), rows: \(counts[object.name] ?? "?")\n")
        // A view of a table that does not exist, or a virtual table without its module, prints a problem, and does not end the program.
        if let problem = try attempt(object, { try explore(db, object) }).problem {
            print("It can't be read: \(problem)\n")
        }
    }
    print("Texts are in quotes where they could be taken for something else: NULL is NULL, 'NULL' and '' are texts.")
}

private func explore(_ db: Database, _ object: SchemaObject) throws {
    let columns = try db.columns(in: object.name, in: "main")
    let isTable = object.kind == .table
    var table = TextTable("Column", "Type", "Not null", "Default", "Primary key")
    for column in columns {
        table.add(
            column.name.withoutControlCharacters, column.type.withoutControlCharacters, column.isNotNull ? "not null" : "",
            column.isGenerated ? "generated" : (column.defaultValueSQL ?? "").withoutControlCharacters.shortened(toWidth: 40),
            column.primaryKeyIndex == 0 ? "" : "\(column.primaryKeyIndex)")
    }
    print("\(table)\n")
    if isTable {
        try showKeys(db, object)
    }
    try showFirstRows(db, object)
}

// MARK: - Keys

private func showKeys(_ db: Database, _ object: SchemaObject) throws {
    func list(_ names: [String]) -> String { names.map(\.withoutControlCharacters).joined(separator: ", ") }

    var lines: [(label: String, text: String)] = []
    let key = try db.primaryKey(object.name, in: "main")
    if key.isRowID, key.rowIDColumn == nil {
        lines.append(("Primary key", "none but the hidden row id"))
    } else {
        lines.append(("Primary key", list(key.columns) + (key.tableHasRowID ? "" : ", WITHOUT ROWID")))
    }
    for foreignKey in try db.foreignKeys(on: object.name, in: "main") {
        let destination = "\(foreignKey.destinationTable.withoutControlCharacters) (\(list(foreignKey.destinationColumns)))"
        lines.append(("Foreign key", "\(list(foreignKey.originColumns)) → \(destination)"))
    }
    for index in try db.indexes(on: object.name, in: "main") {
        let columns = index.columns.isEmpty ? "an expression" : list(index.columns)
        lines.append((index.isUnique ? "Unique index" : "Index", "\(index.name.withoutControlCharacters) (\(columns))"))
    }
    let width = lines.map(\.label.count).max() ?? 0
    for (label, text) in lines {
        print(label.padding(toLength: width + 3, withPad: " ", startingAt: 0) + text)
    }
    print()
}

// MARK: - Rows

private func rowCount(_ db: Database, _ object: SchemaObject) throws -> String {
    // A view can have infinitely many rows, for example from a recursive query.
    let limit: Int64 = 1_000_000
    let name = object.name.quotedDatabaseIdentifier
    let rows = object.kind == .view ? "(SELECT 1 FROM main.\(name) LIMIT \(limit))" : "main.\(name)"
    let statement = try db.makeStatement(sql: "SELECT count(*) FROM \(rows)")
    let count = try statement.step() ? statement.int64(at: 0) ?? 0 : 0
    return object.kind == .view && count == limit ? "\(limit) or more" : "\(count)"
}

private func showFirstRows(_ db: Database, _ object: SchemaObject) throws {
    let limit = 5
    let statement = try db.makeStatement(sql: "SELECT * FROM main.\(object.name.quotedDatabaseIdentifier) LIMIT \(limit)")
    var rows: [[TextTable.Cell]] = []
    while try statement.step() {
        rows.append((0..<statement.columnCount).map { cell(statement, at: $0) })
    }
    guard !rows.isEmpty else { return }
    // A column is aligned to the right if its first value is a number.
    let titles = statement.columnNames.map(\.withoutControlCharacters)
    var table = TextTable(
        columns: titles.indices.map { TextTable.Column(titles[$0], isRightAligned: rows[0][$0].isRightAligned == true) })
    rows.forEach { table.add($0) }
    if table.displayWidth > widthOfScreen {
        // One line for each column of the database, and fewer rows.
        let rows = rows.prefix(3)
        table = TextTable(columns: ["Column"] + rows.indices.map { TextTable.Column("Row \($0 + 1)", isRightAligned: false) })
        for index in titles.indices {
            table.add([TextTable.Cell(titles[index])] + rows.map { TextTable.Cell($0[index].text) })
        }
    }
    print("\(table)\n")
}

// MARK: - Errors

/// The result of an operation that can fail for one table or view and succeed for others.
private func attempt<T>(_ object: SchemaObject, _ work: () throws -> T) throws -> (value: T?, problem: String?) {
    do {
        return (try work(), nil)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR || object.kind != .table {
        return (nil, "\(error.message ?? "\(error)")".withoutControlCharacters)
    }
    // Other errors concern the whole file. They end the program.
}
