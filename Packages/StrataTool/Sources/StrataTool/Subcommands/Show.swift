import Foundation
import Strata
import StrataCommandSupport

extension Subcommand {
    static let show = Subcommand(
        name: "show",
        summary: "Shows the tables and views, their columns and keys, and their first rows.",
        operands: "FILE [TABLE…]",
        options: [Option("--rows", value: "N", "Shows N rows of each table instead of 5."), .timeout, .immutable],
        discussion: """
            The file is opened read-only. A part that can't be shown, such as a view of a missing table, a view whose query does not end, or
            a virtual table without its module, is reported, and the rest is shown.
            """
    ) { arguments, console in
        let path = arguments.operands[0]
        let rowLimit = try arguments["--rows"].map { text in
            guard let number = Int(text), number >= 0 else { throw UsageError("--rows needs a number, not \(text)") }
            return number
        }
        let isImmutable = arguments.has(Option.immutable.name)
        let limit = try arguments.viewTimeLimit()
        try reading(path, isImmutable: isImmutable) { db in
            try withReadOnlyDatabase(path, isImmutable: isImmutable, statementTimeLimit: limit) { views in
                let width = max(120, console.terminal?.width ?? 120)
                let show = Show(db: db, views: views, console: console, rowLimit: rowLimit ?? 5, width: width)
                if arguments.operands.count == 1 {
                    try show.everything(path: path)
                } else {
                    for name in arguments.operands.dropFirst() { try show.object(schemaObject(db, named: name)) }
                }
            }
        }
        return true
    }
}

private struct Show {
    let db: Database

    /// A connection with a limit of time.
    let views: DatabaseQueue

    let console: Console
    let rowLimit: Int

    /// The greatest width of a table in columns of the terminal. A wider table is printed with rows and columns exchanged.
    let width: Int

    func everything(path: String) throws {
        let objects = try schemaObjects(db)
        let shown = objects.filter { !$0.isInternal }
        console.print(URL(fileURLWithPath: path).lastPathComponent.withoutControlCharacters + "\n")
        guard !shown.isEmpty else {
            console.print("The database has no tables or views.")
            return
        }

        var table = TextTable("Name", "Kind", .right("Columns"), .right("Rows"))
        var counts: [String: String] = [:]
        for object in shown {
            let columns = try attempt(object) { "\(try db.columns(in: object.name, in: "main").count)" }
            let count = try attempt(object) { try rowCount(object) }
            counts[object.name] = count.value ?? "?"
            table.add(object.title, object.kind.rawValue, columns.value ?? "?", count.value ?? "?")
        }
        console.print("\(table)\n")
        let left = objects.filter(\.isInternal).map(\.title)
        if !left.isEmpty {
            console.print(
                "Not shown without their names, because they belong to SQLite, Strata or virtual tables: \(left.joined(separator: ", "))\n")
        }
        for each in shown {
            try object(each, count: counts[each.name])
        }
        console.print("Strings are in quotes where they could be taken for something else: NULL is NULL, 'NULL' and '' are strings.")
    }

    func object(_ object: SchemaObject, count: String? = nil) throws {
        let count = try count ?? attempt(object) { try rowCount(object) }.value ?? "?"
        console.print(console.bold("━━━ \(object.title) ━━━ \(object.kind.rawValue), rows: \(count)") + "\n")
        // A view of a table that does not exist, or a virtual table without its module, prints a problem, but does not end the program.
        let problem = try attempt(object) {
            let description = try TableDescription(db, object)
            console.print("\(description.columns)\n")
            description.keyLines.forEach { console.print($0) }
            if !description.keys.isEmpty { console.print() }
            try connected(object) { try firstRows(object, $0) }
        }.problem
        if let problem { console.print("It can't be read: \(problem)\n") }
    }

    /// Calls a closure with the connection that reads an object.
    private func connected<T>(_ object: SchemaObject, _ body: (Database) throws -> T) throws -> T {
        try object.kind == .view ? views.read(body) : body(db)
    }

    private func rowCount(_ object: SchemaObject) throws -> String { try connected(object) { try rowCount(object, $0) } }

    private func rowCount(_ object: SchemaObject, _ db: Database) throws -> String {
        // A view can have infinitely many rows, for example from a recursive query.
        let limit: Int64 = 1_000_000
        let name = object.name.quotedDatabaseIdentifier
        let rows = object.kind == .view ? "(SELECT 1 FROM main.\(name) LIMIT \(limit))" : "main.\(name)"
        let count = try db.values("SELECT count(*) FROM \(rows)") { $0.int64(at: 0) }.first ?? 0
        return object.kind == .view && count == limit ? "\(limit) or more" : "\(count)"
    }

    private func firstRows(_ object: SchemaObject, _ db: Database) throws {
        let readable = try readableColumns(object, db)
        for (column, problem) in readable.problems {
            console.print("The column \(column.withoutControlCharacters) can't be read: \(problem)\n")
        }
        guard !readable.columns.isEmpty else { return }
        let columns = readable.problems.isEmpty ? "*" : readable.columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")
        let name = object.name.quotedDatabaseIdentifier
        let statement = try db.makeStatement(sql: "SELECT \(columns) FROM main.\(name) LIMIT \(rowLimit)")
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
        if table.width > width {
            // One line for each column, and fewer rows.
            let rows = rows.prefix(3)
            table = TextTable(columns: ["Column"] + rows.indices.map { TextTable.Column("Row \($0 + 1)") })
            for index in titles.indices {
                table.add([TextTable.Cell(titles[index])] + rows.map { TextTable.Cell($0[index].text) })
            }
        }
        console.print("\(table)\n")
    }

    /// The columns that a query can name, and the columns whose values need a missing function or collation.
    private func readableColumns(_ object: SchemaObject, _ db: Database) throws -> (columns: [String], problems: [(String, String)]) {
        let columns = try db.columns(in: object.name, in: "main")
        var readable: [String] = []
        var problems: [(String, String)] = []
        for column in columns {
            do {
                if column.isGenerated {
                    _ = try db.makeStatement(
                        sql: "SELECT \(column.name.quotedDatabaseIdentifier) FROM main.\(object.name.quotedDatabaseIdentifier)")
                }
                readable.append(column.name)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                problems.append((column.name, error.shortMessage))
            }
        }
        return (readable, problems)
    }
}
