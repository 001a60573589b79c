import StrataCommandSupport

/// A subcommand of `strata`.
struct Subcommand: Sendable {
    let name: String

    /// A description of the subcommand, in one line.
    let summary: String

    /// The operands, as the help shows them: operands in brackets can be omitted, and "…" stands for any number of the last one.
    let operands: String

    let options: [Option]

    /// More about the subcommand, for its help.
    let discussion: String

    /// Runs the subcommand, and returns whether it succeeded without findings.
    let run: @Sendable (ParsedArguments, Console) throws -> Bool

    static let all: [Subcommand] = [
        .show, .sql, .schema, .check, .dump, .load, .backup, .cluster, .swift, .queries, .checkSQL, .completion, .manual,
    ]

    /// The number of operands that can be given.
    var operandCounts: ClosedRange<Int> {
        let words = operands.split(separator: " ")
        return words.filter { !$0.hasPrefix("[") }.count...(operands.contains("…") ? Int.max : words.count)
    }

    /// The help, with a line end.
    var help: String {
        var text = "Usage: strata \(name)\(options.isEmpty ? "" : " [options]") \(operands)\n\n\(summary)\n"
        if !discussion.isEmpty { text += "\n\(discussion)\n" }
        let options = options + [Option("--help", "Prints this help.")]
        let titles = options.map { option in option.value.map { "\(option.name) \($0)" } ?? option.name }
        let width = titles.map(\.count).max() ?? 0
        text += "\nOptions:\n"
        for (title, option) in zip(titles, options) {
            text += "  \(title.padded(toWidth: width))  \(option.help)\n"
        }
        return text
    }

    /// The help of `strata` itself, with a line end.
    static var overview: String {
        let width = all.map(\.name.count).max() ?? 0
        var text = "Usage: strata <subcommand> …\n\nLooks at SQLite databases of any program.\n\nSubcommands:\n"
        for subcommand in all {
            text += "  \(subcommand.name.padded(toWidth: width))  \(subcommand.summary)\n"
        }
        text += """

            `strata <subcommand> --help` describes a subcommand.

            Exit status: 0 for success; 1 for a failure, for findings of `check` and for differences of `schema --diff`;
            64 for wrong usage.

            """
        return text
    }
}
