import RecordGenerator
import Strata

extension Subcommand {
    static let swift = Subcommand(
        name: "swift",
        summary: "Writes Swift records for the tables and views.",
        operands: "[FILE]",
        options: RecordCommand.options,
        discussion: """
            Writes a struct for each table and view, with its columns and associations. Optionals come from NOT NULL, types from the declared
            types and from the stored values, comments from the comments of the schema. The same schema gives the same code.
            """
    ) { arguments, console in
        let result = try RecordCommand.run(arguments)
        console.report(result.warnings)
        if let code = result.code { console.write(code) }
        return true
    }
}
