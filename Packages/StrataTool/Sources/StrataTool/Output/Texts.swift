import RecordGenerator
import Strata

extension String {
    /// The text with spaces in place of newlines, and with other control characters escaped.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ").withoutControlCharacters
    }

    /// The text with control characters and invisible characters escaped as in Swift: `\n`, `\u{1B}`.
    var withoutControlCharacters: String {
        unicodeScalars.map { $0 == "\\" ? String($0) : $0.inSwiftLiteral }.joined()
    }

    /// The text with all control characters escaped that a terminal would obey, and not those of lines and columns.
    var escapedForTerminal: String {
        if utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == UInt8(ascii: "\n") }) { return self }
        var text = ""
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\n", "\t": text.unicodeScalars.append(scalar)
            case "\r" where rest.first == "\n": text.unicodeScalars.append(scalar)
            default: text += String(scalar).withoutControlCharacters
            }
        }
        return text
    }

    /// The text with spaces after it, up to a width.
    func padded(toWidth width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }
}
