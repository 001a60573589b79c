/// An option of a subcommand.
package struct Option: Sendable {
    /// The name with its dashes, such as `--format`.
    package let name: String

    /// The placeholder for the value in the help; nil if the option takes no value.
    package let value: String?

    /// The values that it can have, if they are few: shells complete them.
    package let values: [String]

    /// A description of the option.
    package let help: String

    package init(_ name: String, value: String? = nil, values: [String] = [], _ help: String) {
        self.name = name
        self.value = value
        self.values = values
        self.help = help
    }
}

/// A wrong use of the command line: its exit status is 64, the `EX_USAGE` of BSD's sysexits.
package struct UsageError: Error, CustomStringConvertible {
    package let message: String
    package let advice: String?

    package init(_ message: String, advice: String? = nil) {
        self.message = message
        self.advice = advice
    }

    package var description: String { message + (advice.map { ". \($0)" } ?? "") }
}

/// A failure with a message for users: its exit status is 1.
package struct ToolError: Error, CustomStringConvertible {
    package let description: String

    package init(_ message: String, advice: String? = nil) {
        description = message + (advice.map { ". \($0)" } ?? "")
    }
}

/// The arguments of a subcommand, taken apart.
///
/// An option's value follows as the next argument, or after `=`. Options stand anywhere among the other arguments; `--` ends them.
package struct ParsedArguments: Equatable {
    /// The arguments that are not options.
    package private(set) var operands: [String] = []

    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Takes arguments apart.
    ///
    /// - Throws: ``UsageError`` for an unknown or repeated option, a missing value, or an unexpected value.
    package init(_ arguments: [String], options: [Option]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                break
            }
            // A dash alone stands for the standard input.
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            guard let option = options.first(where: { $0.name == name }) else { throw UsageError("unknown option \(name)") }
            guard values[name] == nil, !flags.contains(name) else { throw UsageError("\(name) is given twice") }
            if let placeholder = option.value {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("\(name) needs a value: \(name) \(placeholder)")
                }
                values[name] = value
            } else {
                guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
                flags.insert(name)
            }
        }
    }

    /// Returns whether an option without a value was given.
    package func has(_ name: String) -> Bool { flags.contains(name) }

    /// Returns the value of an option.
    package subscript(_ name: String) -> String? { values[name] }
}
