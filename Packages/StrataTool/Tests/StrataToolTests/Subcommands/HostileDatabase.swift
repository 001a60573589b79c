import Foundation

/// Random schemas whose names mean something in Swift, become equal in Swift, or have no capitals.
final class HostileDatabase {
    private var generator: SeededGenerator

    /// The tables so far, with their names as SQL and the definitions of their keys.
    private var tables: [(name: String, key: [(column: String, type: String)])] = []
    private(set) var statements: [String] = []

    /// - Parameter seed: what the random choices depend on.
    init(seed: UInt64, tableCount: Int) {
        generator = SeededGenerator(seed: seed)
        for _ in 0..<tableCount { addTable() }
        for _ in 0..<max(1, tableCount / 10) { addView() }
    }

    /// The SQL of tables, views and rows.
    var sql: String { "PRAGMA foreign_keys = OFF;\n" + statements.map { $0 + ";\n" }.joined() }

    // MARK: - Names

    /// Keywords of Swift, in any place or in some.
    static let keywords = [
        "Any", "Protocol", "Self", "Type", "actor", "any", "as", "associatedtype", "async", "await", "borrowing", "break", "case", "catch",
        "class", "consume", "consuming", "continue", "convenience", "copy", "default", "defer", "deinit", "didSet", "discard",
        "distributed",
        "do", "dynamic", "each", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get", "guard",
        "if", "import", "in", "indirect", "infix", "init", "inout", "internal", "is", "isolated", "lazy", "left", "let", "macro", "modify",
        "mutating", "nil", "none", "nonisolated", "nonmutating", "open", "operator", "optional", "override", "package", "postfix",
        "precedence", "precedencegroup", "prefix", "private", "protocol", "public", "read", "repeat", "required", "rethrows", "return",
        "right",
        "self", "sending", "set", "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws", "true", "try",
        "type",
        "typealias", "unowned", "unsafe", "unsafeAddress", "var", "weak", "where", "while", "willSet", "yield", "_", "__", "_read",
        "_modify",
    ]

    /// Names that the generated code and the protocols of records have.
    private static let members = [
        "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Column", "Columns", "Data", "Database", "DatabaseJSON",
        "DatabaseValue", "DatabaseValueConvertible", "Date", "Decodable", "Decoder", "Double", "Encoder", "FetchableRecord", "ForeignKey",
        "Foundation", "Hashable", "Hasher", "ID", "Identifiable", "InsertionSuccess", "Int", "Int64", "MutablePersistableRecord",
        "Optional",
        "PersistableRecord", "PersistenceContainer", "Record", "Row", "Sendable", "Strata", "String", "Swift", "Table", "TableRecord",
        "TypedColumn", "UUID", "all", "allCases", "belongsTo", "bind", "codingKeys", "codingPath", "column", "columns", "container",
        "databaseSelection", "databaseTableName", "databaseValue", "dbValue", "debugDescription", "decode", "delete", "description",
        "didInsert",
        "encode", "exists", "fetchAll", "fetchOne", "filter", "forKey", "fromDatabaseValue", "fromStatement", "hasMany", "hasOne", "hash",
        "hashValue", "hasher", "id", "including", "insert", "inserted", "intValue", "joining", "key", "limit", "order", "rawValue",
        "request",
        "row", "rowID", "save", "select", "stringValue", "through", "to", "unnamed", "update", "upsert", "using", "value", "values",
        "databaseColumnEncodingStrategy", "AllCases", "RawValue", "DatabaseComponents", "database_encoding_user_info_value",
        "fetchSequence", "databaseComponents", "databaseJSONDecoder", "record", "table", "table_record",
    ]

    /// Scripts without capitals, letters with odd capitals, digits, signs, and other bytes of the same characters.
    private static let scripts = [
        "本", "作者", "状态", "表", "値段", "ひらがな", "カナ", "한국어", "עברית", "العربية", "ไทย", "हिन्दी", "ქართული", "Ქართული", "ᏣᎳᎩ", "ｆｕｌｌ", "𝐀", "𝔞b",
        "ß", "ẞ", "İ", "ı", "ǅ", "ﬁ", "Ω", "\u{2126}", "K", "\u{212A}", "é", "e\u{301}", "É", "E\u{301}", "ñandú", "Größe", "größe",
        "GRÖSSE",
        "1", "2024", "1st", "٣", "２", "½", "²", "①", "Ⅷ", "0x1F", "_1", "😀", "👩‍🚀", "❤️", "", " ", "a b", "a-b", "a.b", "a/b", "a\"b", "a\\b",
        "a`b", "a\nb", "a\u{200B}b", "a\u{AD}b", "\u{301}a", "$0", "#if", "@objc", "%", "a'b", "\\(a)", "*/", "//", "本Record", "本2",
        "状态Value",
        "本Id", "作者ID", "本_id", "_2024Record",
    ]

    private static let ordinary = [
        "author", "Author", "authors", "author_id", "authorId", "book", "books", "name", "title", "x", "X", "Id",
    ]

    private func word() -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0, 1: Self.keywords.randomElement(using: &generator)!
        case 2, 3: Self.members.randomElement(using: &generator)!
        case 4, 5: Self.scripts.randomElement(using: &generator)!
        case 6: Self.ordinary.randomElement(using: &generator)!
        default:
            [tables.map(\.name) + ["本"], Self.keywords, Self.members, Self.scripts].randomElement(using: &generator)!
                .randomElement(using: &generator)!
                + ["", "Id", "_id", "ID", "Record", "2", "Value", "Column", "Rows", "By", "s"].randomElement(using: &generator)!
        }
    }

    /// Returns a name that SQLite does not have yet in a scope. It ignores the case of ASCII letters alone.
    private func newName(_ taken: inout Set<[UInt8]>) -> String {
        while true {
            let name = word()
            let folded = name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
            if !name.lowercased().hasPrefix("sqlite_"), taken.insert(folded).inserted { return name }
        }
    }

    private var takenTables: Set<[UInt8]> = []

    // MARK: - Statements

    private static let values = [
        "INTEGER": ["1", "-5", "9007199254740993"], "TEXT": ["'a'", "''", "'状态'"], "REAL": ["1.5", "-0.25"], "BLOB": ["x'00FF'", "x''"],
        "BOOLEAN": ["0", "1"], "DATETIME": ["'2024-02-29 12:30:00.000'"],
        "DATETIME DEFAULT CURRENT_TIMESTAMP": ["'2024-02-29 12:30:00'", "'2024-02-29 12:30:00.001'"],
        "TIMESTAMP DEFAULT (datetime('now'))": ["'2024-02-29 12:30:00.000'"], "UUID": ["x'00112233445566778899AABBCCDDEEFF'"],
        "": ["1", "'1'"],
    ]

    private static let types = values.keys.sorted()

    private func quoted(_ name: String) -> String { "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\"" }

    private func literal(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }

    private func addTable() {
        var taken: Set<[UInt8]> = []
        let name = newName(&takenTables)
        var columns: [(name: String, sql: String, values: [String])] = []
        var constraints: [String] = []
        var key: [(column: String, type: String)] = []
        var isWithoutRowID = false
        // The value of each row for a type; a key has another value in each row.
        func add(_ column: String, _ type: String, _ suffix: String, _ values: [String]) {
            columns.append((column, "\(quoted(column)) \(type)\(suffix)", values))
        }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0, 1:
            let column = newName(&taken)
            add(column, "INTEGER", " PRIMARY KEY", ["1", "2", "30"])
            key = [(column, "INTEGER")]
        case 2:
            let column = newName(&taken)
            add(column, "TEXT", " PRIMARY KEY NOT NULL", ["'a'", "'b'", "'本'"])
            key = [(column, "TEXT")]
        case 3, 4:
            let (first, second) = (newName(&taken), newName(&taken))
            add(first, "TEXT", " NOT NULL", ["'a'", "'a'", "'b'"])
            add(second, "INTEGER", " NOT NULL", ["1", "2", "1"])
            key = [(first, "TEXT"), (second, "INTEGER")]
            constraints.append("PRIMARY KEY (\(quoted(first)), \(quoted(second)))")
            isWithoutRowID = Bool.random(using: &generator)
        default: break
        }
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let column = newName(&taken)
            let type = Self.types.randomElement(using: &generator)!
            let notNull = Bool.random(using: &generator) ? " NOT NULL" : ""
            if type == "TEXT", Bool.random(using: &generator) {
                var cases: [String] = []
                for _ in 0..<Int.random(in: 1...5, using: &generator) { cases.append(literal(word())) }
                add(column, type, "\(notNull) CHECK (\(quoted(column)) IN (\(cases.joined(separator: ", "))))", cases)
            } else {
                add(column, type, notNull, Self.values[type]! + (notNull.isEmpty ? ["NULL"] : []))
            }
        }
        // References to tables so far, and to this one; some of them unique.
        tables.append((name, key))
        var referenceColumns: [[String]] = []
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            guard let target = tables.randomElement(using: &generator), !target.key.isEmpty else { continue }
            let own = target.key.map { _ in newName(&taken) }
            for (column, (_, type)) in zip(own, target.key) {
                add(column, type, "", type == "TEXT" ? ["'a'", "'b'", "'c'"] : ["1", "2", "3"])
            }
            func list(_ names: [String]) -> String { names.map { quoted($0) }.joined(separator: ", ") }
            constraints.append("FOREIGN KEY (\(list(own))) REFERENCES \(quoted(target.name)) (\(list(target.key.map(\.column))))")
            referenceColumns.append(own)
            if Int.random(in: 0..<4, using: &generator) == 0 { constraints.append("UNIQUE (\(list(own)))") }
            if referenceColumns.count == 2 { constraints.append("UNIQUE (\(list(referenceColumns.flatMap { $0 })))") }
        }
        statements.append(
            "CREATE TABLE \(quoted(name)) (\((columns.map(\.sql) + constraints).joined(separator: ", ")))\(isWithoutRowID ? " WITHOUT ROWID" : "")"
        )
        for row in 0..<2 {
            let values = columns.map { $0.values[row % $0.values.count] }
            statements.append("INSERT INTO \(quoted(name)) VALUES (\(values.joined(separator: ", ")))")
        }
    }

    private func addView() {
        var taken: Set<[UInt8]> = []
        let name = newName(&takenTables)
        let columns = (0..<Int.random(in: 1...4, using: &generator)).map { "\($0) AS \(quoted(newName(&taken)))" }
        statements.append("CREATE VIEW \(quoted(name)) AS SELECT \(columns.joined(separator: ", "))")
    }
}
