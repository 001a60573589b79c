/// A name of a schema object. Names are compared as in SQLite, ignoring the case of ASCII letters.
///
/// Swift's equality of strings differs: canonically equivalent strings, such as "é" in one scalar or in two, are equal. For SQLite they are
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
            hash = (hash ^ UInt64(byte.foldingASCIICase)) &* 1_099_511_628_211
        }
        hasher.combine(hash)
    }
}

extension String {
    /// Returns whether two names are the same for SQLite, which ignores the case of ASCII letters.
    package func isEqualIgnoringASCIICase(to other: String) -> Bool {
        let lhs = utf8
        let rhs = other.utf8
        return lhs.count == rhs.count && lhs.elementsEqual(rhs) { $0.foldingASCIICase == $1.foldingASCIICase }
    }

    /// The string with its ASCII letters in lower case: one spelling of all names that are the same for SQLite.
    package var foldingASCIICase: String {
        String(decoding: utf8.map(\.foldingASCIICase), as: UTF8.self)
    }

    /// Returns whether a name begins with another one, in any case of ASCII letters.
    package func hasPrefixIgnoringASCIICase(_ prefix: String) -> Bool {
        String(decoding: utf8.prefix(prefix.utf8.count), as: UTF8.self).isEqualIgnoringASCIICase(to: prefix)
    }
}

extension UInt8 {
    fileprivate var foldingASCIICase: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}
