import Foundation
import RecordGenerator
import StrataCommandSupport

// The tool of the plugins: `strata swift` and `strata queries` without the rest of the command.
Interruption.handleSignals()
do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    func report(_ warnings: [some CustomStringConvertible], _ code: String?) {
        for warning in warnings { FileHandle.standardError.write(Data("\(warning)\n".utf8)) }
        if let code { print(code, terminator: "") }
    }
    if arguments.first == "queries" {
        let result = try QueryCommand.run(ParsedArguments(Array(arguments.dropFirst()), options: QueryCommand.options))
        report(result.warnings, result.code)
    } else {
        let result = try RecordCommand.run(ParsedArguments(arguments, options: RecordCommand.options))
        report(result.warnings, result.code)
    }
} catch {
    // An error in a file begins with the file and the line, so that editors find it.
    let isPlaced = error is RecordSettingsError || error is QueryErrors
    let message = isPlaced ? "\(error)" : "error: \(error is CocoaError ? error.localizedDescription : "\(error)")"
    if Interruption.endingSignal == nil { FileHandle.standardError.write(Data("\(message)\n".utf8)) }
    Interruption.exit(error is UsageError ? 64 : 1)
}
Interruption.exit(0)
