/// A name of a schema object. Names are compared as in SQLite, ignoring the case of ASCII letters.
///
/// Swift's equality of strings differs: canonically equivalent texts, such as "é" in one scalar or in two, are equal. For SQLite they are
/// different names.
package struct SchemaName: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (lhs: SchemaName, rhs: SchemaName) -> Bool {
        lhs.text.isEqualIgnoringASCIICase(to: rhs.text)
    }

    package func hash(into hasher: inout Hasher) {
        // This is the FNV-1a hash of the folded bytes, which needs no folded copy.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in text.utf8 {
            let folded = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
            hash = (hash ^ UInt64(folded)) &* 1_099_511_628_211
        }
        hasher.combine(hash)
    }
}
