/// SQL that grows at its end, piece by piece, as bytes: a string asks for its form and its room at each of the many short pieces, which
/// takes several times as long.
struct SQLText {
    private var bytes: ContiguousArray<UInt8> = []

    init() {
        // Most SQL fits: it is written without growing.
        bytes.reserveCapacity(160)
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The number of bytes.
    var count: Int { bytes.count }

    /// Whether a minus sign was written for an operand that is still to come.
    private var endsInMinusSign = false

    /// Writes a minus sign, and a space after it where another one follows.
    mutating func appendMinusSign() {
        append("-")
        endsInMinusSign = true
    }

    /// Replaces the end of the text.
    mutating func replace(from start: Int, _ change: (String) -> String) {
        let text = change(String(decoding: bytes[start...], as: UTF8.self))
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: String) {
        if endsInMinusSign, let first = text.utf8.first {
            endsInMinusSign = false
            if first == UInt8(ascii: "-") { bytes.append(UInt8(ascii: " ")) }
        }
        // Appending the view, as for texts that have no bytes side by side, makes a whole request two hundredths slower.
        if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
            bytes.append(contentsOf: text.utf8)
        }
    }

    /// Writes a name in double quotes.
    mutating func append(identifier: String) {
        endsInMinusSign = false
        let quote = UInt8(ascii: "\"")
        let start = bytes.count
        bytes.append(quote)
        append(identifier)
        if bytes[(start + 1)...].contains(quote) {
            bytes.removeSubrange(start...)
            append(identifier.quotedDatabaseIdentifier)
        } else {
            bytes.append(quote)
        }
    }
}
