import Foundation
import RecordGenerator
import StrataCommandSupport

/// The command `strata`.
///
/// ```swift
/// // Prints the tables of a database.
/// let status = CommandLineTool.run(["show", "library.sqlite"])
/// ```
public enum CommandLineTool {
    /// Runs a command line, and returns the exit status.
    ///
    /// Errors are printed in one line on standard error.
    ///
    /// - Parameters:
    ///   - arguments: the arguments, without the name of the program.
    ///   - console: where output goes; the process's own by default.
    /// - Returns: 0 for success; 1 for a failure, for findings of `check` and for differences of `schema --diff`; 64 for wrong usage.
    public static func run(_ arguments: [String], console: Console = .standard) -> Int32 {
        var status: Int32 = 0
        do {
            status = try runSubcommand(arguments, console) ? 0 : 1
        } catch let error as UsageError {
            console.report("\(error)")
            status = 64
        } catch let error as QueryErrors {
            console.report(error.diagnostics)
            status = 1
        } catch {
            // Failures after a signal are caused by it. After a broken pipe, no process reads the rest.
            let signal = Interruption.endingSignal
            if signal != SIGPIPE { console.report(signal == nil ? message(of: error) : "interrupted") }
            status = 1
        }
        console.flush()
        if let error = console.writingError, Interruption.endingSignal == nil {
            console.report("can't write: \(message(of: error))")
            console.flush()
            status = 1
        }
        return status
    }

    private static func runSubcommand(_ arguments: [String], _ console: Console) throws -> Bool {
        guard let name = arguments.first else { throw UsageError("a subcommand is missing", advice: "See strata --help.") }
        if ["--help", "-h", "help"].contains(name) {
            if let topic = arguments.dropFirst().first {
                guard let subcommand = Subcommand.all.first(where: { $0.name == topic }) else {
                    throw UsageError("unknown subcommand \(topic)", advice: "See strata --help.")
                }
                console.write(subcommand.help)
            } else {
                console.write(Subcommand.overview)
            }
            return true
        }
        guard let subcommand = Subcommand.all.first(where: { $0.name == name }) else {
            throw UsageError("unknown subcommand \(name)", advice: "See strata --help.")
        }
        let rest = Array(arguments.dropFirst())
        let beforeOperands = rest.prefix { $0 != "--" }
        if beforeOperands.contains("--help") || beforeOperands.contains("-h") {
            console.write(subcommand.help)
            return true
        }
        do {
            let parsed = try ParsedArguments(rest, options: subcommand.options)
            guard subcommand.operandCounts.contains(parsed.operands.count) else {
                let isMissing = parsed.operands.count < subcommand.operandCounts.lowerBound
                throw UsageError(
                    "\(isMissing ? "an argument is missing" : "arguments are left over"): strata \(name) \(subcommand.operands)")
            }
            return try subcommand.run(parsed, console)
        } catch let error as UsageError {
            throw UsageError(
                "\(name): \(error.message)", advice: (error.advice.map { "\($0) " } ?? "") + "See strata \(name) --help.")
        }
    }

    private static func message(of error: any Error) -> String {
        // Foundation's errors have a sentence for users, and a description for programmers.
        error is CocoaError ? error.localizedDescription : String(describing: error)
    }
}
