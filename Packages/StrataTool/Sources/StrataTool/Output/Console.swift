import Foundation
import Strata
import StrataCommandSupport

/// The input and output of a command.
///
/// ```swift
/// let console = Console(input: nil)
/// _ = CommandLineTool.run(["show", path], console: console)
/// print(console.capturedOutput)
/// ```
public final class Console: TextOutputStream {
    /// The properties of a terminal.
    struct Terminal {
        /// The number of columns.
        let width: Int
        /// Whether it shows colours.
        let hasColors: Bool
    }

    /// The terminal that standard output goes to; nil if it goes elsewhere.
    let terminal: Terminal?

    /// The terminal that standard error goes to; nil if it goes elsewhere.
    let errorTerminal: Terminal?

    /// The standard input.
    let input: FileHandle?

    /// The captured output.
    public private(set) var capturedOutput = ""

    /// The captured error output.
    public private(set) var capturedErrors = ""

    /// Where output goes; nil if it is captured.
    private let output: FileHandleOutput?
    private let errors: FileHandleOutput?
    private var buffer = ""
    private var progressIsShown = false

    private init(
        output: FileHandleOutput?, errors: FileHandleOutput?, terminal: Terminal?, errorTerminal: Terminal?, input: FileHandle?
    ) {
        (self.output, self.errors, self.terminal, self.errorTerminal, self.input) = (output, errors, terminal, errorTerminal, input)
    }

    /// Creates a console that captures output, and is not a terminal.
    ///
    /// - Parameter input: the content of the standard input, which `-` names.
    public convenience init(input: FileHandle? = nil) {
        self.init(output: nil, errors: nil, terminal: nil, errorTerminal: nil, input: input)
    }

    /// Returns a console with the standard output, error and input of the process.
    public static var standard: Console {
        Console(
            output: FileHandleOutput(.standardOutput), errors: FileHandleOutput(.standardError),
            terminal: Terminal(descriptor: STDOUT_FILENO), errorTerminal: Terminal(descriptor: STDERR_FILENO), input: .standardInput)
    }

    /// The error of the first write to standard output that failed.
    var writingError: (any Error)? { output?.error }

    // MARK: Output

    /// Writes to standard output. On a terminal, control characters are escaped: they may come from a database of others.
    public func write(_ string: String) {
        append(terminal == nil ? string : string.escapedForTerminal)
    }

    private func append(_ string: String) {
        buffer += string
        if buffer.utf8.count > 1 << 14 { flush() }
    }

    /// Writes the buffered output.
    func flush() {
        guard !buffer.isEmpty else { return }
        hideProgress()
        if let output { output.write(buffer) } else { capturedOutput += buffer }
        if writingError != nil { Interruption.requestIfPipeIsBroken() }
        buffer = ""
    }

    /// Writes a line to standard output, whose control characters are those of styles.
    func print(_ line: String = "") {
        append(line + "\n")
    }

    /// Writes a line to standard error, after all output so far.
    func report(_ message: String) {
        flush()
        hideProgress()
        writeError("strata: \(message.inOneLine)\n")
    }

    /// Writes errors and warnings that have places in files to standard error.
    func report(_ diagnostics: [some CustomStringConvertible]) {
        flush()
        hideProgress()
        for diagnostic in diagnostics {
            writeError((errorTerminal == nil ? "\(diagnostic)" : "\(diagnostic)".escapedForTerminal) + "\n")
        }
    }

    private func writeError(_ string: String) {
        if let errors { errors.write(string) } else { capturedErrors += string }
    }

    // MARK: Progress

    /// Shows the progress of an operation, in a line that the next call replaces, if standard error is a terminal.
    ///
    /// - Parameters:
    ///   - fraction: from 0 to 1; nil if unknown.
    ///   - text: the text after the bar.
    func showProgress(_ fraction: Double?, _ text: String) {
        guard let errorTerminal else { return }
        var line = text
        if let fraction {
            let width = max(10, min(40, errorTerminal.width - text.count - 10))
            let done = Int((max(0, min(1, fraction)) * Double(width)).rounded(.down))
            let percent = "\(Int(fraction * 100))%".padded(toWidth: 4)
            line = "[" + String(repeating: "#", count: done) + String(repeating: ".", count: width - done) + "] \(percent) \(text)"
        }
        // Back to the first column; and the rest of the line, from a longer text before, is erased.
        writeError("\r\(line.truncated(toWidth: max(10, errorTerminal.width - 1)))\u{1B}[K")
        progressIsShown = true
    }

    /// Erases the progress.
    func hideProgress() {
        guard progressIsShown else { return }
        progressIsShown = false
        writeError("\r\u{1B}[K")
    }

    // MARK: Colours

    /// The text in bold, on a terminal that shows colours.
    func bold(_ text: String) -> String { styled(text, "1") }

    /// The text in red, on a terminal that shows colours.
    func red(_ text: String) -> String { styled(text, "31") }

    /// The text in green, on a terminal that shows colours.
    func green(_ text: String) -> String { styled(text, "32") }

    private func styled(_ text: String, _ code: String) -> String {
        terminal?.hasColors == true ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension Console.Terminal {
    /// The terminal behind a file descriptor, if there is one.
    fileprivate init?(descriptor: Int32) {
        guard isatty(descriptor) != 0 else { return nil }
        var size = winsize()
        let known = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let environment = ProcessInfo.processInfo.environment
        // <https://no-color.org>
        let hasColors = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        self.init(width: known ? Int(size.ws_col) : 80, hasColors: hasColors)
    }
}
