/// What a migration drops without a `DROP` of its name: the triggers, indexes, columns, checks, unique keys and foreign keys of tables and
/// views that it drops and makes again, as a rebuild by hand does (`CREATE`, `INSERT`, `DROP`, `RENAME`).
///
/// Of a table that goes for good, only its triggers are among them. `DROP TABLE` deletes its rows without firing them, and what they have
/// written to other tables stays. All else is of no use without the table.
///
/// Source: <https://www.sqlite.org/lang_altertable.html#otheralter>
package struct DroppedParts {
    /// A part of a table or a view.
    package struct Part: Hashable, Sendable {
        package enum Kind: String, Sendable {
            case trigger, index, column, check
            case fullTextIndex = "full-text index"
            case unique = "UNIQUE"
            case foreignKey = "FOREIGN KEY"
        }

        package let kind: Kind
        /// The name; of a check without a name, its condition; of a key, its columns.
        package let name: String
        /// The table or the view.
        package let table: String
        /// The definition in one spelling, without its name.
        fileprivate let meaning: ExactString
        /// The columns that a key, or a check without a name, is about; nil for others.
        fileprivate var columns: Set<SchemaName>?
        /// Whether the part is a constraint or has a statement of its own. A unique index also is a key that can replace a constraint.
        fileprivate var isDeclared = true

        /// What is reported about the part.
        package var report: String {
            "\(description) goes with this, and is not made again: make it again, or write a line -- @drops \(directiveName)"
        }

        /// The part as a sentence names it.
        private var description: String {
            switch kind {
            case .trigger, .index, .fullTextIndex: "the \(kind.rawValue) \(name) of \(table)"
            case .unique, .foreignKey: "\(kind.rawValue) (\(name)) of \(table)"
            case .column: "the column \(table).\(name)"
            case .check: columns == nil ? "the check \(name) of \(table)" : "CHECK (\(name)) of \(table)"
            }
        }

        /// What names the part in a line `-- @drops`.
        private var directiveName: String {
            switch kind {
            case .trigger, .index, .fullTextIndex: name.asSQLName
            case .unique, .foreignKey: "\(kind.rawValue) (\(name))"
            case .column: "\(table.asSQLName).\(name.asSQLName)"
            case .check: columns == nil ? name.asSQLName : "CHECK (\(name))"
            }
        }

        /// Returns whether an item of a line `-- @drops` names the part, without regard to case, white space and quotes.
        fileprivate func isNamed(by item: SQLTokens) -> Bool {
            let meaning = item.normalized
            var names = [directiveName]
            if kind == .column { names.append(name.asSQLName) }
            if kind == .check, columns != nil { names.append("(\(name))") }
            return names.contains { SQLTokens($0).normalized == meaning }
        }
    }

    /// A table or a view of the schema before the migration.
    private struct Object {
        /// Its name now; nil once it is dropped.
        var name: SchemaName?
        var isView: Bool
        /// The statement that has dropped it.
        var statement: Int?
        /// Whether `Database.rebuild(table:in:with:)` makes it again, which loses only what the program names.
        var isRebuilt = false
        /// The tables that the migration has created, and filled from this one.
        var copies: Set<SchemaName> = []
        /// The new names of columns, by their old ones; nil for those that were dropped by name.
        var columns: [SchemaName: SchemaName?] = [:]
    }

    private let before: SchemaParts
    private var objects: [SchemaName: Object]
    private var droppedNames: Set<SchemaName> = []

    /// Reads the schema before a migration.
    package init(_ db: Database) throws {
        before = try SchemaParts(db)
        objects = before.objects.mapValues { Object(name: $0.name, isView: $0.isView) }
    }

    // MARK: - Statements

    /// Notes what a statement of the migration drops, renames and copies.
    ///
    /// - Parameters:
    ///   - tokens: some SQL.
    ///   - statement: the tokens of the statement in it.
    ///   - number: the number of the statement, for ``missing(_:)``.
    package mutating func note(_ tokens: SQLTokens, _ statement: Range<Int>, number: Int) {
        var words = StatementWords(tokens, statement)
        switch words.keyword {
        case "DROP":
            words.skip()
            let kind = words.keyword
            words.skip()
            words.skip(["IF", "EXISTS"])
            guard let name = words.objectName() else { return }
            if kind == "TABLE" || kind == "VIEW" { dropObject(name, number) } else { droppedNames.insert(name) }
        case "ALTER":
            words.skip()
            words.skip()
            if let table = words.objectName() { noteAlteration(of: table, &words) }
        case "CREATE", "INSERT", "REPLACE", "WITH": noteCopy(&words)
        default: break
        }
    }

    private mutating func dropObject(_ name: SchemaName, _ number: Int) {
        droppedNames.insert(name)
        for key in objects.keys {
            if objects[key]?.name == name {
                objects[key]?.name = nil
                objects[key]?.statement = number
            }
            objects[key]?.copies.remove(name)
        }
    }

    private mutating func noteAlteration(of table: SchemaName, _ words: inout StatementWords) {
        let action = words.keyword
        words.skip()
        if action == "RENAME", words.keyword == "TO" {
            words.skip()
            guard let name = words.name() else { return }
            for key in objects.keys {
                if objects[key]?.name == table { objects[key]?.name = name }
                if objects[key]?.copies.remove(table) != nil { objects[key]?.copies.insert(name) }
            }
        } else if action == "RENAME" || action == "DROP" {
            words.skip(["COLUMN"])
            guard let column = words.name() else { return }
            words.skip(["TO"])
            let newName = action == "DROP" ? nil : words.name()
            for key in objects.keys where objects[key].map({ $0.name == table || $0.copies.contains(table) }) ?? false {
                let old = objects[key]?.columns.first { $0.value == column }?.key ?? column
                objects[key]?.columns.updateValue(newName, forKey: old)
            }
        }
    }

    /// Notes that a new table gets rows of others.
    private mutating func noteCopy(_ words: inout StatementWords) {
        let isCreation = words.keyword == "CREATE"
        if isCreation {
            words.skip()
            guard words.keyword == "TABLE" else { return }
            words.skip()
            words.skip(["IF", "NOT", "EXISTS"])
        } else {
            words.skip(past: "INTO")
        }
        guard let target = words.objectName(), !objects.values.contains(where: { $0.name == target }) else { return }
        let names = words.names
        // `CREATE TABLE … (…)` copies nothing, although it may reference tables.
        if isCreation, words.keyword != "AS" { return }
        for key in objects.keys where objects[key]?.name.map(names.contains) ?? false {
            objects[key]?.copies.insert(target)
            if TableRebuildPlan.isTemporaryName(target.text) { objects[key]?.isRebuilt = true }
        }
    }

    // MARK: - Result

    /// Returns the parts that the schema no longer has, with the numbers of the statements that have dropped their tables.
    ///
    /// - Parameters:
    ///   - db: a connection, after the migration.
    ///   - sql: the SQL of the migration, whose lines `-- @drops` name parts to leave out.
    package func missing(_ db: Database, acceptingThoseOf sql: [SQLTokens]) throws -> [(part: Part, statement: Int?)] {
        let accepted = sql.flatMap { SQLDirective.all(in: $0).filter { ["@drop-index", "@drops"].contains($0.word) }.flatMap(\.items) }
        let after = try SchemaParts(db)
        return before.parts.compactMap { part in
            guard part.isDeclared, let object = objects[SchemaName(part.table)], isMissing(part, object, in: after),
                !accepted.contains(where: part.isNamed)
            else { return nil }
            return (part, object.statement)
        }
    }

    private func isMissing(_ part: Part, _ object: Object, in after: SchemaParts) -> Bool {
        // The parts of a table that stays are dropped by name.
        if object.statement == nil || object.isRebuilt { return false }
        let heirs = after.objects.values.filter {
            $0.isView == object.isView && ($0.name == SchemaName(part.table) || object.copies.contains($0.name))
        }
        if heirs.isEmpty, part.kind != .trigger || object.isView { return false }
        let others = after.parts.filter { other in
            other.kind == part.kind && (part.isOfSchema || heirs.contains { $0.name == SchemaName(other.table) })
        }
        let name = SchemaName(part.name)
        switch part.kind {
        case .trigger, .index, .fullTextIndex:
            if droppedNames.contains(name) { return false }
            return !others.contains { other in
                SchemaName(other.name) == name || other.meaning == part.meaning && !before.parts.contains(other)
            }
        case .column:
            let current = object.columns[name] ?? name
            return current.map { current in !others.contains { SchemaName($0.name) == current } } ?? false
        case .unique, .foreignKey:
            let names = part.columns ?? []
            let columns = Set(names.compactMap { object.columns[$0] ?? $0 })
            // A column that goes takes its keys along.
            let left = after.parts.filter { other in other.kind == .column && heirs.contains { $0.name == SchemaName(other.table) } }
            if columns.count < names.count || !columns.isSubset(of: left.map { SchemaName($0.name) }) { return false }
            return !others.contains { $0.columns == columns }
        case .check:
            if let columns = part.columns, columns.contains(where: { object.columns[$0] == .some(nil) }) { return false }
            // A check of the same columns has replaced it.
            return !others.contains { other in
                other.meaning == part.meaning || (part.columns == nil ? SchemaName(other.name) == name : other.columns == part.columns)
            }
        }
    }
}

extension DroppedParts.Part {
    /// Whether the name of the part is unique in the schema.
    fileprivate var isOfSchema: Bool { [.trigger, .index, .fullTextIndex].contains(kind) }
}

/// The tables and views of a schema, and their parts.
private struct SchemaParts {
    private(set) var objects: [SchemaName: (name: SchemaName, isView: Bool)] = [:]
    private(set) var parts: [DroppedParts.Part] = []

    init(_ db: Database) throws {
        let derived = try db.derivedSynchronizationObjects()
        for row in try db.schemaRows(of: .main) {
            guard let sql = row.sql, !Database.isStrataInternalTable(row.table) else { continue }
            let tokens = SQLTokens(sql)
            let name = row.object.name
            switch row.type {
            case "table", "view":
                objects[SchemaName(name)] = (SchemaName(name), row.type == "view")
                if row.type == "table" { try addParts(of: name, tokens, db) }
            case "trigger" where derived.contains(SchemaName(name)):
                // One part for all triggers of a full-text index.
                guard name.hasSuffix("_ai") else { continue }
                let index = String(name.dropFirst(2).dropLast(3))
                add(.fullTextIndex, index, of: row.table, SQLTokens(index), nil)
            case "trigger": add(.trigger, name, of: row.table, tokens, SchemaName(name))
            case "index": add(.index, name, of: row.table, tokens, SchemaName(name))
            default: break
            }
        }
    }

    private mutating func add(
        _ kind: DroppedParts.Part.Kind, _ name: String, of table: String, _ tokens: SQLTokens, _ hidden: SchemaName?
    ) {
        let words = tokens.tokens.indices.filter { hidden == nil || SchemaName(tokens.name($0)) != hidden }.map(tokens.meaning)
        parts.append(DroppedParts.Part(kind: kind, name: name, table: table, meaning: ExactString(words.joined(separator: "\u{1F}"))))
    }

    private mutating func addParts(of table: String, _ tokens: SQLTokens, _ db: Database) throws {
        let columns = try db.columns(in: table, in: "main").map(\.name)
        for column in columns { add(.column, column, of: table, SQLTokens(""), nil) }
        func addKey(_ kind: DroppedParts.Part.Kind, _ columns: [String], isDeclared: Bool) {
            add(kind, columns.map(\.asSQLName).joined(separator: ", "), of: table, SQLTokens(""), nil)
            parts[parts.count - 1].columns = Set(columns.map(SchemaName.init))
            parts[parts.count - 1].isDeclared = isDeclared
        }
        for index in try db.indexes(on: table, in: "main") where index.isUnique && !index.isPartial && !index.hasExpressions {
            addKey(.unique, index.columns, isDeclared: index.origin == .uniqueConstraint)
        }
        if let rowID = try db.primaryKeyIfKnown(table, in: "main")?.rowIDColumn { addKey(.unique, [rowID], isDeclared: false) }
        for key in try db.foreignKeys(on: table, in: "main") { addKey(.foreignKey, key.originColumns, isDeclared: true) }
        let names = Set(columns.map(SchemaName.init))
        for (index, text) in tokens.clauses("CHECK") {
            let own = SQLTokens(text)
            let name = tokens.keyword(index - 2) == "CONSTRAINT" ? tokens.name(index - 1) : nil
            let condition = own.text((own.tokens.first?.range.lowerBound ?? 0)..<(own.tokens.last?.range.upperBound ?? 0))
            add(.check, name ?? condition.split(whereSeparator: \.isNewline).joined(separator: " "), of: table, own, nil)
            if name != nil { continue }
            parts[parts.count - 1].columns = Set(own.tokens.indices.map { SchemaName(own.name($0)) }).intersection(names)
        }
    }
}

extension SQLTokens {
    /// What stands in the parentheses behind a keyword in the items of a table's definition: the conditions of CHECK, and the expressions of
    /// generated columns behind AS.
    ///
    /// - Returns: the indexes of the keywords, and the texts.
    package func clauses(_ keyword: String) -> [(index: Int, text: String)] {
        tokens.indices.dropLast().compactMap { index in
            guard tokens[index].depth == 1, self.keyword(index) == keyword, let end = indexOfClosing(index + 1) else { return nil }
            return (index, text(tokens[index + 1].range.upperBound..<tokens[end].range.lowerBound))
        }
    }
}

/// The words of a statement, read from the front.
private struct StatementWords {
    private let tokens: SQLTokens
    private var rest: Range<Int>

    init(_ tokens: SQLTokens, _ statement: Range<Int>) { (self.tokens, rest) = (tokens, statement) }

    /// The next word, in capitals.
    var keyword: String { rest.isEmpty ? "" : tokens.keyword(rest.lowerBound) }

    /// The names that follow.
    var names: Set<SchemaName> { Set(rest.map { SchemaName(tokens.name($0)) }) }

    mutating func skip() { rest = rest.dropFirst() }

    mutating func skip(_ keywords: [String]) { for word in keywords where keyword == word { skip() } }

    mutating func skip(past word: String) {
        while !rest.isEmpty, keyword != word { skip() }
        skip()
    }

    mutating func name() -> SchemaName? {
        guard !rest.isEmpty else { return nil }
        defer { skip() }
        return SchemaName(tokens.name(rest.lowerBound))
    }

    /// The name of an object of the main database; nil for those of other databases.
    mutating func objectName() -> SchemaName? {
        guard let first = name() else { return nil }
        guard !rest.isEmpty, tokens.text(rest.lowerBound) == "." else { return first }
        skip()
        let second = name()
        return first == SchemaName("main") ? second : nil
    }
}

extension String {
    /// The name as a line `-- @drops` writes it.
    fileprivate var asSQLName: String {
        allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && first?.isNumber == false ? self : quotedDatabaseIdentifier
    }
}
