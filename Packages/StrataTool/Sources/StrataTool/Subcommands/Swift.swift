import Foundation
import RecordGenerator
import Strata

extension Subcommand {
    static let swift = Subcommand(
        name: "swift",
        summary: "Writes Swift records for the tables and views.",
        operands: "[FILE]",
        options: [
            Option("--sql", value: "SCRIPT", "Reads the schema from SQL instead of a database."),
            Option("--output", value: "PATH", "Writes to a file, if its content differs, instead of to standard output."),
            Option("--module", value: "NAME", "The module that the code imports, Strata by default."),
            Option("--schema-only", "Derives types from the schema alone, and ignores the stored values."),
            .immutable,
        ],
        discussion: """
            Writes a struct for each table and view, with its columns and associations. Optionals come from NOT NULL, types from the declared
            types and from the stored values, comments from the comments of the schema. The same schema gives the same code.
            """
    ) { arguments, console in
        let module = arguments["--module"] ?? "Strata"
        guard module.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), module.first?.isLetter == true else {
            throw UsageError("--module needs the name of a module, not \(module)")
        }
        let model: SchemaModel
        if let script = arguments["--sql"] {
            guard arguments.operands.isEmpty else { throw UsageError("give a database or --sql, and not both") }
            model = try SchemaModel(script: script)
        } else {
            guard let path = arguments.operands.first else { throw UsageError("give a database, or a script with --sql") }
            let name = URL(fileURLWithPath: path).lastPathComponent
            model = try reading(path, isImmutable: arguments.has(Option.immutable.name)) { db in
                try SchemaModel(db, source: name, readsValues: !arguments.has("--schema-only"))
            }
        }
        let code = RecordGenerator(model, module: module).code
        guard let path = arguments["--output"] else {
            console.write(code)
            return true
        }
        let file = URL(fileURLWithPath: path)
        // An unchanged file is not compiled again.
        if (try? Data(contentsOf: file)) != Data(code.utf8) { try Data(code.utf8).write(to: file, options: .atomic) }
        return true
    }
}

extension SchemaModel {
    /// Reads the schema of an SQL script, which runs in a database in memory.
    fileprivate init(script path: String) throws {
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ToolError("can't read \(path): \(error.localizedDescription)")
        }
        guard let script = String(validating: data, as: UTF8.self) else { throw ToolError("\(path) is not valid UTF-8") }
        var configuration = Configuration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(configuration: configuration)
        let name = URL(fileURLWithPath: path).lastPathComponent
        self = try queue.writeWithoutTransaction { db in
            do {
                try db.execute(sql: script)
            } catch let error as DatabaseError {
                throw ToolError("can't run \(path): \(error.message ?? "\(error)")\(error.sql.map { " in: \($0)" } ?? "")")
            }
            return try SchemaModel(db, source: name, readsValues: false, script: script)
        }
    }
}
