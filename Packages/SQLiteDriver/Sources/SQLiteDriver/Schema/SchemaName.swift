/// The name of something in a schema, equal to those that differ only by the case of ASCII letters.
///
/// Swift's own equality of strings won't do: canonically equivalent texts, such as "é" in one scalar or in two, are
/// different names for SQLite.
struct SchemaName: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (lhs: SchemaName, rhs: SchemaName) -> Bool {
        lhs.text.isEqualIgnoringASCIICase(to: rhs.text)
    }

    func hash(into hasher: inout Hasher) {
        // The FNV-1a hash of the folded bytes: no folded copy is made.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 {
            let folded = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            hash = (hash ^ UInt64(folded)) &* 1_099_511_628_211
        }
        hasher.combine(hash)
    }
}
