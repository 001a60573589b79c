import SQLiteDriver

/// Compiles the statements of files with SQLite, and finds the types of their parameters and columns.
struct QueryCompiler {
    let db: Database
    let schema: QuerySchema
    /// The names of types that the names of structs must not hide.
    let typeNames: Set<String>
    var settings = RecordSettings()

    /// Compiles the statements of a file.
    ///
    /// - Returns: the queries that have no errors, and the errors and warnings.
    func compile(_ file: QueryFile) throws -> (queries: [CompiledQuery], diagnostics: [QueryDiagnostic]) {
        var queries: [CompiledQuery] = []
        var diagnostics = file.diagnostics
        for statement in file.statements {
            var compilation = StatementCompilation(file.source, statement, self)
            if let query = try compilation.compile() { queries.append(query) }
            diagnostics += compilation.diagnostics
        }
        return (queries, diagnostics)
    }
}

/// A statement that has compiled, with everything that its function needs.
struct CompiledQuery {
    struct Parameter {
        /// The names in Swift and in SQL, and the number in SQL.
        var name: String
        var sqlName: String
        var type: QueryType
        var isOptional = false
        var isList = false
        /// Whether the SQL tests for NULL, so that nil is a good default.
        var isFilter = false

        var typeText: String { (isList ? "[\(type.name)]" : type.name) + (isOptional ? "?" : "") }
    }

    var statement: QueryFile.NamedStatement
    var name: String
    /// The SQL, taken apart at its lists.
    var fragments: [Fragment] = []
    var parameters: [Parameter] = []
    var columns: [GeneratedProperty] = []
    var cardinality = QueryFile.Cardinality.many
    /// Whether the statement inserts, updates or deletes rows.
    var isChange = false
    /// The record that the rows are.
    var record: String?
    /// The name of the struct of the rows, if they have one, and whether it is `Identifiable`.
    var structName = ""
    var isIdentifiable = false

    /// Whether the rows have a struct. A row of one value is that value, unless it is stored in a form of its own.
    var hasStruct: Bool {
        guard record == nil, !columns.isEmpty else { return false }
        return columns.count > 1 || statement.structName != nil || columns[0].storage == .json || columns[0].row != nil
    }

    /// Whether another query has the same struct, and writes it.
    var sharesStruct = false

    enum Fragment {
        case sql(String)
        /// A list, by the index of its parameter.
        case list(Int)
    }
}

/// The compilation of one statement.
struct StatementCompilation {
    let source: SourceText
    let statement: QueryFile.NamedStatement
    let compiler: QueryCompiler
    var diagnostics: [QueryDiagnostic] = []
    /// The SQL that the function runs: the statement, with lists of columns instead of stars.
    var sql: EditedSQL
    var parser: SQLParser
    /// Whether the statement itself decides at which positions its columns are.
    var hasCertainPositions = false
    /// The tables whose columns become rows of their own.
    var nests: [QueryNest] = []
    /// The names of the parameters in SQL.
    private var names: ParameterNames

    init(_ source: SourceText, _ statement: QueryFile.NamedStatement, _ compiler: QueryCompiler) {
        (self.source, self.statement, self.compiler) = (source, statement, compiler)
        sql = EditedSQL(statement.sql)
        parser = SQLParser(statement.sql)
        names = ParameterNames(
            parser.parameters, parser.parameters.map { _ in QueryTyping.ParameterFacts() }, areNumbered: compiler.settings.numbersParameters
        )
    }

    /// Adds an error or a warning about a range of the SQL that runs.
    mutating func add(_ message: String, at range: Range<Int>, isWarning: Bool = false) {
        let start = statement.range.lowerBound
        let range = sql.originalRange(range)
        diagnostics.append(
            source.diagnostic(message, at: range.lowerBound + start..<range.upperBound + start, isWarning: isWarning))
    }

    mutating func add(_ message: String, about annotation: QueryFile.Annotation) {
        diagnostics.append(source.diagnostic(message, at: annotation.range))
    }

    private static let kinds = ["SELECT", "VALUES", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE"]

    mutating func compile() throws -> CompiledQuery? {
        guard let first = parser.tokens.first else { return nil }
        guard Self.kinds.contains(first.keyword) else {
            let suggestion = first.kind == .word ? first.text.suggestion(in: Self.kinds) : ""
            add(
                suggestion.isEmpty
                    ? "\(first.text) is not allowed here: a query is a SELECT, INSERT, UPDATE or DELETE"
                    : "\(first.text) is not a statement\(suggestion)", at: first.range)
            return nil
        }
        var description: SQLCompilation.Description
        switch try compiler.db.compile(statement.sql) {
        case .nothing: return nil
        case .failure(let message, let offset):
            addFailure(message, offset)
            return nil
        case .statement(let result, _): description = result
        }

        var query = CompiledQuery(statement: statement, name: SwiftName.function(statement.name))
        query.isChange = !description.isReadonly || !["SELECT", "VALUES", "WITH"].contains(first.keyword)
        let count = diagnostics.count
        try listStars(&description)
        let (shape, facts) = analyze(description)
        guard makeParameters(&query, facts, description) else { return nil }
        try makeColumns(&query, shape, description)
        makeCardinality(&query, shape)
        makeFragments(&query)
        return diagnostics[count...].contains { !$0.isWarning } ? nil : query
    }

    // MARK: - Types

    /// What is proven about the statement; nil, and no facts, if it is not understood.
    private mutating func analyze(
        _ description: SQLCompilation.Description
    ) -> (QueryTyping.Shape?, [QueryTyping.ParameterFacts]) {
        do {
            // First, what the parameters meet; then, with their types, what the columns are.
            let tree = try parser.statement()
            var first = QueryTyping(compiler.schema, parser)
            _ = try first.shape(of: tree)
            names = ParameterNames(parser.parameters, first.parameters, areNumbered: compiler.settings.numbersParameters)
            var second = QueryTyping(compiler.schema, parser)
            for number in first.parameters.indices {
                let choice = choice(number, first.parameters[number])
                second.parameters[number].value = QueryValue(choice.type, isNullable: choice.isOptional)
            }
            var shape = try second.shape(of: tree)
            guard shape.columns.count == description.columns.count else { throw SQLParser.NotUnderstood() }
            for view in second.unknownViews where !isDeclared(description) {
                add(
                    "the query of the view \(view.name) is not understood, so nothing is proven about its columns", at: view.range,
                    isWarning: true)
            }
            // SQLite knows from which column a value comes. A disagreement shows that the statement was not understood.
            for (index, column) in description.columns.enumerated() {
                guard let origin = shape.columns[index].value.origin else { continue }
                if origin.declaredType.uppercased() != (column.declaredType ?? "").uppercased() {
                    (shape.columns[index].value, shape.columns[index].place) = (.unknown, nil)
                }
            }
            return (shape, first.parameters)
        } catch {
            if !isDeclared(description) {
                add(
                    "the statement is not understood from here on, so nothing is proven about it: declare the types of its columns and "
                        + "parameters with -- @column NAME TYPE and -- @param NAME TYPE",
                    at: (error as? SQLParser.NotUnderstood)?.range ?? parser.tokens[0].range, isWarning: true)
            }
            return (nil, parser.parameters.map { _ in QueryTyping.ParameterFacts() })
        }
    }

    /// Whether annotations declare the types of all columns and parameters.
    private func isDeclared(_ description: SQLCompilation.Description) -> Bool {
        description.columns.allSatisfy { annotation(ofColumn: $0.name)?.typeName != nil }
            && parser.parameters.indices.allSatisfy { annotation(ofParameter: $0)?.typeName != nil }
    }

    private typealias Meeting = QueryTyping.ParameterFacts.Meeting
    private typealias ParameterChoice = (type: QueryType?, isOptional: Bool, conflict: (Meeting, Meeting)?)

    /// The type and the optionality of a parameter, from its annotation or from what it meets.
    private func choice(_ number: Int, _ facts: QueryTyping.ParameterFacts) -> ParameterChoice {
        let annotation = annotation(ofParameter: number)
        let isOptional = annotation?.isOptional ?? facts.isOptional
        let strong = facts.meetings.filter { !$0.value.isLiteral }
        if let annotation, var name = annotation.typeName {
            if isList(number), name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
            // An annotation that leaves out the form of dates or UUIDs leaves it to what the parameter meets.
            let forms = Set(strong.compactMap(\.value.type).filter { $0.name == name && $0.storage != .json }.map(\.storage))
            let form = annotation.storage ?? (forms.count == 1 ? forms.first : nil) ?? .plain
            return (QueryType(name: name, storage: form), isOptional, nil)
        }
        if let first = strong.first {
            return (first.value.type, isOptional, strong.first { $0.value.type != first.value.type }.map { (first, $0) })
        }
        return (QueryValue.either(facts.meetings.map(\.value)).type, isOptional, nil)
    }

    private func annotation(ofParameter number: Int) -> QueryFile.Annotation? {
        statement.parameters.last { $0.name == names[number] } ?? statement.parameters.last { $0.name == names.numbered(number) }
    }

    private func annotation(ofColumn name: String) -> QueryFile.Annotation? {
        statement.columns.last { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    private func isList(_ number: Int) -> Bool { parser.parameters[number]?.lists.isEmpty == false }

    // MARK: - Parameters

    /// Adds the parameters to a query.
    ///
    /// - Returns: false after an error.
    private mutating func makeParameters(
        _ query: inout CompiledQuery, _ facts: [QueryTyping.ParameterFacts], _ description: SQLCompilation.Description
    ) -> Bool {
        guard parser.parameters.count == description.parameters.count else {
            add("the parameters are not understood: use names such as :score", at: parser.tokens[0].range)
            return false
        }
        let count = diagnostics.count { !$0.isWarning }
        var taken: Set<String> = []
        var sqlNames: Set<String> = []
        for number in parser.parameters.indices {
            guard let parameter = parser.parameters[number] else {
                let next = parser.parameters[number...].compactMap { $0 }.first
                let range = next?.occurrences[0] ?? 0..<1
                add("parameter ?\(number + 1) is missing: SQLite counts it, because a higher number is used", at: range)
                return false
            }
            let sqlName = names[number]
            guard sqlNames.insert(sqlName).inserted else {
                add("two parameters are named \(sqlName), with different signs: begin both with a colon", at: parameter.occurrences[0])
                continue
            }
            let choice = choice(number, facts[number])
            checkType(sqlName, parameter, choice, facts[number])
            if isList(number) { checkList(sqlName, parameter, isOptional: choice.isOptional) }
            query.parameters.append(
                CompiledQuery.Parameter(
                    name: SwiftName.unused(SwiftName.parameter(sqlName), &taken, avoiding: compiler.typeNames), sqlName: sqlName,
                    type: choice.type ?? QueryType(name: SwiftType.databaseValue.rawValue), isOptional: choice.isOptional,
                    isList: isList(number), isFilter: facts[number].isNullTested && choice.isOptional))
        }
        for annotation in statement.parameters {
            let isNumber = names.names.indices.contains { names.numbered($0) == annotation.name }
            guard !sqlNames.contains(annotation.name), !isNumber else { continue }
            add("the statement has no parameter \(annotation.name)\(annotation.name.suggestion(in: sqlNames.sorted()))", about: annotation)
        }
        return diagnostics.count { !$0.isWarning } == count
    }

    /// Adds an error if a parameter meets values of several types, and a warning if it meets none.
    private mutating func checkType(
        _ name: String, _ parameter: SQLParser.Parameter, _ choice: ParameterChoice, _ facts: QueryTyping.ParameterFacts
    ) {
        if let (first, second) = choice.conflict, let one = first.value.type, let other = second.value.type {
            let (one, other) = one.name == other.name ? (one.text, other.text) : (one.name, other.name)
            add(
                "the parameter \(name) could be \(one)\(reason(first)), or \(other)\(reason(second)): "
                    + "declare it with -- @param \(name) TYPE", at: second.range)
        }
        if choice.type == nil, !facts.meetsAny {
            add(
                "the type of the parameter \(name) is not known: declare it with -- @param \(name) TYPE", at: parameter.occurrences[0],
                isWarning: true)
        }
    }

    /// Adds an error if a list is used outside of `IN (…)`, or can be NULL.
    private mutating func checkList(_ name: String, _ parameter: SQLParser.Parameter, isOptional: Bool) {
        if parameter.lists.count != parameter.occurrences.count {
            let range = parameter.occurrences.first { range in !parameter.lists.contains { $0.contains(range.lowerBound) } }
            add("the parameter \(name) is a list in IN (…), and can't be used elsewhere", at: range ?? parameter.occurrences[0])
        }
        if isOptional { add("the parameter \(name) is a list, which can't be NULL", at: parameter.occurrences[0]) }
    }

    /// Why a parameter could have a type, for errors.
    private func reason(_ meeting: Meeting) -> String {
        meeting.partner == meeting.range ? " by its place" : " like \(text(meeting.partner))"
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: Array(statement.sql.utf8)[sql.originalRange(range)], as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(
            separator: " ")
    }

    /// The SQL, with names for all parameters, taken apart at its lists.
    private func makeFragments(_ query: inout CompiledQuery) {
        let bytes = Array(sql.text.utf8)
        var replacements: [(range: Range<Int>, fragment: CompiledQuery.Fragment)] = []
        for (number, parameter) in parser.parameters.enumerated() {
            guard let parameter else { continue }
            for list in parameter.lists { replacements.append((list, .list(number))) }
            if parameter.name != names[number], parameter.lists.isEmpty {
                for range in parameter.occurrences { replacements.append((range, .sql(":\(names[number])"))) }
            }
        }
        var end = 0
        for (range, fragment) in replacements.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            query.fragments.append(.sql(String(decoding: bytes[end..<range.lowerBound], as: UTF8.self)))
            query.fragments.append(fragment)
            end = range.upperBound
        }
        query.fragments.append(.sql(String(decoding: bytes[end...], as: UTF8.self)))
    }

    // MARK: - Columns

    private mutating func makeColumns(
        _ query: inout CompiledQuery, _ shape: QueryTyping.Shape?, _ description: SQLCompilation.Description
    ) throws {
        if statement.columns.isEmpty, statement.structName == nil, nests.isEmpty, let record = wholeRow(shape, description) {
            query.record = record.typeName
            return
        }
        let names = description.columns.map { $0.name.foldingASCIICase }
        if !nests.isEmpty, let shape, let scope = shape.scope {
            makeNests(&query, shape, scope, description)
        } else {
            if !nests.isEmpty { addNestProblem("the statement is not understood") }
            var taken: Set<String> = []
            for (index, column) in description.columns.enumerated() {
                let known = shape?.columns[index]
                // After a `*` that is not a list, a column's position may change. A name is certain where SQLite defines it.
                let isNamed = known.map(\.hasOwnName) ?? true
                let isUnique = names.count { $0 == column.name.foldingASCIICase } == 1
                let readsByName = !hasCertainPositions && (known?.followsStar ?? true) && isNamed && isUnique
                query.columns.append(
                    property(column, known?.value ?? .unknown, at: known?.range, index: readsByName ? nil : index, &taken))
            }
        }
        for annotation in statement.columns where !names.contains(annotation.name.foldingASCIICase) {
            let suggestion = annotation.name.suggestion(in: description.columns.map(\.name))
            add("the statement has no column \(annotation.name)\(suggestion)", about: annotation)
        }
        if description.columns.isEmpty, let annotation = statement.structName {
            add("the statement returns no rows, and has no struct", about: annotation)
        } else if statement.isIdentifiable, let annotation = statement.structName, !query.columns.contains(where: { $0.name == "id" }) {
            add(
                "\(annotation.name) can't be Identifiable: no column is named id. Write AS id after what identifies a row",
                about: annotation)
        }
    }

    /// The property of a column.
    ///
    /// - Parameters:
    ///   - value: what is proven about the column.
    ///   - range: the place of its expression, for warnings.
    ///   - index: the position of the column; nil if it is read by its name.
    ///   - taken: the names of other properties.
    mutating func property(
        _ column: (name: String, declaredType: String?), _ value: QueryValue, at range: Range<Int>?, index: Int?,
        _ taken: inout Set<String>
    ) -> GeneratedProperty {
        let annotation = annotation(ofColumn: column.name)
        var value = value
        if let mistake = value.mistake, annotation?.typeName == nil {
            add(
                "\(text(mistake.range)) is not a value of \(mistake.type.name), the type of the column \(column.name): declare another "
                    + "type with -- @column \(column.name.annotationName) TYPE", at: mistake.range)
        }
        if let name = annotation?.typeName { value.type = QueryType(name: name, storage: annotation!.storage ?? .plain) }
        let isOptional = annotation?.isOptional ?? value.isNullable
        let isAny = value.origin?.declaredType.isEmpty == true || column.declaredType?.uppercased() == "ANY"
        // A parameter has a warning of its own.
        let isParameter = parser.tokens.contains { $0.kind == .parameter && $0.range == range }
        if value.type == nil, !isAny, !isParameter {
            add(
                "the type of the column \(column.name) is not known: declare it with -- @column \(column.name.annotationName) TYPE",
                at: range ?? parser.tokens[0].range, isWarning: true)
        }
        if value.origin?.column != SchemaName(column.name), let hint = column.name.aliasHint,
            let token = parser.tokens.first(where: { $0.text.unquotedSQLName == column.name })
        {
            add(hint, at: token.range, isWarning: true)
        }
        let type = value.type ?? QueryType(name: SwiftType.databaseValue.rawValue)
        return GeneratedProperty(
            column: column.name, name: SwiftName.unused(SwiftName.member(column.name), &taken, avoiding: compiler.typeNames),
            typeName: type.name, isOptional: isOptional && type.name != SwiftType.databaseValue.rawValue, storage: type.storage,
            index: index)
    }

    /// The record whose columns are exactly those of the statement.
    private func wholeRow(_ shape: QueryTyping.Shape?, _ description: SQLCompilation.Description) -> RecordGenerator.Record? {
        guard let shape, shape.columns.allSatisfy(\.hasOwnName) else { return nil }
        return record(of: zip(shape.columns, description.columns).map { ($0.value.origin, $1.name) })
    }

    /// The record whose columns are exactly these, in any order.
    func record(of columns: [(origin: QueryValue.Origin?, name: String)]) -> RecordGenerator.Record? {
        guard let first = columns.first?.origin, let record = (try? compiler.schema.table(first.table.text))?.record,
            record.table.columns.count == columns.count
        else { return nil }
        var found: Set<SchemaName> = []
        for (origin, name) in columns {
            guard let origin, origin.isInRow, origin.table == first.table, origin.source == first.source,
                SchemaName(name) == origin.column, found.insert(origin.column).inserted
            else { return nil }
        }
        return record
    }

    private mutating func makeCardinality(_ query: inout CompiledQuery, _ shape: QueryTyping.Shape?) {
        query.cardinality = statement.cardinality ?? shape?.rowCount ?? .many
        if query.record == nil, query.columns.isEmpty, let cardinality = statement.cardinality {
            let message = "the statement returns no rows: :\(cardinality.rawValue) needs a SELECT, or RETURNING"
            diagnostics.append(source.diagnostic(message, at: statement.nameRange))
        }
    }

    // MARK: - SQLite's errors

    private mutating func addFailure(_ message: String, _ offset: Int?) {
        let named = message.lastIndex(of: ":").map { String(message[message.index(after: $0)...].drop { $0 == " " }) }
        let last = named.map { name in String(name.split(separator: ".").last ?? "") }
        var range = offset.flatMap { offset in parser.tokens.first { $0.range.contains(offset) }?.range }
        var name = last
        if let start = message.range(of: "near \""), let end = message.range(of: "\": syntax error") {
            name = String(message[start.upperBound..<end.lowerBound])
        } else if let start = message.range(of: " has no column named ") {
            name = String(message[start.upperBound...])
        }
        if range == nil, let name {
            range = parser.tokens.first { $0.text.unquotedSQLName.isEqualIgnoringASCIICase(to: name) }?.range
        }
        add(message + suggestion(message, name), at: range ?? parser.tokens[0].range.lowerBound..<parser.tokens.last!.range.upperBound)
    }

    /// The tables that the statement may be about: all that it names.
    private var namedTables: [QuerySchema.Table] {
        var names: Set<SchemaName> = []
        return parser.tokens.compactMap { token in
            guard [.word, .quotedName].contains(token.kind) else { return nil }
            let name = SchemaName(token.text.unquotedSQLName)
            guard compiler.schema.tableNames.contains(where: { SchemaName($0) == name }), names.insert(name).inserted else { return nil }
            return try? compiler.schema.table(name.text)
        }
    }

    /// What to write instead of what SQLite refuses; an empty string if nothing is similar.
    private func suggestion(_ message: String, _ name: String?) -> String {
        guard let name, !name.isEmpty else { return "" }
        if message.hasPrefix("no such column") || message.contains(" has no column named ") {
            return name.suggestion(in: namedTables.flatMap { $0.columns.map(\.name) } + aliases)
        }
        if message.hasPrefix("no such table") { return name.suggestion(in: compiler.schema.tableNames) }
        if message.hasPrefix("no such function") {
            let similar = name.suggestion(in: compiler.schema.functions.keys.sorted())
            return similar.isEmpty ? ". Declare a function of the program in schema.records: function \(name) 1 TYPE" : similar
        }
        if message.hasPrefix("no such collation") { return ". Declare a collation of the program in schema.records: collation \(name)" }
        if message.hasPrefix("ambiguous column name") {
            let tables = namedTables.filter { table in table.columns.contains { SchemaName($0.name) == SchemaName(name) } }
            return tables.isEmpty ? "" : ". Write " + tables.map { "\($0.name).\(name)" }.joined(separator: " or ")
        }
        guard message.contains("syntax error"), let index = parser.tokens.firstIndex(where: { $0.text == name }) else { return "" }
        // The misspelled keyword may be the token before the place where SQLite gives up.
        let words = parser.tokens[max(0, index - 1)...index].reversed().filter { $0.kind == .word && !Self.keywords.contains($0.keyword) }
        let keyword = words.lazy.compactMap { word in word.keyword.mostSimilar(in: Self.keywords).map { ($0, word.text) } }.first
        return keyword.map { ". Did you mean \($0) instead of \($1)?" } ?? ""
    }

    private static let keywords = [
        "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "BY", "HAVING", "LIMIT", "OFFSET", "LEFT", "JOIN", "VALUES", "INSERT", "INTO",
        "UPDATE",
        "DELETE", "DISTINCT", "RETURNING", "UNION",
    ]

    private var aliases: [String] {
        parser.tokens.indices.dropFirst().filter { parser.tokens[$0 - 1].keyword == "AS" }.map { parser.tokens[$0].text.unquotedSQLName }
    }
}

extension String {
    /// The name as an annotation writes it.
    var annotationName: String { contains { $0.isWhitespace } ? quotedDatabaseIdentifier : self }
}
