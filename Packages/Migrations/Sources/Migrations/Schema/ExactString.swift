/// Some SQL, compared byte by byte as SQLite compares strings.
///
/// To Swift, canonically equivalent strings are equal, such as "é" in one scalar and in two. They are different SQL, and different values.
package struct ExactString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (lhs: ExactString, rhs: ExactString) -> Bool { lhs.text.utf8.elementsEqual(rhs.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        // Equal bytes are equal strings.
        hasher.combine(text)
    }
}
