import SQLiteDriver

/// Writes the functions and structs of queries.
struct QueryGenerator {
    let queries: [CompiledQuery]
    /// The name of the file with the SQL.
    let source: String
    let namespace: String
    let module: String
    let settings: RecordSettings

    private var access: String { settings.isPublic ? "public " : "" }

    /// The code of the enum that all files of queries extend.
    ///
    /// - Parameters:
    ///   - schema: the script of the schema.
    ///   - migrations: the migrations; nil if the program has its own.
    static func namespaceCode(_ settings: RecordSettings, module: String, schema: SourceText, migrations: MigrationFolder?) -> String {
        let access = settings.isPublic ? "public " : ""
        var code = CodeWriter("The queries of SQL files", writtenBy: "queries")
        var modules = settings.imports(module)
        let isKnown = modules.contains("Strata") || modules.contains("Migrations")
        if migrations != nil, !isKnown { modules.insert("Migrations") }
        for name in modules.sorted() { code.line("import \(name)") }
        code.line()
        code.line("/// The queries of SQL files: a function for each statement.")
        code.block("\(access)nonisolated enum \(settings.queryNamespace)") { code in
            if isKnown || migrations != nil {
                code.line("/// Checks that a database has the schema with which the queries were compiled.")
                code.block("\(access)static func check(_ db: Database) throws") { code in
                    code.line("try db.checkSchema(schema)")
                }
            }
            if let migrations { writeMigrator(migrations, access, to: &code) }
            code.line()
            code.line("/// The SQL of the schema.")
            code.line("\(access)static let schema = \"\"\"")
            code.indented { code in
                for line in schema.text.multilineLiteral.trimmedEnd.literalLines { code.line(line) }
                code.line("\"\"\"")
            }
        }
        return code.text
    }

    /// The name of the enum whose extensions have the functions of steps.
    static let stepNamespace = "MigrationSteps"

    private static func writeMigrator(_ migrations: MigrationFolder, _ access: String, to code: inout CodeWriter) {
        code.line()
        code.line("/// A migrator with the migrations of files.")
        code.block("\(access)static var migrator: DatabaseMigrator") { code in
            code.line("var migrator = DatabaseMigrator()")
            for (file, script) in zip(migrations.migrations, migrations.files) {
                let name = file.identifier.swiftLiteral
                if file.isStep {
                    let function = SwiftName.quoted(file.stepFunction ?? "")
                    code.block("migrator.registerStep(\(name))", closure: "db in") { $0.line("try \(stepNamespace).\(function)(db)") }
                } else {
                    code.block("migrator.registerMigration(\(name))", closure: "db in") {
                        writeExecution(of: script, file.actions, to: &$0)
                    }
                }
            }
            code.line("migrator.markMigrationsAsFiles()")
            if !migrations.downIdentifiers.isEmpty {
                code.line("// Down migrations, which earlier versions may have run.")
                code.line("migrator.retiredMigrations = [")
                code.indented { $0.list(migrations.downIdentifiers.map(\.swiftLiteral)) }
                code.line("]")
            }
            code.line("migrator.refusesDatabasesOfOtherTools = true")
            code.line("return migrator")
        }
        guard migrations.migrations.contains(where: \.isStep) else { return }
        code.line()
        code.line("/// The steps of the migrations: each file with Swift declares a function of its name in an extension.")
        code.line("\(access)nonisolated enum \(stepNamespace) {}")
    }

    /// Writes the call that runs a migration, or those that do what its lines ask for, and run what is between them.
    private static func writeExecution(of script: SourceText, _ actions: [MigrationAction], to code: inout CodeWriter) {
        if actions.isEmpty { return writeExecution(of: script.text, to: &code) }
        let part = SchemaScript(script).parts[0]
        var start = 0
        func writeSQL(to end: Int) {
            let sql = part.tokens.text(min(start, end)..<end)
            // Comments may say what the statements below them drop.
            if SQLTokens(sql).tokens.allSatisfy({ $0.kind == .sign }) { return }
            start = end
            writeExecution(of: sql, to: &code)
        }
        for action in actions {
            switch action.kind {
            case .rebuild(let table, let rebuildPlan):
                let place = part.place(of: part.statements[action.statement])
                writeSQL(to: place.lowerBound)
                let end = part.statements[action.statement].upperBound
                start = end < part.tokens.count ? part.tokens[end].range.upperBound : place.upperBound
                let plan = actions.filter(\.isRebuild).count == 1 ? "plan" : "plan\(action.statement + 1)"
                let dropped = rebuildPlan.droppedColumns.sorted().map(\.swiftLiteral).joined(separator: ", ")
                code.line("\(dropped.isEmpty ? "let" : "var") \(plan) = TableRebuildPlan(")
                writeLiteral(rebuildPlan.definition, label: "definition", to: &code)
                if !dropped.isEmpty { code.line("\(plan).droppedColumns = [\(dropped)]") }
                code.line("try db.rebuild(table: \(table.swiftLiteral), in: \"main\", with: \(plan))")
            case .index(let name, let table, let definition):
                writeSQL(to: action.range.upperBound)
                let columns = "definition: \(definition.swiftLiteral))"
                let arguments = "fullTextIndex: \(name.swiftLiteral), on: \(table.swiftLiteral), \(columns)"
                let isShort = code.hasRoom(for: "try db.create(\(arguments)")
                code.line("try db.create(\(isShort ? arguments : "")")
                if !isShort { code.indented { $0.line(arguments) } }
            case .dropIndex(let name):
                writeSQL(to: action.range.upperBound)
                code.line("try db.drop(fullTextIndex: \(name.swiftLiteral))")
            }
        }
        writeSQL(to: part.tokens.bytes.count)
    }

    private static func writeExecution(of sql: String, to code: inout CodeWriter) {
        code.line("try db.execute(")
        writeLiteral(sql, label: "sql", to: &code)
    }

    private static func writeLiteral(_ sql: String, label: String, to code: inout CodeWriter) {
        code.indented { code in
            code.line("\(label): \"\"\"")
            code.indented { code in
                let text = String(sql.drop(while: \.isNewline))
                for line in text.multilineLiteral.trimmedEnd.literalLines { code.line(line) }
                code.line("\"\"\")")
            }
        }
    }

    /// The Swift code.
    var code: String {
        var code = CodeWriter("Queries of \(source.forComment)", writtenBy: "queries")
        let properties = queries.flatMap(\.columns).flatMap { [$0] + ($0.row?.properties ?? []) }
        let types = Set(properties.map(\.typeName) + queries.flatMap { $0.parameters.map(\.type.name) }).flatMap(\.swiftIdentifiers)
        if queries.isEmpty { return code.text }
        let needsFoundation = !Set(types).isDisjoint(with: ["Data", "Date", "UUID", "URL", "Decimal"])
        for name in settings.imports(module).union(needsFoundation ? ["Foundation"] : []).sorted() { code.line("import \(name)") }
        code.line()
        code.block("nonisolated extension \(namespace)") { code in
            for (index, query) in queries.enumerated() {
                if index > 0 { code.line() }
                writeFunction(query, rowType(query), to: &code)
            }
        }
        for query in queries where query.hasStruct && !query.sharesStruct { writeStruct(query, query.structName, to: &code) }
        return code.text
    }

    /// The type of a row.
    private func rowType(_ query: CompiledQuery) -> String {
        if let record = query.record { return record }
        if query.hasStruct { return query.structName }
        guard let column = query.columns.first else { return "" }
        // NULL and no row are the same nil.
        return column.typeName + (column.isOptional && query.cardinality != .optional ? "?" : "")
    }

    // MARK: - Functions

    private func writeFunction(_ query: CompiledQuery, _ row: String, to code: inout CodeWriter) {
        for line in query.statement.documentation { code.line(line.isEmpty ? "///" : "/// \(line.forComment)") }
        let output =
            switch query.cardinality {
            case .one: row
            case .optional: "\(row)?"
            case .many: "[\(row)]"
            }
        let type = row.isEmpty ? "SQLCommand<Int>" : query.isChange ? "SQLCommand<\(output)>" : "SQLQuery<\(row), \(output)>"
        let parameters = query.parameters.map { parameter in
            let label = ["inout", "let", "var"].contains(parameter.name) ? "`\(parameter.name)`" : parameter.name
            return "\(label): \(parameter.typeText)\(parameter.isFilter ? " = nil" : "")"
        }
        code.block(declaring: "\(access)static func \(SwiftName.quoted(query.name))", parameters, after: " -> \(type)") { code in
            let returnsRows = query.isChange && !row.isEmpty
            code.line(returnsRows ? "SQLCommand(" : "\(type)(")
            if returnsRows {
                code.indented { code in
                    code.line("returning: SQLQuery<\(row), \(output)>(")
                    writeCall(query, end: "))", to: &code)
                }
            } else {
                writeCall(query, end: ")", to: &code)
            }
        }
    }

    private func writeCall(_ query: CompiledQuery, end: String, to code: inout CodeWriter) {
        let end = (query.parameters.contains(where: \.isList) ? ", isCached: false" : "") + end
        let items = query.parameters.filter { !$0.isList }.map { parameter in
            let value = GeneratedProperty.stored(SwiftName.quoted(parameter.name), parameter.type.storage, isOptional: parameter.isOptional)
            return "\(parameter.sqlName.swiftLiteral): \(value)"
        }
        code.multilineLiteral(literalLines(query), after: items.isEmpty ? end : ",")
        if items.isEmpty { return }
        code.indented { code in
            let whole = "arguments: [\(items.joined(separator: ", "))]\(end)"
            if code.hasRoom(for: whole) { return code.line(whole) }
            code.line("arguments: [")
            code.indented { $0.list(items, end: ",") }
            code.line("]\(end)")
        }
    }

    /// The lines of the SQL in a Swift literal, with lists as interpolations.
    private func literalLines(_ query: CompiledQuery) -> [String] {
        var text = ""
        for fragment in query.fragments {
            switch fragment {
            case .sql(let sql): text += sql.multilineLiteral
            case .list(let number):
                let parameter = query.parameters[number]
                let name = SwiftName.quoted(parameter.name)
                let isPlain = parameter.type.storage == .plain
                let element = GeneratedProperty.stored("$0", parameter.type.storage, isOptional: false)
                text += "\\(\(isPlain ? name : "\(name).map { \(element) }"))"
            }
        }
        return text.literalLines
    }

    // MARK: - Structs

    private func writeStruct(_ query: CompiledQuery, _ name: String, to code: inout CodeWriter) {
        code.line()
        code.block("nonisolated extension \(namespace)") { code in
            code.line("/// A row of `\(query.name)`.")
            code.block("\(access)struct \(name): Codable, Hashable,\(query.isIdentifiable ? " Identifiable," : "") Sendable") { code in
                for property in query.columns { code.line("\(access)var \(SwiftName.quoted(property.name)): \(property.typeText)") }
                if settings.isPublic { query.columns.writeInitializer(access, to: &code) }
                for property in query.columns { property.row?.writeStruct(property, access, to: &code) }
            }
        }
        code.line()
        code.block("nonisolated extension \(namespace).\(name): FetchableRecord") { code in
            query.columns.writeReading(access, to: &code)
        }
    }
}

extension String {
    /// The lines of a literal.
    fileprivate var literalLines: [String] { split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    /// The string without white space at its end, as SQLite has it.
    fileprivate var trimmedEnd: String {
        var text = unicodeScalars[...]
        while let last = text.last, [" ", "\t", "\n"].contains(last) { text.removeLast() }
        return String(text)
    }

    /// The string as a part of a Swift literal of several lines.
    fileprivate var multilineLiteral: String {
        // Line feeds end lines anywhere, but inside strings of SQL, carriage returns count.
        let tokens = SQLTokens(self)
        let keepsReturns = tokens.tokens.contains { token in
            [.string, .quotedName].contains(token.kind) && tokens.bytes[token.range].contains(0x0D)
        }
        var result: [UInt8] = []
        var quoteCount = 0
        for scalar in (keepsReturns ? self : replacing("\r\n", with: "\n")).unicodeScalars {
            quoteCount = scalar == "\"" ? quoteCount + 1 : 0
            if quoteCount == 3 {
                result.removeLast(2)
                result += #"\"\"\""#.utf8
                quoteCount = 0
            } else {
                result += (["\n", "\t"].contains(scalar) ? String(scalar) : scalar.inSwiftLiteral).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
