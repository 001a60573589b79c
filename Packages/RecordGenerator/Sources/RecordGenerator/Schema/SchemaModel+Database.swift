import Foundation
import SQLiteDriver

extension SchemaModel {
    /// Reads the schema of a database, and looks at the values of its columns.
    ///
    /// Internal tables, and tables and views that belong to virtual tables, are skipped unless `names` lists them: tables in which virtual
    /// tables keep their content, and those that keep full-text tables in sync with others. A view or a virtual table that can't be read has
    /// a ``Table/problem``.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - source: the source that the header of the code names.
    ///   - names: the tables and views to read, regardless of case; nil for all. Names that the database does not have are ignored.
    ///   - readsValues: whether the types of columns may depend on the stored values.
    ///   - script: the SQL that has created the database, for the comments before its statements.
    /// - Throws: `DatabaseError` if the database can't be read.
    /// - Complexity: reads each row once if `readsValues` is true.
    public init(_ db: Database, source: String, only names: [String]? = nil, readsValues: Bool = true, script: String? = nil) throws {
        try self.init(db, source: source, only: names, readsValues: readsValues, script: script) { try $0(db) }
    }

    /// Reads the values of a column of a view with a connection.
    package typealias ViewReader = (_ read: (Database) throws -> ColumnContent?) throws -> ColumnContent?

    /// Reads the schema of a database.
    ///
    /// - Parameters:
    ///   - settings: the settings with types, which columns of views may show.
    ///   - readView: reads the values of the columns of views, whose queries may have no end.
    package init(
        _ db: Database, source: String, only names: [String]?, readsValues: Bool, script: String? = nil,
        settings: RecordSettings = RecordSettings(), readView: ViewReader
    ) throws {
        let comments = script.map(CommentedSQL.commentsBeforeTables) ?? [:]
        self.init(source: source, tables: [])
        for object in try Self.objects(db, only: names) {
            var table: Table
            do {
                table = try Self.table(db, object, readsValues: readsValues, readView)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                table = Table(name: object.name, kind: object.kind, columns: [], problem: error.message ?? "\(error)")
            }
            table.isListed = names != nil
            table.comment = (comments[SchemaName(object.name)] ?? []) + table.comment
            tables.append(table)
        }
        try inferTypes(db, names == nil ? self : SchemaModel(db, source: source, readsValues: false), settings)
    }

    private typealias Object = (name: String, kind: Kind, sql: String)

    private static func objects(_ db: Database, only names: [String]?) throws -> [Object] {
        let asked = names.map { Set($0.map(SchemaName.init)) }
        let ofVirtualTables = Set(try db.tablesOfVirtualTables().map(SchemaName.init))
        return try db.values(
            "SELECT type, name, sql FROM main.sqlite_master WHERE type IN ('table', 'view') ORDER BY lower(name), name"
        ) { row in
            guard let name = row.string(at: 1) else { return nil }
            let belongsToOthers =
                Database.isSQLiteInternalTable(name) || Database.isStrataInternalTable(name) || ofVirtualTables.contains(SchemaName(name))
            guard asked?.contains(SchemaName(name)) ?? !belongsToOthers else { return nil }
            let sql = row.string(at: 2) ?? ""
            return (name, row.string(at: 0) == "view" ? .view : VirtualTableDefinition(sql) == nil ? .table : .virtualTable, sql)
        }
    }

    private static func table(_ db: Database, _ object: Object, readsValues: Bool, _ readView: ViewReader) throws -> Table {
        var readsValues = readsValues
        let definition = CommentedSQL(object.sql).tableDefinition
        var table = Table(name: object.name, kind: object.kind, columns: [])
        table.comment = definition.map { $0.comments.flatMap(\.lines) } ?? []
        let hasRowID = object.kind == .table ? try addKeys(to: &table, db) : true
        table.fullText = VirtualTableDefinition(object.sql).flatMap { ["fts3", "fts4", "fts5"].contains($0.module) ? $0 : nil }
        let comments = definition?.columnComments ?? [:]
        let allowedValues = definition?.allowedValues ?? [:]
        for column in try db.columns(in: object.name, in: "main") {
            let isInKey = column.primaryKeyIndex > 0 && (!hasRowID || table.rowIDColumn?.isEqualIgnoringASCIICase(to: column.name) == true)
            var result = Column(
                name: column.name, declaredType: column.type, isNotNull: column.isNotNull || isInKey, isGenerated: column.isGenerated,
                hasTimestampDefault: column.defaultValueSQL.map { hasTimestampForm(db, $0) } ?? false,
                allowedValues: allowedValues[SchemaName(column.name)] ?? [], comment: comments[SchemaName(column.name)] ?? [])
            if let fullText = table.fullText, fullText.content.map(\.isEmpty) ?? true, !fullText.unindexed.contains(SchemaName(column.name))
            {
                result.inferredType = .string
            }
            if readsValues {
                do {
                    result.content =
                        try object.kind == .view ? readView { try content($0, object, result) } : content(db, object, result)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    // This process may lack a function of a generated column, or of a view.
                    table.problem = error.message
                } catch let error as DatabaseTimeoutError {
                    table.problem = error.problem
                    readsValues = false
                }
            }
            table.columns.append(result)
        }
        return table
    }

    /// Adds the keys of a table, and returns whether its rows have IDs.
    private static func addKeys(to table: inout Table, _ db: Database) throws -> Bool {
        let key = try db.primaryKey(table.name, in: "main")
        table.rowIDColumn = key.rowIDColumn
        table.primaryKey = key.isRowID && key.rowIDColumn == nil ? [] : key.columns
        table.foreignKeys = try db.foreignKeys(on: table.name, in: "main").map { foreignKey in
            ForeignKey(
                columns: foreignKey.originColumns, destination: foreignKey.destinationTable,
                destinationColumns: foreignKey.destinationColumns)
        }
        table.uniqueKeys = try db.indexes(on: table.name, in: "main").filter { $0.isUnique && !$0.isPartial && !$0.hasExpressions }
            .map(\.columns)
        if !table.primaryKey.isEmpty { table.uniqueKeys.insert(table.primaryKey, at: 0) }
        return key.tableHasRowID
    }

    /// Returns whether a default value is a date in the form of `CURRENT_TIMESTAMP`: SQLite computes it, if it has only date functions and
    /// literals.
    private static func hasTimestampForm(_ db: Database, _ value: String) -> Bool {
        let tokens = SQLTokens(value)
        let isKnown = tokens.tokens.indices.allSatisfy { index in
            switch tokens[index].kind {
            case .word, .quotedName:
                ["current_timestamp", "datetime", "strftime"].contains(tokens.name(index).foldingASCIICase)
                    || tokens.text(index).first.map { ("0"..."9").contains($0) } ?? false
            case .sign: tokens.text(index) != ";"
            default: true
            }
        }
        guard isKnown else { return false }
        do {
            let statement = try db.makeStatement(sql: "SELECT strftime('%Y-%m-%d %H:%M:%S', date) = date FROM (SELECT \(value) AS date)")
            return try statement.step() && statement.int64(at: 0) == 1
        } catch {
            return false
        }
    }

    /// The known facts about the values of a column; nil if all are NULL, or there are none.
    private static func content(_ db: Database, _ object: Object, _ column: Column) throws -> ColumnContent? {
        let name = column.name.quotedDatabaseIdentifier
        // A view can have infinitely many rows: only its first rows are read.
        let limit = object.kind == .view ? " LIMIT 100000" : ""
        let statement = try db.makeStatement(sql: "SELECT \(name) FROM main.\(object.name.quotedDatabaseIdentifier)\(limit)")
        // Whether `Date` and `DatabaseTimestamp` read a string, and write the same one: these are their formats. Adding no days makes
        // February 30 a day of March.
        let dates = try db.makeStatement(
            sql: """
                SELECT strftime('%Y-%m-%d %H:%M:%f', ?1, '+0 days') = ?1, strftime('%Y-%m-%d %H:%M:%S', ?1, '+0 days') = ?1, ?1 LIKE '%.000'
                """)
        func check(date: DatabaseValue) throws {
            try dates.setArguments([date])
            let isRead = try dates.step()
            let (hasMilliseconds, hasSeconds) = (isRead && dates.int64(at: 0) == 1, isRead && dates.int64(at: 1) == 1)
            if !hasMilliseconds { content.isDate = false }
            if !hasSeconds, !hasMilliseconds || dates.int64(at: 2) == 1 { content.isTimestamp = false }
        }
        var content = ColumnContent(
            classes: [], hasNull: false, isBoolean: true, isDate: true, isTimestamp: true, isExactInDouble: true, isAllowed: true)
        var uuidFormats: Set<ColumnContent.UUIDFormat> = [.blob, .lowercase, .uppercase]
        while try statement.step() {
            if statement.storage(at: 0) != .null, content.isAllowed || !uuidFormats.isEmpty {
                let value = statement.databaseValue(at: 0)
                // A real number equals an integer, and an enum does not read it.
                if content.isAllowed { content.isAllowed = statement.storage(at: 0) != .real && column.allowedValues.contains(value) }
                uuidFormats.formIntersection(Self.uuidFormats(of: value))
            }
            content.add(statement)
            if statement.storage(at: 0) == .text, content.isDate || content.isTimestamp { try check(date: statement.databaseValue(at: 0)) }
        }
        content.uuidFormat = [.blob, .uppercase, .lowercase].first(where: uuidFormats.contains)
        return content.classes.isEmpty ? nil : content
    }

    /// Returns the formats in which a UUID is stored as the same bytes: two for a string without letters.
    private static func uuidFormats(of value: DatabaseValue) -> Set<ColumnContent.UUIDFormat> {
        switch value.storage {
        case .blob(let data): return data.count == 16 ? [.blob] : []
        case .string(let text):
            guard text.utf8.count == 36, let uuid = UUID(uuidString: text)?.uuidString else { return [] }
            return Set((uuid == text ? [.uppercase] : []) + (uuid.lowercased() == text ? [.lowercase] : []))
        default: return []
        }
    }
}

extension CommentedSQL.Comment {
    /// The lines of the comment, without white space and asterisks at their ends.
    var lines: [String] {
        text.split(whereSeparator: \.isNewline).map { line in
            var line = line.drop { $0 == " " || $0 == "\t" || $0 == "*" || $0 == "-" }
            while let last = line.last, last == " " || last == "\t" || last == "*" { line.removeLast() }
            return String(line)
        }.filter { !$0.isEmpty }
    }
}

extension CommentedSQL {
    /// The comments before the statements of a script that create tables and views, by the names of the tables and views.
    static func commentsBeforeTables(_ script: String) -> [SchemaName: [String]] {
        let tokens = CommentedSQL(script).tokens
        var comments: [SchemaName: [String]] = [:]
        for start in tokens.indices where tokens[start].is("CREATE") && (start == 0 || tokens[start - 1].text == ";") {
            var index = start + 1
            while index < tokens.count,
                ["TEMP", "TEMPORARY", "VIRTUAL", "TABLE", "VIEW", "IF", "NOT", "EXISTS"].contains(tokens[index].text.uppercased())
            {
                index += 1
            }
            guard index < tokens.count, tokens[start..<index].contains(where: { $0.is("TABLE") || $0.is("VIEW") }) else { continue }
            if index + 2 < tokens.count, tokens[index + 1].text == "." { index += 2 }
            // A comment after the previous statement is about that statement.
            let own = tokens[start].commentsBefore.drop(while: { $0.followsOnSameLine })
            comments[SchemaName(tokens[index].name)] = own.flatMap(\.lines)
        }
        return comments
    }
}

extension CommentedSQL.TableDefinition {
    /// The comments about columns, by their names.
    var columnComments: [SchemaName: [String]] {
        var comments: [SchemaName: [String]] = [:]
        for (item, itemComments) in zip(items, itemComments) {
            guard let first = item.first else { continue }
            if !first.beginsConstraint { comments[SchemaName(first.name), default: []] += itemComments.flatMap(\.lines) }
        }
        return comments
    }
}

extension ColumnContent {
    /// Notes the storage class of a value in the first column of a statement, and what it excludes.
    fileprivate mutating func add(_ statement: Statement) {
        switch statement.storage(at: 0) {
        case .null: hasNull = true
        case .integer:
            classes.insert("integer")
            (isDate, isTimestamp) = (false, false)
            let integer = statement.int64(at: 0) ?? 0
            if integer != 0 && integer != 1 { isBoolean = false }
            if Int64(exactly: Double(integer)) != integer { isExactInDouble = false }
        case .real:
            classes.insert("real")
            (isDate, isTimestamp, isBoolean) = (false, false, false)
        case .text:
            classes.insert("text")
            (isBoolean, isExactInDouble) = (false, false)
        case .blob:
            classes.insert("blob")
            (isDate, isTimestamp, isBoolean, isExactInDouble) = (false, false, false, false)
        }
    }
}

/// The options of a full-text table.
///
/// Source: <https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>
extension VirtualTableDefinition {
    var isFTS5: Bool { module == "fts5" }

    /// The table whose values the columns show; empty if the columns show none, and nil if the table stores them itself.
    var content: String? { value(ofOption: "content") }

    /// The columns that are not indexed. They may contain anything, such as the key of another table.
    var unindexed: Set<SchemaName> {
        let options = arguments.filter { $0.name.foldingASCIICase == "notindexed" }.compactMap(\.value)
        return Set((options + arguments.filter { isFTS5 && $0.words.contains("UNINDEXED") }.map(\.name)).map(SchemaName.init))
    }
}
