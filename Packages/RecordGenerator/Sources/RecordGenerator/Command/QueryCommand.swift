import Foundation
import SQLiteDriver
import StrataCommandSupport

/// The command that writes the functions of queries: `strata queries`, `strata check-sql`, and the tool of the plugins.
package enum QueryCommand {
    /// The options.
    package static let options = [
        Option("--schema", value: "SCRIPT", "The SQL of the schema, schema.sql in the folder of the first file by default."),
        Option("--settings", value: "PATH", "The settings of records, schema.records beside the schema by default."),
        Option("--output", value: "FOLDER", "Writes a file for each file, if its content differs, instead of to standard output."),
        Option("--name", value: "NAME", "The name of the file with the enum that the others extend, Queries+Schema.swift by default."),
        Option("--prefix", value: "TEXT", "Begins the names of the other files, for modules with several schemas."),
        .module, .isPublic,
        Option("--write-schema", "Writes the schema, and migrations.lock, from the files of the folder Migrations beside the schema."),
    ]

    /// Compiles the files, or those of a folder.
    ///
    /// - Throws: ``UsageError``, ``ToolError``, ``RecordSettingsError`` or ``QueryErrors``.
    package static func compile(_ arguments: ParsedArguments) throws -> QuerySet {
        var files = arguments.operands
        if files.count == 1, let folder = files.first, isFolder(folder) {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") && $0 != "schema.sql" }
            files = names.sorted().map { folder.hasSuffix("/") ? folder + $0 : "\(folder)/\($0)" }
        }
        guard let first = arguments.operands.first ?? arguments["--schema"] else {
            throw UsageError("no file is given", advice: "Give files with SQL, or a folder.")
        }
        let folder =
            isFolder(first) ? (first.hasSuffix("/") ? first : first + "/") : String(first.lastIndex(of: "/").map { first[...$0] } ?? "")
        let schema = arguments["--schema"] ?? "\(folder)schema.sql"
        let beside = (schema.hasSuffix(".sql") ? String(schema.dropLast(4)) : schema) + ".records"
        var settings = try RecordSettings(
            path: arguments["--settings"] ?? (FileManager.default.fileExists(atPath: beside) ? beside : nil))
        if arguments.has(Option.isPublic.name) { settings.isPublic = true }
        let migrationsPath = "\(schema.lastIndex(of: "/").map { schema[...$0] } ?? "")Migrations"
        let migrations = try MigrationFolder(path: migrationsPath)
        if arguments.has("--write-schema"), let migrations {
            let changes = migrations.changes
            if changes.contains(where: { !$0.isWarning }) { throw QueryErrors(diagnostics: changes) }
            try RecordCommand.write(try migrations.schemaText(settings), to: schema)
            try RecordCommand.write(migrations.lockText, to: "\(migrationsPath)/\(MigrationLock.name)")
        }
        guard FileManager.default.fileExists(atPath: schema) else {
            throw ToolError("there is no schema \(schema)", advice: "Give one with --schema.")
        }
        if files.isEmpty, migrations == nil { throw ToolError("\(folder) has no queries: name their files *.sql") }
        return try QuerySet(
            try files.map { try SourceText(path: $0) }, schema: SourceText(path: schema), settings: settings,
            migrations: migrations, module: RecordCommand.module(arguments), namespaceFile: arguments["--name"] ?? "Queries+Schema.swift",
            prefix: arguments["--prefix"] ?? "")
    }

    /// Compiles the files, and writes the code to the folder of `--output`.
    ///
    /// - Returns: the code, if there is no such folder, and the warnings.
    /// - Throws: ``UsageError``, ``ToolError``, ``RecordSettingsError`` or ``QueryErrors``.
    package static func run(_ arguments: ParsedArguments) throws -> (code: String?, warnings: [QueryDiagnostic]) {
        let set = try compile(arguments)
        guard let folder = arguments["--output"] else {
            return (set.outputs.map { "// MARK: \($0.name)\n\n\($0.code)" }.joined(separator: "\n"), set.warnings)
        }
        let names = Dictionary(grouping: set.outputs.map(\.name)) { $0.lowercased() }
        if let name = names.values.first(where: { $0.count > 1 })?.first {
            throw ToolError("several files would be written to \(name)", advice: "Give each file once, and --name another name.")
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for output in set.outputs {
            try RecordCommand.write(output.code, to: URL(fileURLWithPath: folder).appendingPathComponent(output.name).path)
        }
        return (nil, set.warnings)
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
