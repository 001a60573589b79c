extension String {
    /// Returns whether SQL contains a keyword, regardless of case: an occurrence that is not a part of a longer word. It may be in a
    /// literal, in a quoted name or in a comment.
    ///
    /// - Parameters:
    ///   - keyword: the keyword, in capitals.
    ///   - isMeant: returns whether an occurrence counts, given the next character that is no white space; nil at the end.
    func hasKeyword(_ keyword: StaticString, where isMeant: (UInt8?) -> Bool = { _ in true }) -> Bool {
        let keyword = Array("\(keyword)".utf8)
        let bytes = Array(utf8)
        guard bytes.count >= keyword.count else { return false }
        return (0...(bytes.count - keyword.count)).contains { start in
            guard bytes[start] & 0xDF == keyword[0] else { return false }
            let end = start + keyword.count
            return zip(bytes[start..<end], keyword).allSatisfy { $0 & 0xDF == $1 } && !(start > 0 && bytes[start - 1].isPartOfWord)
                && !(end < bytes.count && bytes[end].isPartOfWord)
                && isMeant(bytes[end...].first { $0 != UInt8(ascii: " ") && !(9...13).contains($0) })
        }
    }

    /// Whether SQL may have the conflict clause REPLACE, and not only the function `replace()`.
    var hasReplaceClause: Bool { hasKeyword("REPLACE") { $0 != UInt8(ascii: "(") } }

    /// Whether SQL may have a join that compares columns of the same name without naming them for each table.
    var hasJoinByColumnNames: Bool { hasKeyword("USING") || hasKeyword("NATURAL") }

    /// Whether SQL creates a virtual table.
    var isVirtualTable: Bool { prefix(20).uppercased().hasPrefix("CREATE VIRTUAL") }
}

extension UInt8 {
    /// Whether the byte can be a part of a keyword or of an identifier.
    fileprivate var isPartOfWord: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default:
            false
        }
    }
}
