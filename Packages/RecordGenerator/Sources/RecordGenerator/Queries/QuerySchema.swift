import SQLiteDriver

/// The tables, views and functions that statements can name, with what is proven about their columns.
final class QuerySchema {
    struct Column {
        var name: String
        var value: QueryValue
        /// Whether `*` leaves the column out.
        var isHidden = false
        /// Whether an INSERT can't give it a value.
        var isGenerated = false
    }

    struct Table {
        var name: String
        var columns: [Column]
        /// Whether the rows have IDs; nil for views, subqueries and common tables.
        var hasRowID: Bool?
        var isView = false
        /// Whether it is a view whose query is not understood.
        var isUnknown = false
        /// The record of the table's rows.
        var record: RecordGenerator.Record?
        /// The sets of columns of which no two rows have the same values, however they are compared with a parameter or a literal. A table with
        /// at most one row has an empty set.
        var uniqueKeys: [Set<SchemaName>] = []
        /// Whether an INSERT of one row may insert none: a trigger, or a constraint, may skip it.
        var mayIgnoreRows = true
        /// Whether the statement defines the table: a subquery, or a common table.
        var isDerived = false
        /// The type of the parameters that MATCH compares with a full-text table, if the settings ask for one.
        var patternType: QueryType?
    }

    /// Kinds of functions.
    enum FunctionKind {
        case scalar
        case aggregate
    }

    private let db: Database
    /// The names that SQLite accepts without quotes.
    private var plainNames: [String: Bool] = [:]
    private var tables: [SchemaName: Table] = [:]
    private var views: [SchemaName: String] = [:]
    private var viewsInProgress: Set<SchemaName> = []
    private(set) var functions: [String: FunctionKind] = [:]

    /// The literals that columns can store, by the types of the columns.
    private(set) var listedLiterals: [QueryType: ListedLiterals] = [:]

    /// The types that the settings declare for functions.
    let declaredFunctions: [String: RecordSettings.Function]

    init(_ db: Database, _ model: SchemaModel, _ records: [RecordGenerator.Record], _ settings: RecordSettings) throws {
        self.db = db
        declaredFunctions = Dictionary(settings.functions.map { ($0.name.foldingASCIICase, $0) }) { first, _ in first }
        let strict = Set(
            try db.values("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict") { $0.string(at: 0).map(SchemaName.init) })
        var definitions: [SchemaName: String] = [:]
        var triggered: Set<SchemaName> = []
        let objects = try db.makeStatement(sql: "SELECT type, name, tbl_name, sql FROM main.sqlite_master")
        while try objects.step() {
            let name = SchemaName(objects.string(at: 1) ?? "")
            switch objects.string(at: 0) {
            case "view": views[name] = objects.string(at: 3)
            case "table": definitions[name] = objects.string(at: 3)
            case "trigger": triggered.insert(SchemaName(objects.string(at: 2) ?? ""))
            default: break
            }
        }
        for table in model.tables where table.kind != .view {
            let name = SchemaName(table.name)
            let record = records.first { SchemaName($0.table.name) == name }
            let words = Set(CommentedSQL(definitions[name] ?? "").tokens.map { $0.text.uppercased() })
            var known = try Self.table(
                table, record, constants: SQLParser.constantColumns(definitions[name] ?? ""), isStrict: strict.contains(name),
                hasCollations: words.contains("COLLATE"),
                mayIgnoreRows: triggered.contains(name) || words.contains("IGNORE"), db)
            proveGeneratedColumns(of: &known, definitions[name] ?? "", isStrict: strict.contains(name)) { column in
                let column = table.columns.first { SchemaName($0.name) == SchemaName(column) }
                return column.flatMap { settings.rule(for: $0, of: table.name) }?.typeName != nil
            }
            if settings.matchesPatterns {
                known.patternType = table.fullText.map { QueryType(name: $0.isFTS5 ? "FTS5Pattern" : "FTS3Pattern") }
            }
            for (column, known) in zip(table.columns, known.columns) { noteLiterals(column, record, known.value.type) }
            tables[name] = known
        }
        let names = try db.makeStatement(sql: "SELECT DISTINCT name, type FROM pragma_function_list")
        while try names.step() {
            let name = (names.string(at: 0) ?? "").foldingASCIICase
            if names.string(at: 1) == "s" { functions[name] = functions[name] ?? .scalar } else { functions[name] = .aggregate }
        }
    }

    /// Returns a name as SQL writes it: in quotes where it needs them.
    func written(_ name: String) throws -> String {
        if let isPlain = plainNames[name] { return isPlain ? name : name.quotedDatabaseIdentifier }
        var isPlain = !name.isEmpty && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        // A keyword is not the name of a column.
        if isPlain, case .statement = try db.compile("SELECT 1 AS \(name)") {} else { isPlain = false }
        plainNames[name] = isPlain
        return try written(name)
    }

    /// Notes the values of a column with a CHECK. The enum of the column has no others; a type of the program's own may have some.
    private func noteLiterals(_ column: SchemaModel.Column, _ record: RecordGenerator.Record?, _ type: QueryType?) {
        guard let type, !column.allowedValues.isEmpty else { return }
        for value in column.allowedValues {
            switch value.storage {
            case .string(let text): listedLiterals[type, default: ListedLiterals()].values.insert(.string(text))
            case .int64(let number): listedLiterals[type, default: ListedLiterals()].values.insert(.integer(number))
            default: break
            }
        }
        if record?.properties.contains(where: { SchemaName($0.column) == SchemaName(column.name) && $0.values != nil }) == true {
            listedLiterals[type]?.isComplete = true
        }
    }

    /// The names of all tables and views, for suggestions.
    var tableNames: [String] { tables.values.map(\.name) + views.keys.map(\.text) }

    private static func table(
        _ table: SchemaModel.Table, _ record: RecordGenerator.Record?, constants: Set<SchemaName>, isStrict: Bool, hasCollations: Bool,
        mayIgnoreRows: Bool, _ db: Database
    ) throws -> Table {
        var result = Table(name: table.name, columns: [], record: record, mayIgnoreRows: mayIgnoreRows)
        result.columns = table.columns.map { column in
            let value = stored(column, of: table, record, isStrict: isStrict)
            return Column(name: column.name, value: value, isGenerated: column.isGenerated)
        }
        guard table.kind == .table else {
            result.columns += try hiddenColumns(table, db)
            result.hasRowID = true
            return result
        }
        result.hasRowID = try db.primaryKey(table.name, in: "main").tableHasRowID
        // All rows have the same value in these columns. NULL passes a CHECK.
        let constants = constants.filter { name in
            result.columns.contains { SchemaName($0.name) == name && !$0.value.isNullable }
        }
        result.uniqueKeys = try uniqueKeys(of: table, hasCollations: hasCollations, db).map { $0.subtracting(constants) }
        return result
    }

    /// What is proven about the values that a column stores.
    ///
    /// Only row IDs and the columns of STRICT tables have one storage class: other tables store what they can't convert as it is. Generated
    /// columns are not checked: see ``proveGeneratedColumns(of:_:isStrict:isDeclared:)``.
    ///
    /// Source: <https://www.sqlite.org/stricttables.html>, <https://www.sqlite.org/lang_createtable.html#rowid>
    private static func stored(
        _ column: SchemaModel.Column, of table: SchemaModel.Table, _ record: RecordGenerator.Record?, isStrict: Bool
    ) -> QueryValue {
        var value = QueryValue(isNullable: table.kind != .table || !column.isNotNull)
        if let record, let property = record.properties.first(where: { SchemaName($0.column) == SchemaName(column.name) }) {
            if let type = record.type(of: property) {
                let isNumeric = [.integer, .real, .numeric].contains(ColumnAffinity(column.declaredType, isStrict: isStrict))
                // An enum of the values of a CHECK has no other values.
                let isQuantity = isNumeric && type.mayBeQuantity && property.values == nil
                value.type = type
                value.meaning = type.number != nil ? .number : isQuantity ? .quantity : .own
            }
        } else {
            // A table without a record.
            value.type = column.inferredType ?? (SwiftType(column) == .databaseValue ? nil : QueryType(name: SwiftType(column).rawValue))
        }
        if let rowID = table.rowIDColumn, SchemaName(rowID) == SchemaName(column.name) {
            (value.storage, value.magnitude, value.isNullable) = (.integer, 63, false)
        } else if isStrict, !column.isGenerated {
            switch column.declaredType.uppercased() {
            case "INT", "INTEGER": (value.storage, value.magnitude) = (.integer, 63)
            case "REAL": value.storage = .real
            case "TEXT": value.storage = .text
            case "BLOB": value.storage = .blob
            default: break
            }
        }
        value.origin = QueryValue.Origin(
            table: SchemaName(table.name), column: SchemaName(column.name), declaredType: column.declaredType, source: 0)
        return value
    }

    /// The primary key and the unique indexes of whole tables.
    ///
    /// With collations, values that an index tells apart may compare as equal.
    private static func uniqueKeys(of table: SchemaModel.Table, hasCollations: Bool, _ db: Database) throws -> [Set<SchemaName>] {
        var keys = table.rowIDColumn.map { [Set([SchemaName($0)])] } ?? []
        if hasCollations { return keys }
        for index in try db.indexes(on: table.name, in: "main") where index.isUnique && !index.isPartial && !index.hasExpressions {
            let sql = "SELECT coll FROM pragma_index_xinfo(?, 'main') WHERE key AND coll <> 'BINARY'"
            if try db.values(sql, [index.name], { $0.string(at: 0) }).isEmpty { keys.append(Set(index.columns.map(SchemaName.init))) }
        }
        return keys
    }

    /// The hidden columns of a virtual table: `rank` and the name of the table in FTS5, `docid` in FTS3 and FTS4.
    ///
    /// Source: <https://www.sqlite.org/fts5.html>, <https://www.sqlite.org/fts3.html>
    private static func hiddenColumns(_ table: SchemaModel.Table, _ db: Database) throws -> [Column] {
        try allColumns(table.name, db).filter(\.isHidden).map { column in
            var column = column
            if let fullText = table.fullText {
                if SchemaName(column.name) == SchemaName("docid") { column.value = .integer(isNullable: false) }
                // The column with the name of the table is compared with patterns.
                if fullText.isFTS5 { column.value.type = SchemaName(column.name) == SchemaName("rank") ? .double : .string }
                // What an INSERT gives it is the value of an option.
                column.isGenerated = column.value.type == .double
            }
            return column
        }
    }

    /// All columns of a table, a view or a table-valued function, with the types that their declarations give.
    ///
    /// `json_each` declares none. Its columns `type`, `fullkey` and `path` are strings in each row, and `id` is an integer. `key` and `value`
    /// depend on the JSON.
    ///
    /// Source: <https://www.sqlite.org/json1.html#jeach>
    private static func allColumns(_ name: String, _ db: Database) throws -> [Column] {
        try db.values("SELECT name, type, hidden FROM pragma_table_xinfo(?)", [name]) { row in
            var value = QueryValue()
            let column = row.string(at: 0) ?? ""
            let type = SwiftType(SchemaModel.Column(name: column, declaredType: row.string(at: 1) ?? ""))
            if type != .databaseValue { value.type = QueryType(name: type.rawValue) }
            if name.foldingASCIICase == "json_each" || name.foldingASCIICase == "json_tree" {
                if ["type", "fullkey", "path"].contains(column) { value.type = .string }
                if ["id", "parent"].contains(column) { value.type = .int64 }
            }
            return Column(name: column, value: value, isHidden: row.int64(at: 2) == 1)
        }
    }

    /// Returns the table, view or table-valued function with a name.
    ///
    /// - Throws: an error if there is none, or if nothing is known about it.
    func table(_ name: String) throws -> Table {
        let key = SchemaName(name)
        if let table = tables[key] { return table }
        if let sql = views[key] {
            let table = try view(name, sql)
            tables[key] = table
            return table
        }
        let columns = try Self.allColumns(name, db)
        guard !columns.isEmpty else { throw SQLParser.NotUnderstood() }
        return Table(name: name, columns: columns, hasRowID: true)
    }

    /// A view: what is proven about its query.
    ///
    /// SQLite gives each column the declared type of the first query of a UNION, which says nothing about the others.
    private func view(_ name: String, _ sql: String) throws -> Table {
        var table = Table(name: name, columns: try Self.allColumns(name, db), isView: true, isUnknown: true)
        for index in table.columns.indices { table.columns[index].value = .unknown }
        guard viewsInProgress.insert(SchemaName(name)).inserted else { throw SQLParser.NotUnderstood() }
        defer { viewsInProgress.remove(SchemaName(name)) }
        var parser = SQLParser(sql)
        if let query = try? parser.view() {
            var typing = QueryTyping(self, parser)
            if let shape = try? typing.shape(of: query), shape.columns.count == table.columns.count {
                table.isUnknown = false
                for index in table.columns.indices { table.columns[index].value = Self.shown(shape.columns[index].value) }
            }
        }
        return table
    }

    /// The value of a column of a view. A view's columns don't belong to the records of its tables, and its literals have no place in a statement.
    private static func shown(_ value: QueryValue) -> QueryValue {
        changed(value) { value in
            value.origin?.isInRow = false
            if !value.isNull { value.literals = [] }
            if value.mistake != nil { (value.type, value.mistake) = (nil, nil) }
        }
    }
}
