import Foundation
import SQLiteDriver
import StrataCommandSupport

extension Option {
    /// The options of the subcommands that write code.
    static let module = Option("--module", value: "NAME", "The module that the code imports, Strata by default.")
    static let isPublic = Option("--public", "Makes the declarations public.")
}

/// The command that writes records: `strata swift`, and the tool of the plugins.
///
/// The tool links only this layer and the layers below it, because each package that uses a plugin compiles it.
package enum RecordCommand {
    /// The options.
    package static let options = [
        Option("--sql", value: "SCRIPT", "Reads the schema from SQL instead of a database."),
        Option("--tables", value: "A,B,…", "Writes records for these tables and views only."),
        Option("--settings", value: "PATH", "Reads names of records and types of columns from a file, as RecordGenerator describes."),
        Option("--output", value: "PATH", "Writes to a file, if its content differs, instead of to standard output."),
        .module, .isPublic,
        Option("--singular", "Gives records the singular of their tables' names."),
        Option("--schema-only", "Derives types from the schema alone, and ignores the stored values."),
        .timeout, .immutable,
    ]

    /// Generates the code, and writes it to the file of `--output`.
    ///
    /// - Returns: the code, if there is no such file to write to, and the warnings.
    /// - Throws: ``UsageError``, ``ToolError`` or ``RecordSettingsError``.
    package static func run(_ arguments: ParsedArguments) throws -> (code: String?, warnings: [String]) {
        let module = try module(arguments)
        var settings = try RecordSettings(path: arguments["--settings"])
        if arguments.has(Option.isPublic.name) { settings.isPublic = true }
        if arguments.has("--singular") { settings.isSingular = true }
        if arguments["--sql"] != nil, !arguments.operands.isEmpty {
            throw UsageError("both a database and --sql are given", advice: "Give one of them.")
        }
        let script = try arguments["--sql"].map { try SourceText(path: $0) }
        let model = try Self.model(arguments, script, settings)
        let generator = try RecordGenerator(model, module: module, settings: settings)
        let warnings = Self.warnings(generator, script, source: model.source)
        guard let path = arguments["--output"] else { return (generator.code, warnings) }
        try write(generator.code, to: path)
        return (nil, warnings)
    }

    /// The schema of a script, or of the database that the arguments name.
    private static func model(_ arguments: ParsedArguments, _ script: SourceText?, _ settings: RecordSettings) throws -> SchemaModel {
        let names = arguments["--tables"].map { $0.split(separator: ",").map(String.init) }
        let model: SchemaModel
        if let script {
            model = try SchemaModel(script, settings, only: names)
        } else {
            guard let path = arguments.operands.first else {
                throw UsageError("no database is given", advice: "Give a database, or a script with --sql.")
            }
            let name = URL(fileURLWithPath: path).lastPathComponent
            let isImmutable = arguments.has(Option.immutable.name)
            let limit = try arguments.viewTimeLimit()
            model = try reading(path, isImmutable: isImmutable) { db in
                try withReadOnlyDatabase(path, isImmutable: isImmutable, statementTimeLimit: limit) { views in
                    try SchemaModel(
                        db, source: name, only: names, readsValues: !arguments.has("--schema-only"), settings: settings
                    ) { try views.read($0) }
                }
            }
        }
        for name in names ?? [] where !model.tables.contains(where: { $0.name.isEqualIgnoringASCIICase(to: name) }) {
            throw ToolError("\(model.source) has no table or view \(name)")
        }
        return model
    }

    private static func warnings(_ generator: RecordGenerator, _ script: SourceText?, source: String) -> [String] {
        let messages =
            generator.numericStrings.map { ($0, $1, warning(aboutNumeric: $1, of: $0)) }
            + generator.unprovenColumns.map { ($0, $1, warning(aboutUnproven: $1, of: $0)) }
        return messages.map { table, column, message in
            let place = script.flatMap { script in
                script.place(ofColumn: column.name, of: table).map { script.diagnostic(message, at: $0, isWarning: true) }
            }
            return place.map(\.description) ?? "\(script?.file ?? source): warning: \(message)"
        }
    }

    private static func warning(aboutNumeric column: SchemaModel.Column, of table: String) -> String {
        let name = name(column, of: table)
        return
            "\(name) is declared \(column.declaredType), and so stores strings that look like numbers as numbers: '07867' as 7867. Declare it "
            + "TEXT, or write a line \"column \(name) String\" in schema.records if it has no such strings"
    }

    private static func warning(aboutUnproven column: SchemaModel.Column, of table: String) -> String {
        let name = name(column, of: table)
        return
            "\(name) is computed, and nothing ensures that it is \(column.declaredType), so that its property is a DatabaseValue: CAST the "
            + "expression, or write a line \"column \(name) \(SwiftType(column).rawValue)\" in schema.records"
    }

    /// The name of a column in `schema.records`.
    private static func name(_ column: SchemaModel.Column, of table: String) -> String {
        [table, column.name].map { name in
            name.contains { $0.isWhitespace || $0 == "." || $0 == "\"" } ? name.quotedDatabaseIdentifier : name
        }.joined(separator: ".")
    }

    /// The module that the code imports.
    static func module(_ arguments: ParsedArguments) throws -> String {
        let module = arguments[Option.module.name] ?? "Strata"
        guard module.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), module.first?.isLetter == true else {
            throw UsageError("--module needs the name of a module, and not \(module)")
        }
        return module
    }

    /// Writes code to a file, unless the file has it already: a file that is not touched is not compiled again.
    static func write(_ code: String, to path: String) throws {
        let file = URL(fileURLWithPath: path)
        guard !DatabaseFileFormat.isOfDatabase(path: file.resolvingSymlinksInPath().path) else {
            throw ToolError("\(path) belongs to a database, which --output would replace")
        }
        if (try? text(of: path)).map({ Data($0.utf8) }) != Data(code.utf8) { try Data(code.utf8).write(to: file, options: .atomic) }
    }

    /// The text of a file.
    fileprivate static func text(of path: String) throws -> String {
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        if DatabaseFileFormat(path: file.path) == .empty { return "" }
        guard !DatabaseFileFormat.isOfDatabase(path: file.path) else {
            throw ToolError("\(path) belongs to a database, and is not a text file")
        }
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ToolError("can't read \(path): \(error.localizedDescription)")
        }
        guard let text = String(validUTF8: data) else { throw ToolError("\(path) is not valid UTF-8") }
        return text
    }
}

extension SourceText {
    /// Reads a file.
    ///
    /// - Throws: ``ToolError`` if it is not a text file.
    package init(path: String) throws { self.init(try RecordCommand.text(of: path), file: path) }
}

extension SchemaModel {
    /// Reads the schema of an SQL script, which runs in a database in memory.
    fileprivate init(_ source: SourceText, _ settings: RecordSettings, only names: [String]?) throws {
        let name = URL(fileURLWithPath: source.file).lastPathComponent
        self = try SchemaScript(source).makeDatabase(settings).writeWithoutTransaction { db in
            try SchemaModel(
                db, source: name, only: names, readsValues: false, script: source.text, settings: settings, readView: { try $0(db) })
        }
    }
}

extension RecordSettings {
    /// Reads the settings of a file, if there is one.
    package init(path: String?) throws {
        self = try path.map { try RecordSettings(RecordCommand.text(of: $0), file: $0) } ?? RecordSettings()
    }
}
