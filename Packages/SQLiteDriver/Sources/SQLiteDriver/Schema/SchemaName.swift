import CSQLiteShims

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
        // The loops over bytes are in C, which is fast in debug builds, too.
        hasher.combine(text.withCString { strata_folded_hash($0, text.utf8.count) })
    }
}

extension String {
    /// Returns whether two names are the same for SQLite, which ignores the case of ASCII letters.
    package func isEqualIgnoringASCIICase(to other: String) -> Bool {
        utf8.count == other.utf8.count && hasPrefixIgnoringASCIICase(other)
    }

    /// The string with its ASCII letters in lower case: one spelling of all names that are the same for SQLite.
    package var foldingASCIICase: String {
        String(decoding: utf8.map { strata_folded($0) }, as: UTF8.self)
    }

    /// Returns whether a name begins with another one, in any case of ASCII letters.
    package func hasPrefixIgnoringASCIICase(_ prefix: String) -> Bool {
        let count = prefix.utf8.count
        return count <= utf8.count && withCString { text in prefix.withCString { strata_are_same_folded(text, $0, count) != 0 } }
    }
}
