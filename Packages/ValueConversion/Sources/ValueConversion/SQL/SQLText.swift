/// SQL that grows at its end, stored as bytes. Appending many short pieces to a `String` takes several times as long, because it checks
/// its representation and capacity for each of them.
struct SQLText {
    private var bytes: ContiguousArray<UInt8> = []

    init() {
        // Enough for most SQL without reallocation.
        bytes.reserveCapacity(160)
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// The number of bytes.
    var count: Int { bytes.count }

    /// Whether a minus sign was written whose operand follows.
    private var endsInMinusSign = false

    /// Writes a minus sign, followed by a space if the next character is another minus sign.
    mutating func appendMinusSign() {
        append("-")
        endsInMinusSign = true
    }

    /// Returns the end of the text.
    func string(from start: Int) -> String { String(decoding: bytes[start...], as: UTF8.self) }

    /// Replaces the end of the text.
    mutating func replace(from start: Int, _ change: (String) -> String) {
        let text = change(string(from: start))
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ text: String) {
        if endsInMinusSign, let first = text.utf8.first {
            endsInMinusSign = false
            if first == UInt8(ascii: "-") { bytes.append(UInt8(ascii: " ")) }
        }
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a quoted identifier.
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
