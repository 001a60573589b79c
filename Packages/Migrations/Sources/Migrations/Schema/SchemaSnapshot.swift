/// The tables, indexes, triggers and views of a database at one moment, without the internal ones of SQLite and of migrators.
///
/// A synchronized full-text table counts by its declaration, and not by its triggers: another version may write them differently.
struct SchemaSnapshot: Sendable {
    struct Object: Hashable, Sendable {
        let type: String
        let name: String
        let table: String
        let sql: String

        /// The object in one spelling, for comparisons and digests. Digests are stored, so the spelling of names stays as it is.
        var meaning: ExactString { ExactString("\(type) \(name.lowercased()) \(SQLTokens(sql).normalized.text)") }

        private var exact: [ExactString] { [type, name, table, sql].map(ExactString.init) }

        static func == (lhs: Object, rhs: Object) -> Bool { lhs.exact == rhs.exact }

        func hash(into hasher: inout Hasher) { hasher.combine(exact) }
    }

    /// The objects in display order: each table with its indexes and triggers, and then the views.
    let objects: [Object]

    /// The triggers and tables that synchronize full-text tables with others.
    private let derived: [Object]

    /// Joins the objects of snapshots.
    init(_ snapshots: [SchemaSnapshot]) {
        self.init(objects: snapshots.flatMap(\.objects), derived: snapshots.flatMap(\.derived))
    }

    /// Reads the main database, or those of the given rows that it has.
    init(_ db: Database, _ rows: [SchemaRow]? = nil) throws {
        let objects: [Object] = try (rows ?? db.schemaRows(of: .main)).compactMap { row in
            // Tables such as those of migrations, and of the positions of loads, belong to no migration.
            guard row.object.schemaID == .main, let sql = row.sql, !Database.isSQLiteInternalTable(row.object.name),
                !Database.isStrataInternalTable(row.table)
            else { return nil }
            return Object(type: row.type, name: row.object.name, table: row.table, sql: sql)
        }
        // Their names begin with two underscores. Most migrations add no such object, and don't search the whole schema.
        let names = try objects.contains { $0.name.hasPrefix("__") } ? db.derivedSynchronizationObjects() : []
        let isDerived = { (object: Object) in ["table", "trigger"].contains(object.type) && names.contains(SchemaName(object.name)) }
        self.init(objects: objects.filter { !isDerived($0) }, derived: objects.filter(isDerived))
    }

    private init(objects: [Object], derived: [Object]) {
        self.derived = derived
        let order = ["table", "index", "trigger", "view"]
        func key(_ object: Object) -> (Int, String, Int, String) {
            let isView = object.type == "view"
            return (
                isView ? 1 : 0, isView ? "" : object.table.foldingASCIICase, order.firstIndex(of: object.type) ?? 0,
                object.name.foldingASCIICase
            )
        }
        self.objects = objects.sorted { key($0) < key($1) }
    }

    /// The lines of the schema's SQL. Each column of a table has its own line.
    var lines: [String] {
        objects.flatMap { SchemaText.lines(of: $0.sql) }
    }

    /// Returns the objects that fulfil a condition.
    func filtered(_ isIncluded: (Object) -> Bool) -> SchemaSnapshot {
        SchemaSnapshot(objects: objects.filter(isIncluded), derived: derived)
    }

    /// Returns whether the SQL that synchronizes full-text tables is the same in another schema.
    func hasSameSynchronization(as other: SchemaSnapshot) -> Bool { Set(derived) == Set(other.derived) }

    func difference(to other: SchemaSnapshot) -> SchemaDifference {
        SchemaDifference(from: self, to: other)
    }

    /// Throws if the schema has changed.
    ///
    /// - Throws: `SQLITE_MISUSE`, with a message that shows the difference.
    func checkUnchanged(_ db: Database) throws {
        let difference = difference(to: try SchemaSnapshot(db))
        if !difference.isMeaningful { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE, message: "a step in Swift among files changes rows, and must not change the schema:\n\(difference)",
            advice: "Change the schema in a file with SQL, or register the step with registerMigration(_:after:).")
    }

    /// Returns whether this schema contains all objects of another schema.
    func contains(_ other: SchemaSnapshot) -> Bool {
        Set(other.meanings).isSubset(of: meanings)
    }

    /// The objects, each in one spelling.
    var meanings: [ExactString] { objects.map(\.meaning) }
}

/// Formats the SQL of a schema for display.
enum SchemaText {
    /// Returns the lines of a statement. In a table's definition, each column and each constraint has its own line.
    static func lines(of sql: String) -> [String] {
        guard let parts = definitionParts(of: sql) else {
            return (sql + ";").split(whereSeparator: \.isNewline).map { trimmingEnd($0) }
        }
        let columns = parts.items.enumerated().map { index, item in
            "    " + item + (index == parts.items.count - 1 ? "" : ",")
        }
        return ["\(parts.start) ("] + columns + [")\(parts.end);"]
    }

    /// Returns the parts before, within and after the parentheses of a table's definition; nil for other statements.
    private static func definitionParts(of sql: String) -> (start: String, items: [String], end: String)? {
        let tokens = SQLTokens(sql)
        guard tokens.count > 4, tokens.meaning(0) == "create", tokens.meaning(1) == "table",
            let opening = tokens.tokens.firstIndex(where: { $0.kind == .open })
        else { return nil }
        let closing = tokens.indexOfClosing(opening) ?? tokens.count
        let items = tokens.split((opening + 1)..<closing, atCommasOfDepth: 1).map { joined($0, of: tokens) }
        let end = min(closing + 1, tokens.count)..<tokens.count
        return (joined(0..<opening, of: tokens), items, end.isEmpty ? "" : " " + joined(end, of: tokens))
    }

    /// Joins tokens, with white space between them where it helps the reader.
    private static func joined(_ range: Range<Int>, of tokens: SQLTokens) -> String {
        var text = ""
        var last: String?
        for index in range {
            let token = tokens.text(index)
            if let last, needsSpace(last, token) { text += " " }
            text += token
            last = token
        }
        return text
    }

    private static func needsSpace(_ left: String, _ right: String) -> Bool {
        if right == "," || right == ")" || right == "." || left == "(" || left == "." { return false }
        // Operators of several characters are several tokens: `||`, `<=`, `->>`.
        let signs = "<>=!|-&"
        return !(signs.contains(left) && signs.contains(right))
    }

    private static func trimmingEnd(_ line: Substring) -> String {
        var line = line
        while line.last?.isWhitespace == true { line.removeLast() }
        return String(line)
    }
}
