import Strata
import StrataCommandSupport

extension Subcommand {
    static let schema = Subcommand(
        name: "schema",
        summary: "Shows columns, keys, indexes, triggers and views, or compares two schemas.",
        operands: "FILE [TABLE…]",
        options: [
            Option("--sql", "Prints the SQL of the schema."),
            Option("--diff", value: "OTHER", "Shows what differs in the schema of the database OTHER."),
            .immutable,
        ],
        discussion: """
            With --diff, "-" marks lines of FILE, and "+" marks lines of OTHER. White space and comments make no difference.
            The exit status is 1 if there is a difference.
            """
    ) { arguments, console in
        let path = arguments.operands[0]
        let isImmutable = arguments.has(Option.immutable.name)
        let names = Array(arguments.operands.dropFirst())
        if let other = arguments["--diff"] {
            guard !arguments.has("--sql"), names.isEmpty else {
                throw UsageError("--diff compares whole databases", advice: "Don't pass --sql or names with it.")
            }
            let old = try reading(path, isImmutable: isImmutable) { try SchemaListing($0) }
            let new = try reading(other, isImmutable: isImmutable) { try SchemaListing($0) }
            return !old.printDifferences(from: new, names: (path, other), to: console)
        }
        try reading(path, isImmutable: isImmutable) { db in
            if arguments.has("--sql") {
                guard names.isEmpty else { throw UsageError("--sql prints the whole schema", advice: "Don't pass names with it.") }
                return try db.dumpSchema(to: console)
            }
            let shown = try names.isEmpty ? schemaObjects(db).filter { !$0.isInternal } : names.map { try schemaObject(db, named: $0) }
            if shown.isEmpty { console.print("The database has no tables or views.") }
            for (index, object) in shown.enumerated() {
                if index > 0 { console.print() }
                console.print(console.bold("━━━ \(object.title) ━━━ \(object.kind.rawValue)"))
                try SchemaListing.Entry(db, object).lines.forEach { console.print($0) }
            }
        }
        return true
    }
}

/// The schema of a database in lines for people.
struct SchemaListing {
    /// A table or a view.
    struct Entry {
        let object: SchemaObject

        /// The description, with empty lines between its parts.
        let lines: [String]

        /// The SQL of the object, its indexes and its triggers, without comments and redundant white space.
        let definition: [String]

        init(_ db: Database, _ object: SchemaObject) throws {
            self.object = object
            let sql = try Self.sql(db, "SELECT sql FROM main.sqlite_master WHERE type IN ('table', 'view') AND name = ?", object.name)
            // A synchronized full-text table is compared by its declaration, to which the view with its content belongs.
            let derived = try db.derivedSynchronizationObjects()
            let view = object.kind == .virtualTable ? Database.SynchronizationNames(ofFullTextTable: object.name).view : nil
            let others = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, sql FROM main.sqlite_master
                    WHERE (type NOT IN ('table', 'view') AND tbl_name = ? OR name = ?) AND sql IS NOT NULL ORDER BY type, name
                    """, arguments: [object.name, view])
            let definitions = try others.filter { try !derived.contains(SchemaName($0.decode(atIndex: 0))) }
            definition =
                try CommentedSQL(sql.first ?? "").definitionLines
                + definitions.map { try CommentedSQL($0.decode(atIndex: 1)).normalized }
            var lines: [String] = []
            let result = try attempt(object) { try TableDescription(db, object) }
            if let description = result.value {
                lines += ["", "\(description.columns)"]
                if !description.keys.isEmpty { lines += [""] + description.keyLines }
            } else if let problem = result.problem {
                lines += ["", "Its columns can't be shown: \(problem)"]
            }
            if object.kind != .table { lines += ["", (sql.first ?? "").withVisibleControlCharacters] }
            let triggers = try Self.sql(
                db, "SELECT sql FROM main.sqlite_master WHERE type = 'trigger' AND tbl_name = ? ORDER BY name", object.name)
            for trigger in triggers { lines += ["", trigger.withVisibleControlCharacters] }
            self.lines = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        }

        private static func sql(_ db: Database, _ query: String, _ name: String) throws -> [String] {
            try String.fetchAll(db, sql: query, arguments: [name])
        }
    }

    let entries: [Entry]

    init(_ db: Database) throws {
        entries = try schemaObjects(db).filter { !$0.isInternal }.map { try Entry(db, $0) }
    }

    /// Prints the differences from the other schema, and returns whether there are any.
    func printDifferences(from new: SchemaListing, names: (String, String), to console: Console) -> Bool {
        var changes: [(title: String, lines: [String])] = []
        let newEntries = Dictionary(new.entries.map { (SchemaName($0.object.name), $0) }) { first, _ in first }
        for old in entries {
            guard let new = newEntries[SchemaName(old.object.name)] else {
                changes.append((Self.title(old), [console.red("- only in \(names.0)")]))
                continue
            }
            let lines = Self.differences(old.definition, new.definition, console)
            if !lines.isEmpty { changes.append((Self.title(new), lines)) }
        }
        let known = Set(entries.map { SchemaName($0.object.name) })
        for entry in new.entries where !known.contains(SchemaName(entry.object.name)) {
            changes.append((Self.title(entry), [console.green("+ only in \(names.1)")]))
        }
        if changes.isEmpty { console.print("The schemas are the same.") }
        for (index, change) in changes.enumerated() {
            if index > 0 { console.print() }
            console.print(console.bold(change.title))
            change.lines.forEach { console.print("  " + $0) }
        }
        return !changes.isEmpty
    }

    private static func title(_ entry: Entry) -> String { "\(entry.object.kind.rawValue) \(entry.object.title)" }

    /// The lines that are only in one of two lists, in their order.
    private static func differences(_ old: [String], _ new: [String], _ console: Console) -> [String] {
        // To Swift, "é" in one scalar and in two are equal. To SQLite, they are not.
        let difference = new.difference(from: old) { $0.utf8.elementsEqual($1.utf8) }
        return difference.removals.map { console.red("- " + $0.element.withoutControlCharacters) }
            + difference.insertions.map { console.green("+ " + $0.element.withoutControlCharacters) }
    }
}

extension CollectionDifference.Change {
    fileprivate var element: ChangeElement {
        switch self {
        case .insert(_, let element, _), .remove(_, let element, _): element
        }
    }
}

extension String {
    /// The text with control characters escaped, except for line ends.
    fileprivate var withVisibleControlCharacters: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withoutControlCharacters }.joined(separator: "\n")
    }
}
