import SQLiteDriver

/// Settings for the code of records, in addition to the schema.
///
/// ```swift
/// let settings = try RecordSettings(
///     """
///     public
///     singular
///     table people    Member
///     column job.state    JobState
///     column *.tags       json [String]
///     type MONEY          Money
///     """, file: "schema.records")
/// let model = try queue.read { db in try SchemaModel(db, source: "library.sqlite") }
/// let code = try RecordGenerator(model, settings: settings).code
/// ```
///
/// Each line is a setting. `#` begins a comment, and double quotes enclose names as in SQL: `"order lines"."unit price"`.
///
/// | line | sets |
/// |---|---|
/// | `public` | Makes all declarations public. |
/// | `singular` | Gives records the singular of their tables' names. |
/// | `import MODULE` | Imports a module with types of your own. |
/// | `skip NAME` | Writes no record for a table or a view. |
/// | `table NAME TYPE` | Names the record of a table. |
/// | `column TABLE.COLUMN TYPE` | Gives a column a type; `*.COLUMN` is the column of each table that has one. |
/// | `type DECLARED TYPE` | Gives the columns with a declared type a type. Lengths count only if the line has some, too. |
/// | `function NAME COUNT TYPE` | Declares a function that the program adds to its connections. |
/// | `aggregate NAME COUNT TYPE` | Declares an aggregate function. |
/// | `collation NAME` | Declares a collation. |
/// | `queries NAME` | Names the enum of queries. |
/// | `numbered` | Calls parameters without a name `p1` and `p2`, and not by what they meet. |
/// | `patterns` | Makes the parameters of `MATCH` an `FTS5Pattern`, or an `FTS3Pattern`, instead of a `String`. |
/// | `nest` | Nests the rows of queries that have the columns of several tables. |
/// | `double-quoted strings allowed` | Accepts strings in double quotes, as `Configuration.acceptsDoubleQuotedStringLiterals` does. |
/// | `foreign keys off` | Runs migrations as a program does whose `Configuration.foreignKeysEnabled` is false. |
///
/// A column's type is a `DatabaseValueConvertible`, and Codable and Hashable as records are. `json` before a type stores a Codable type as
/// JSON. `lowercase` and `uppercase` before `UUID` store it as text instead of as 16 bytes. `timestamp` before `Date` stores it as
/// `CURRENT_TIMESTAMP` does, and `milliseconds` always with milliseconds; without these words, the default value of the column decides. A
/// line for a column takes precedence over `*.COLUMN`, which takes precedence over `type`.
public struct RecordSettings: Sendable {
    /// Whether the declarations are public.
    public var isPublic = false

    /// Whether records have the singular of their tables' names, and associations to one row, too.
    ///
    /// The last word of a name becomes singular: `order_lines` and `orderLines` both give `OrderLine`.
    ///
    /// | plural | singular |
    /// |---|---|
    /// | about 50 words such as `people`, `children`, `indices`, `wolves` | `Person`, `Child`, `Index`, `Wolf` |
    /// | `series`, `species`, `news`, `sales` and words without `s` at the end, such as `data` | themselves |
    /// | `…ss`, `…us`, `…is`: `glass`, `bonus`, `analysis` | themselves |
    /// | `…ies`: `categories` | `Category` |
    /// | `…shes`, `…ches`, `…xes`, `…sses`, `…zzes`, `…oes`: `boxes`, `addresses` | `Box`, `Address` |
    /// | other words with `s`: `books`, `houses` | `Book`, `House` |
    public var isSingular = false

    /// The modules that the code imports, and the lines about tables, columns and types.
    private(set) var imports: [String] = []
    private(set) var rules: [Rule] = []

    /// The functions and collations that the program adds to its connections.
    private(set) var functions: [Function] = []
    private(set) var collations: [String] = []

    /// The name of the enum with the functions of queries.
    private(set) var queryNamespace = "Queries"

    /// Whether parameters of queries that have no name are called by their numbers, and not by what they meet.
    private(set) var numbersParameters = false

    /// Whether queries that select `*` of several tables have rows that nest the rows of these.
    private(set) var nestsRows = false

    /// The line that makes the parameters of MATCH patterns of the module FullTextSearch.
    private var patternsLine: Int?
    var matchesPatterns: Bool { patternsLine != nil }

    /// Whether the program's connections accept strings in double quotes.
    private(set) var acceptsDoubleQuotedStrings = false

    /// Whether the program's connections enforce foreign keys.
    private(set) var enforcesForeignKeys = true

    /// The name of the file, for errors.
    private let file: String

    /// A function that the program adds to its connections.
    struct Function: Sendable {
        var name: String
        /// The number of arguments; nil for any.
        var argumentCount: Int?
        var isAggregate: Bool
        /// What its results are.
        var value: QueryValue
    }

    /// A line about a table, a column or a type.
    struct Rule: Sendable {
        /// The subject of the line, with names as they are written in the line.
        enum Subject: Sendable, Equatable {
            /// A table without a record.
            case skipped(SchemaName)
            case table(SchemaName)
            /// A column of a table, or of each table.
            case column(table: SchemaName?, SchemaName)
            case declaredType(SchemaName)
        }

        var line: Int
        var subject: Subject
        /// The form that a word before the type sets; nil if the schema determines it.
        var storage: StorageForm?
        var typeName: String
    }

    /// Creates settings that leave everything to the schema.
    public init() {
        file = ""
    }

    /// Reads settings from the text of a file.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - file: the name of the file, for errors.
    /// - Throws: ``RecordSettingsError`` for a line that is not a setting, and for a line that repeats another.
    public init(_ text: String, file: String) throws {
        self.file = file
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            try read(line, number: index + 1)
        }
    }

    private mutating func read(_ line: Substring, number: Int) throws {
        var rest = SettingsLine(line)
        guard let keyword = rest.word() else { return }
        if try readRule(keyword, &rest, number) { return }
        switch keyword {
        case "public": isPublic = true
        case "singular": isSingular = true
        case "numbered": numbersParameters = true
        case "nest": nestsRows = true
        case "patterns": patternsLine = number
        case "import":
            guard let module = rest.word(), module.isSwiftTypeName else { throw error(number, "import needs the name of a module") }
            imports.append(module)
        case "skip":
            let name = try rest.name(error(number, "skip needs a name: skip import_log"))
            try append(Rule(line: number, subject: .skipped(SchemaName(name)), typeName: ""))
        case "collation": collations.append(try rest.name(error(number, "collation needs a name: collation german")))
        case "queries":
            guard let name = rest.word(), SwiftName.isIdentifier(name) else {
                throw error(number, "queries needs the name of an enum: queries LibraryQueries")
            }
            try checkDeclared(name, number)
            queryNamespace = name
        case "double-quoted":
            guard rest.word() == "strings", rest.word() == "allowed" else {
                throw error(number, "the line is: double-quoted strings allowed")
            }
            acceptsDoubleQuotedStrings = true
        case "foreign":
            guard rest.word() == "keys", rest.word() == "off" else { throw error(number, "the line is: foreign keys off") }
            enforcesForeignKeys = false
        default:
            throw error(
                number,
                "\(keyword) is not a setting: the settings are public, singular, import, skip, table, column, type, function, aggregate, collation, "
                    + "queries, numbered, nest, patterns, double-quoted strings allowed and foreign keys off")
        }
        if let extra = rest.word() { throw error(number, "unexpected \(extra)") }
    }

    /// Reads a line that ends with a type, which may have several words.
    ///
    /// - Returns: false for other lines.
    private mutating func readRule(_ keyword: String, _ rest: inout SettingsLine, _ number: Int) throws -> Bool {
        switch keyword {
        case "table":
            let name = try rest.name(error(number, "table needs a name and a type: table people Person"))
            let type = rest.type()
            if !type.isEmpty { try checkDeclared(type, number) }
            if let other = rules.first(where: { if case .table = $0.subject { $0.typeName == type } else { false } }) {
                throw error(number, "line \(other.line) already names a record \(type)")
            }
            try add(.table(SchemaName(name)), "", type, number)
        case "column":
            guard let names = rest.names()?.map(SchemaName.init), names.count == 2 else {
                throw error(number, "column needs a table, a column and a type: column job.state JobState")
            }
            let form = rest.form()
            try add(.column(table: names[0].text == "*" ? nil : names[0], names[1]), form, rest.type(), number)
        case "type":
            let name = try rest.name(error(number, "type needs a declared type and a type: type MONEY Money"))
            let form = rest.form()
            try add(.declaredType(SchemaName(name)), form, rest.type(), number)
        case "function", "aggregate": try readFunction(keyword, &rest, number)
        default: return false
        }
        return true
    }

    /// Reads a line about a function, without its first word.
    private mutating func readFunction(_ keyword: String, _ rest: inout SettingsLine, _ number: Int) throws {
        guard let names = rest.names(), names.count == 1, let count = rest.word(),
            count == "*" || Int(count).map({ 0...127 ~= $0 }) == true
        else { throw error(number, "\(keyword) needs a name, a number of arguments or *, and a type: \(keyword) distance 4 Double?") }
        var type = rest.type()
        var value = QueryValue(isNullable: type.isEmpty || type.hasSuffix("?"))
        if type.hasSuffix("?") { type.removeLast() }
        if !type.isEmpty {
            guard type.isSwiftTypeName else { throw error(number, "\(type) is not a type") }
            value.type = QueryType(name: type)
        }
        if functions.contains(where: { $0.name.isEqualIgnoringASCIICase(to: names[0]) && $0.argumentCount == Int(count) }) {
            throw error(number, "another line already declares \(names[0])")
        }
        functions.append(Function(name: names[0], argumentCount: Int(count), isAggregate: keyword == "aggregate", value: value))
    }

    private mutating func add(_ subject: Rule.Subject, _ word: String, _ typeName: String, _ number: Int) throws {
        guard typeName.isSwiftTypeName else {
            throw error(
                number,
                typeName.isEmpty ? "a type is missing" : "\(typeName) is not a type; the schema determines whether it is optional")
        }
        let storage = StorageForm.words.first { $0.word == word }
        if let type = storage?.type, typeName != type { throw error(number, "\(word) is for \(type)") }
        try append(Rule(line: number, subject: subject, storage: storage?.form, typeName: typeName))
    }

    /// Checks that the code can declare a type with a name, and does not need another type with this name.
    private func checkDeclared(_ typeName: String, _ number: Int) throws {
        guard SwiftName.isTypeName(typeName) else { throw error(number, "\(typeName) can't be the name of a type") }
        if SwiftName.usedTypes.contains(typeName) { throw error(number, "another type is named \(typeName)") }
    }

    private mutating func append(_ rule: Rule) throws {
        if let other = rules.first(where: { $0.subject == rule.subject }) {
            throw error(rule.line, "line \(other.line) already sets this")
        }
        rules.append(rule)
    }

    private func error(_ line: Int, _ message: String) -> RecordSettingsError {
        RecordSettingsError(file: file, line: line, message: message)
    }

    // MARK: - Schemas

    /// Checks that each line is about a table or a column that exists.
    ///
    /// - Throws: ``RecordSettingsError`` for the first line that is not.
    func check(_ model: SchemaModel) throws {
        let columns = model.tables.flatMap(\.columns)
        func table(_ name: SchemaName) -> SchemaModel.Table? { model.tables.first { SchemaName($0.name) == name } }
        for rule in rules {
            let problem: String? =
                switch rule.subject {
                case .table(let name), .skipped(let name):
                    table(name) == nil ? "there is no table or view \(name.text)" : nil
                case .column(let name?, let column):
                    if let table = table(name) {
                        table.columns.contains { SchemaName($0.name) == column } ? nil : "\(table.name) has no column \(column.text)"
                    } else {
                        "there is no table or view \(name.text)"
                    }
                case .column(nil, let column):
                    columns.contains { SchemaName($0.name) == column } ? nil : "no table has a column \(column.text)"
                case .declaredType(let type):
                    columns.contains { $0.declaredType.isDeclared(as: type.text) } ? nil : "no column has the declared type \(type.text)"
                }
            if let problem { throw error(rule.line, problem) }
        }
    }

    /// Checks that the code of queries has the types that the lines mean.
    ///
    /// - Parameter module: the module that the code imports.
    /// - Throws: ``RecordSettingsError`` for a line `patterns`, if the code does not import FullTextSearch.
    func check(module: String) throws {
        guard let line = patternsLine, !imports(module).contains(where: { $0 == "Strata" || $0 == "FullTextSearch" }) else { return }
        throw error(line, "the patterns belong to the module FullTextSearch: add a line \"import FullTextSearch\"")
    }

    /// The modules that the code imports, if one of them is given.
    func imports(_ module: String) -> Set<String> { Set([module] + imports) }

    /// Returns the type that a line gives to a table's record.
    func typeName(ofTable name: String) -> String? {
        rules.first { $0.subject == .table(SchemaName(name)) }?.typeName
    }

    /// Returns whether a line leaves out a table's record.
    func skips(_ name: String) -> Bool {
        rules.contains { $0.subject == .skipped(SchemaName(name)) }
    }

    /// The names in the types of the lines.
    var mentionedTypes: Set<String> {
        Set(
            (matchesPatterns ? ["FTS3Pattern", "FTS5Pattern"] : [])
                + (rules.map(\.typeName) + functions.compactMap(\.value.type?.name)).flatMap(\.swiftIdentifiers))
    }

    /// Returns the line about a column that takes precedence over the others.
    func rule(for column: SchemaModel.Column, of table: String) -> Rule? {
        func precedence(_ subject: Rule.Subject) -> Int? {
            switch subject {
            case .column(SchemaName(table), SchemaName(column.name)): 0
            case .column(nil, SchemaName(column.name)): 1
            case .declaredType(let type) where column.declaredType.isDeclared(as: type.text): type.text.contains("(") ? 2 : 3
            default: nil
            }
        }
        return rules.compactMap { rule in precedence(rule.subject).map { ($0, rule) } }.min { $0.0 < $1.0 }?.1
    }
}

/// An error in a file of settings.
public struct RecordSettingsError: Error, Sendable, CustomStringConvertible {
    /// The file.
    public let file: String

    /// The number of the line, from 1.
    public let line: Int

    /// The description of the mistake.
    public let message: String

    /// The message, after the file and the line as compilers print them.
    public var description: String { "\(file):\(line): error: \(message)" }
}

/// A line whose words are consumed from the front.
private struct SettingsLine {
    private var rest: Substring

    init(_ line: Substring) {
        rest = line
        skipSpaces()
    }

    private mutating func skipSpaces() {
        rest = rest.drop(while: \.isWhitespace)
        if rest.first == "#" { rest = "" }
    }

    mutating func word() -> String? {
        let word = rest.prefix { !$0.isWhitespace }
        rest = rest.dropFirst(word.count)
        skipSpaces()
        return word.isEmpty ? nil : String(word)
    }

    /// Names separated by dots, each of which may be in quotes.
    mutating func names() -> [String]? {
        var names = [""]
        var isQuoted = false
        while let scalar = rest.unicodeScalars.first, isQuoted || !scalar.properties.isWhitespace {
            rest.unicodeScalars.removeFirst()
            if scalar == "\"" {
                if isQuoted, rest.unicodeScalars.first == "\"" {
                    names[names.count - 1].unicodeScalars.append(rest.unicodeScalars.removeFirst())
                } else {
                    isQuoted.toggle()
                }
            } else if scalar == ".", !isQuoted {
                names.append("")
            } else {
                names[names.count - 1].unicodeScalars.append(scalar)
            }
        }
        skipSpaces()
        return isQuoted || names.contains("") ? nil : names
    }

    /// A single name.
    ///
    /// - Throws: an error if something else comes next.
    mutating func name(_ error: RecordSettingsError) throws -> String {
        guard let names = names(), names.count == 1 else { throw error }
        return names[0]
    }

    /// The word before a type that names a form; empty if there is none.
    mutating func form() -> String {
        let before = rest
        if let word = word(), !rest.isEmpty, StorageForm.words.contains(where: { $0.word == word }) { return word }
        rest = before
        return ""
    }

    /// The rest of the line.
    mutating func type() -> String {
        var words: [String] = []
        while let word = word() { words.append(word) }
        return words.joined(separator: " ")
    }
}

extension String {
    /// Returns whether a declared type matches a setting, which may leave out the length.
    fileprivate func isDeclared(as type: String) -> Bool {
        func normalized(_ text: some StringProtocol) -> String { text.uppercased().filter { !$0.isWhitespace } }
        return !isEmpty && normalized(type.contains("(") ? self[...] : prefix { $0 != "(" }) == normalized(type)
    }

    /// The names in the name of a type: the names of types, modules and generic arguments.
    var swiftIdentifiers: [String] { split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init) }

    /// Whether this can be the name of a type, such as `Tagged<User, [Int64]>`.
    var isSwiftTypeName: Bool {
        guard let first, first.isLetter || first == "_" || first == "[" || first == "(" else { return false }
        return allSatisfy { $0.isLetter || $0.isNumber || "_.<>[]():, ".contains($0) }
    }
}
