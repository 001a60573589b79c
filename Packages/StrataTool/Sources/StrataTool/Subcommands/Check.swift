import Strata
import StrataCommandSupport

extension Subcommand {
    static let check = Subcommand(
        name: "check",
        summary: "Looks for damage, broken foreign keys, and indexes that are redundant or missing.",
        operands: "FILE",
        options: [
            Option("--quick", "Does not compare the indexes with their tables."),
            Option("--full-text", "Compares full-text indexes with their tables, in a temporary copy of the database."),
            Option("--sizes", "Prints the size of each table and index, too."),
            .immutable,
        ],
        discussion: """
            The exit status is 1 if something was found. A check that is not possible, for example of a table whose collation is
            missing, is reported, and counts as a finding. SQLite's integrity check does not compare full-text indexes with their tables, and
            the check that does has to write: it needs --full-text, and room for a copy among the temporary files.

            At the end, a line for each defect of the SQLite library that can lose data names the page about it. Defects are not about the
            file, and don't count as findings.
            """
    ) { arguments, console in
        try reading(arguments.operands[0], isImmutable: arguments.has(Option.immutable.name)) { db in
            var check = Check(db: db, console: console, isQuick: arguments.has("--quick"))
            try check.run()
            try check.fullTextIndexes(isAsked: arguments.has("--full-text"))
            if arguments.has("--sizes") { try check.sizes() }
            check.library()
            return check.findingCount == 0
        }
    }
}

struct Check {
    let db: Database
    let console: Console
    let isQuick: Bool
    private(set) var findingCount = 0

    mutating func run() throws {
        let tables = try schemaObjects(db).filter { $0.kind == .table && !$0.isInternal }
        try section("Integrity", findings(isQuick ? .quickIntegrity : .integrity, db))
        try section("Foreign keys", findings(.foreignKeys, db))
        try section("Redundant indexes", tables.flatMap(superfluousIndexes))
        try section("Foreign keys without an index", tables.flatMap(foreignKeysWithoutIndex))
    }

    private func findings(_ check: DatabaseCheck, _ db: Database) throws -> [String] {
        try check.findings(db).map(\.message)
    }

    private mutating func section(_ title: String, _ findings: [String]) {
        console.print(console.bold(title) + ":" + (findings.isEmpty ? " " + console.green("nothing found") : ""))
        for finding in findings { console.print("  " + console.red(finding.withoutControlCharacters)) }
        findingCount += findings.count
    }

    /// Compares full-text indexes with their tables. The command of the index is a statement that writes: it runs in a copy, which SQLite
    /// deletes with its connection.
    mutating func fullTextIndexes(isAsked: Bool) throws {
        if try schemaObjects(db).allSatisfy({ try $0.kind != .virtualTable || db.fullTextTable($0.name) == nil }) { return }
        guard isAsked else {
            return console.print(console.bold("Full-text indexes") + ": not checked; --full-text checks them in a temporary copy")
        }
        let copy = try DatabaseQueue(path: "", configuration: toolConfiguration)
        let findings = try copy.writeWithoutTransaction { copy in
            try db.backup(to: copy, pagesPerStep: 1024) { _ in try Interruption.check() }
            return try self.findings(.fullTextIndexes, copy)
        }
        try copy.close()
        section("Full-text indexes", findings)
    }

    /// Names the known defects of SQLite, each with the page that describes it.
    func library() {
        let library = SQLiteLibrary.current
        for defect in library.defects {
            console.print(
                console.bold("Defect of \(library)") + ": \(defect.name), fixed in SQLite \(defect.fixedInVersions): see \(defect.source)")
        }
    }

    // MARK: Indexes

    /// An index, with the properties that decide whether another index can replace it.
    ///
    /// The terms are the columns with their collation and direction; terms with an expression differ from all others.
    private typealias Index = (info: IndexInfo, terms: [SchemaName])

    private func indexes(_ table: SchemaObject) throws -> [Index] {
        try db.indexes(on: table.name, in: "main").map { info in
            let rows = try Row.fetchAll(
                db,
                sql:
                    "SELECT coalesce(name, 'an expression of ' || ?), desc, coll FROM pragma_index_xinfo(?, 'main') WHERE key ORDER BY seqno",
                arguments: [info.name, info.name])
            let terms = try rows.map { row in
                try SchemaName(
                    "\(row.decode(String.self, atIndex: 0)) \(row.decode(Int.self, atIndex: 1)) \(row.decode(String.self, atIndex: 2))")
            }
            return (info, terms)
        }
    }

    private func superfluousIndexes(_ table: SchemaObject) throws -> [String] {
        let indexes = try indexes(table)
        let rowIDColumn = try db.primaryKey(table.name, in: "main").rowIDColumn
        return indexes.compactMap { index in
            guard index.info.origin == .createIndex, !index.info.isPartial, !index.info.hasExpressions else { return nil }
            if let rowIDColumn, index.info.columns.map(SchemaName.init) == [SchemaName(rowIDColumn)] {
                return "\(table.name): the index \(index.info.name) on the row ID is never needed"
            }
            let better = indexes.first { other in
                guard other.info.name != index.info.name, !other.info.isPartial, other.terms.starts(with: index.terms) else { return false }
                if index.info.isUnique, !(other.info.isUnique && other.terms == index.terms) { return false }
                // If two indexes are equal, the index whose name comes last is redundant, unless a constraint needs it.
                if other.terms == index.terms, other.info.isUnique == index.info.isUnique, other.info.origin == .createIndex {
                    return other.info.name < index.info.name
                }
                return true
            }
            return better.map { better in
                let relation = better.terms == index.terms ? "has the same columns" : "begins with its columns"
                return "\(table.name): the index \(index.info.name) is redundant: \(better.info.name) \(relation)"
            }
        }
    }

    private func foreignKeysWithoutIndex(_ table: SchemaObject) throws -> [String] {
        let indexes = try db.indexes(on: table.name, in: "main").filter { !$0.isPartial }
        let rowIDColumn = try db.primaryKey(table.name, in: "main").rowIDColumn
        return try db.foreignKeys(on: table.name, in: "main").compactMap { foreignKey in
            let columns = Set(foreignKey.originColumns.map(SchemaName.init))
            if let rowIDColumn, columns == [SchemaName(rowIDColumn)] { return nil }
            let isIndexed = indexes.contains { index in
                index.columns.count >= columns.count && Set(index.columns.prefix(columns.count).map(SchemaName.init)) == columns
            }
            if isIndexed { return nil }
            let list = foreignKey.originColumns.joined(separator: ", ")
            return "\(table.name): no index begins with \(list), so each change of \(foreignKey.destinationTable) reads the whole table"
        }
    }

    // MARK: Sizes

    func sizes() throws {
        console.print()
        do {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, count(*), sum(pgsize), sum(unused) FROM dbstat('main') GROUP BY name ORDER BY sum(pgsize) DESC, name
                    """)
            var table = TextTable("Table or index", .right("Pages"), .right("Size"), .right("Unused"))
            for row in rows {
                table.add(
                    try row.decode(String.self, atIndex: 0).withoutControlCharacters, "\(try row.decode(Int.self, atIndex: 1))",
                    byteCount(try row.decode(Int.self, atIndex: 2)), byteCount(try row.decode(Int.self, atIndex: 3)))
            }
            console.print("\(table)")
        } catch let error as DatabaseError where error.message?.contains("dbstat") == true {
            console.print("The sizes of tables are not available: this SQLite was built without dbstat.")
        }
    }
}
