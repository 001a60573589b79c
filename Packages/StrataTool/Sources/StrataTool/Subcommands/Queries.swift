import RecordGenerator
import Strata

extension Subcommand {
    static let queries = Subcommand(
        name: "queries",
        summary: "Writes Swift functions for the statements of SQL files.",
        operands: "FILE…",
        options: QueryCommand.options,
        discussion: """
            Writes a function for each named statement of the files, or of the files of a folder, as the plugin RecordsFromSchema does.
            SQLite compiles them with the schema; the types of parameters and columns are proven, or declared in comments.
            """
    ) { arguments, console in
        let result = try QueryCommand.run(arguments)
        console.report(result.warnings)
        if let code = result.code { console.write(code) }
        return true
    }

    static let checkSQL = Subcommand(
        name: "check-sql",
        summary: "Checks the statements of SQL files, for continuous integration.",
        operands: "FILE…",
        options: QueryCommand.options.filter { ["--schema", "--settings"].contains($0.name) },
        discussion: """
            Compiles each named statement of the files, or of the files of a folder, with the schema, and reports errors and warnings with
            their places. Errors give the exit status 1.
            """
    ) { arguments, console in
        let set = try QueryCommand.compile(arguments)
        console.report(set.warnings)
        console.print("\(set.count) \(set.count == 1 ? "statement" : "statements") without errors")
        return true
    }
}
