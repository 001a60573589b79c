import Strata

extension Subcommand {
    static let manual = Subcommand(
        name: "manual",
        summary: "Prints the manual page of the command, which man shows.",
        operands: "",
        options: [],
        discussion: "make install puts the output where man looks for it. To read it: strata manual | man -l -"
    ) { _, console in
        console.write(manualPage)
        return true
    }

    /// The page, in the macros of `man(7)`.
    private static var manualPage: String {
        var text = """
            .TH STRATA 1
            .SH NAME
            strata \\- looks at SQLite databases of any program
            .SH SYNOPSIS
            .B strata
            .I subcommand
            \\&...
            .SH SUBCOMMANDS

            """
        for subcommand in all {
            let usage = "strata \(subcommand.name)\(subcommand.options.isEmpty ? "" : " [options]") \(subcommand.operands)"
            text += ".SS \"\(roff(usage.split(separator: " ").joined(separator: " ")))\"\n\(roff(subcommand.summary))\n"
            if !subcommand.discussion.isEmpty { text += ".PP\n\(roff(subcommand.discussion))\n" }
            for option in subcommand.options {
                text += ".TP\n.B \(roff(option.name))\(option.value.map { " \\fI\(roff($0))\\fR" } ?? "")\n\(roff(option.help))\n"
            }
        }
        return text + """
            .SH EXIT STATUS
            0 for success; 1 for a failure, for findings of
            .B check
            and for differences of
            .BR "schema \\-\\-diff" ;
            64 for wrong usage.
            .SH ENVIRONMENT
            .TP
            .B NO_COLOR
            Disables colours in terminals, if it is not empty.

            """
    }

    /// The text without what troff takes for a request, an escape or the end of a quotation.
    private static func roff(_ text: String) -> String {
        text.split(separator: "\n").map { line in
            let escaped = String(line).replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\"", with: "\\(dq")
                .replacing("…", with: "\\&...")
            return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(escaped)" : escaped
        }.joined(separator: "\n")
    }
}
