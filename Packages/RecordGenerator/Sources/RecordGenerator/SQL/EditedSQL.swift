/// SQL in which parts have been replaced, with the places that they had.
struct EditedSQL {
    /// A part, and the items of the list that replaces it.
    struct Edit {
        var range: Range<Int>
        var items: [String]
    }

    /// The SQL as it is in the file.
    let original: String

    /// The SQL with the replacements.
    let text: String

    private let replaced: [(old: Range<Int>, new: Range<Int>)]

    /// The length of a line after which a list continues on the next one.
    private static let limit = 120

    /// Replaces parts of some SQL.
    ///
    /// - Parameter edits: the parts, which don't overlap.
    init(_ sql: String, _ edits: [Edit] = []) {
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        var replaced: [(old: Range<Int>, new: Range<Int>)] = []
        var end = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[end..<edit.range.lowerBound]
            let start = result.count
            var column = start - (result.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0)
            for (index, item) in edit.items.enumerated() {
                if index > 0 {
                    let breaks = column + item.utf8.count + 3 > Self.limit
                    result += (breaks ? ",\n    " : ", ").utf8
                    column = breaks ? 4 : column + 2
                }
                result += item.utf8
                column += item.utf8.count
            }
            end = edit.range.upperBound
            let rest = bytes[end...].prefix { $0 != 0x0A }
            if edit.items.count > 1, column + rest.count > Self.limit {
                // What follows needs a line of its own.
                let isList = rest.first == UInt8(ascii: ",")
                result += (isList ? ",\n    " : "\n").utf8
                end += isList ? 1 : 0
                while end < bytes.count, bytes[end] == 0x20 { end += 1 }
            }
            replaced.append((edit.range.lowerBound..<end, start..<result.count))
        }
        result += bytes[end...]
        (original, text, self.replaced) = (sql, String(decoding: result, as: UTF8.self), replaced)
    }

    /// Returns the range of the original that became a range of the text.
    func originalRange(_ range: Range<Int>) -> Range<Int> {
        let lower = originalOffset(range.lowerBound, isEnd: false)
        return lower..<max(lower, originalOffset(range.upperBound, isEnd: true))
    }

    private func originalOffset(_ offset: Int, isEnd: Bool) -> Int {
        let last = replaced.last { isEnd ? $0.new.lowerBound < offset : $0.new.lowerBound <= offset }
        guard let (old, new) = last else { return offset }
        if isEnd ? offset <= new.upperBound : offset < new.upperBound { return isEnd ? old.upperBound : old.lowerBound }
        return offset - new.upperBound + old.upperBound
    }
}
