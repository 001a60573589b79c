import Foundation
import RecordGenerator

// The tool of the plugins: `strata swift` without the rest of the command.
Interruption.handleSignals()
do {
    let arguments = try ParsedArguments(Array(CommandLine.arguments.dropFirst()), options: RecordCommand.options)
    if let code = try RecordCommand.run(arguments) { print(code, terminator: "") }
} catch {
    // An error in a file begins with the file and the line, so that editors find it.
    let message = error is RecordSettingsError ? "\(error)" : "error: \(error is CocoaError ? error.localizedDescription : "\(error)")"
    if Interruption.endingSignal == nil { FileHandle.standardError.write(Data("\(message)\n".utf8)) }
    Interruption.exit(error is UsageError ? 64 : 1)
}
Interruption.exit(0)
