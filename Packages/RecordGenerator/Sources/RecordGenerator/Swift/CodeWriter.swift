/// Lines of code, indented by four spaces a level.
struct CodeWriter {
    private(set) var text = ""
    private var level = 0

    /// The greatest length of a line.
    private static let limit = 140

    /// Begins a file with its title, and the subcommand that writes it.
    init(_ title: String, writtenBy subcommand: String) {
        line("// \(title).")
        line("//")
        line("// Written by `strata \(subcommand)`. Don't edit: the next run replaces this file.")
        line()
    }

    mutating func line(_ line: String = "") {
        text += (line.isEmpty ? "" : String(repeating: "    ", count: level) + line) + "\n"
    }

    /// Writes a block in braces, or a closure with parameters such as `db in`.
    mutating func block(_ head: String, closure parameters: String? = nil, _ body: (inout CodeWriter) -> Void) {
        line("\(head) {\(parameters.map { " " + $0 } ?? "")")
        indented(body)
        line("}")
    }

    /// Returns whether a line is not too long.
    func hasRoom(for line: String) -> Bool { level * 4 + line.count <= Self.limit }

    /// Writes a declaration with parameters, which are on lines of their own if it is too long, and a body in braces.
    ///
    /// - Parameter end: the code between the parameters and the brace.
    mutating func block(declaring head: String, _ parameters: [String], after end: String = "", _ body: (inout CodeWriter) -> Void) {
        let whole = "\(head)(\(parameters.joined(separator: ", ")))\(end)"
        if hasRoom(for: whole + " {") { return block(whole, body) }
        line("\(head)(")
        list(parameters, indentation: "    ")
        block(")\(end)", body)
    }

    /// Writes lines that are indented further.
    mutating func indented(_ body: (inout CodeWriter) -> Void) {
        level += 1
        body(&self)
        level -= 1
    }

    /// Writes a call, with its arguments on lines of their own if it is too long.
    ///
    /// - Parameter end: the code after the closing parenthesis.
    mutating func call(_ head: String, _ arguments: [String], after end: String = "") {
        let whole = "\(head)(\(arguments.joined(separator: ", ")))\(end)"
        if hasRoom(for: whole) { return line(whole) }
        line("\(head)(")
        list(arguments, indentation: "    " + head.prefix { $0 == " " }, end: ")" + end)
    }

    /// Writes a string literal of several lines, and what follows it.
    mutating func multilineLiteral(_ lines: [String], after end: String) {
        level += 1
        line("\"\"\"")
        for part in lines { line(part) }
        line("\"\"\"" + end)
        level -= 1
    }

    /// Writes items with commas between them, on as many lines as they need, and what follows the last one.
    mutating func list(_ items: [String], indentation: String = "", end: String = "") {
        var current = ""
        for (index, item) in items.enumerated() {
            let piece = item + (index + 1 < items.count ? "," : end)
            if !current.isEmpty, level * 4 + indentation.count + current.count + 1 + piece.count > Self.limit {
                line(indentation + current)
                current = ""
            }
            current += (current.isEmpty ? "" : " ") + piece
        }
        line(indentation + current)
    }
}

extension String {
    /// The string as a Swift literal.
    var swiftLiteral: String {
        "\"" + unicodeScalars.map { $0 == "\"" ? "\\\"" : $0.inSwiftLiteral }.joined() + "\""
    }

    /// The string in one line, without characters that would be invisible or end a code span.
    var forComment: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.needsEscape || scalar == "\n" || scalar == "\r" || scalar == "\t" {
                text += " "
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// The scalar inside a Swift literal. A quote is not escaped.
    ///
    /// Code is made of scalars: a combining character and the quote before it are one `Character`.
    package var inSwiftLiteral: String {
        switch self {
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case _ where needsEscape: "\\u{\(String(value, radix: 16, uppercase: true))}"
        default: String(self)
        }
    }

    fileprivate var needsEscape: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // The category "format" contains the marks that change the direction of writing, and the zero-width joiner of some emoji.
        case .format: value != 0x200D
        default: false
        }
    }
}
