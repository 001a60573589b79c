import SQLiteDriver

/// The text of a file, in which diagnostics have places.
package struct SourceText: Sendable {
    /// The path, as diagnostics name it.
    package let file: String

    /// The text, without a byte order mark.
    package let text: String

    /// The offsets at which the lines begin.
    private let lineStarts: [Int]

    package init(_ text: String, file: String) {
        self.file = file
        self.text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
        lineStarts = [0] + self.text.utf8.enumerated().filter { $0.element == 0x0A }.map { $0.offset + 1 }
    }

    /// Returns the line and the column of a byte of UTF-8, both from 1, and the text of that line.
    func place(of offset: Int) -> (line: Int, column: Int, text: String) {
        let utf8 = text.utf8
        let offset = min(max(offset, 0), utf8.count)
        // The first line that begins after the offset.
        var (next, end) = (1, lineStarts.count)
        while next < end {
            let middle = (next + end) / 2
            if lineStarts[middle] <= offset { next = middle + 1 } else { end = middle }
        }
        let start = lineStarts[next - 1]
        let rest = utf8[utf8.index(utf8.startIndex, offsetBy: start)...]
        var line = Array(next < lineStarts.count ? rest.prefix(lineStarts[next] - start - 1) : rest)
        if line.last == 0x0D { line.removeLast() }
        return (next, offset - start + 1, String(decoding: line, as: UTF8.self))
    }

    /// Returns an error or a warning about a range of bytes.
    func diagnostic(_ message: String, at range: Range<Int>, isWarning: Bool = false) -> QueryDiagnostic {
        let place = place(of: range.lowerBound)
        let marked = max(1, min(range.count, place.text.utf8.count - place.column + 1))
        return QueryDiagnostic(
            file: file, line: place.line, column: place.column, isWarning: isWarning, message: message, sourceLine: place.text,
            markedCount: marked)
    }
}

/// An error or a warning about SQL in a file.
///
/// Its description is in the format of compilers, which editors understand:
///
///     Queries.sql:3:8: error: no such column: scor. Did you mean score?
///     SELECT scor FROM player
///            ^~~~
package struct QueryDiagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The path of the file.
    package let file: String
    /// The number of the line, from 1.
    package let line: Int
    /// The column, from 1, in bytes of UTF-8.
    package let column: Int
    /// Whether this is a warning, and not an error.
    package var isWarning: Bool
    /// The description of the mistake, and what to do about it.
    package let message: String
    /// The line of the file.
    package let sourceLine: String
    /// The number of bytes that the diagnostic is about.
    let markedCount: Int

    /// The diagnostic, and below it the line of the file with a mark.
    package var description: String {
        let before = String(decoding: sourceLine.utf8.prefix(column - 1), as: UTF8.self)
        let marked = String(decoding: sourceLine.utf8.dropFirst(column - 1).prefix(markedCount), as: UTF8.self)
        // Tabs keep their width.
        let indentation = String(before.map { $0 == "\t" ? "\t" : " " })
        let mark = "^" + String(repeating: "~", count: max(0, marked.count - 1))
        return "\(file):\(line):\(column): \(isWarning ? "warning" : "error"): \(message)\n\(sourceLine)\n\(indentation)\(mark)"
    }
}

/// Errors in files with SQL.
package struct QueryErrors: Error, Sendable, CustomStringConvertible {
    /// The errors, and the warnings between them, in the order of their places.
    package let diagnostics: [QueryDiagnostic]

    /// Returns diagnostics that are all warnings.
    ///
    /// - Throws: ``QueryErrors`` if there is an error among them.
    static func check(_ diagnostics: [QueryDiagnostic]) throws -> [QueryDiagnostic] {
        guard diagnostics.allSatisfy(\.isWarning) else { throw QueryErrors(diagnostics: diagnostics) }
        return diagnostics
    }

    /// The diagnostics, one below the other.
    package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

// MARK: - Suggestions

extension String {
    /// What to write instead of an alias that contains a type, or says whether the value may be NULL, as in "total!: i64"; nil for others.
    var aliasHint: String? {
        guard let match = wholeMatch(of: #/(\w+)\s*([!?]?)\s*(:.+)?/#), !match.2.isEmpty || match.3 != nil else { return nil }
        let type = match.3 == nil ? "\(match.2)" : match.2 == "?" ? "TYPE?" : "TYPE"
        return
            "the alias \"\(self)\" becomes the property \(SwiftName.member(self)): write AS \(match.1), and if the types don't prove it, "
            + "-- @column \(match.1) \(type)"
    }

    /// Returns a question that ends a message, if one of the names is similar enough to be meant; an empty string otherwise.
    func suggestion(in names: some Sequence<String>) -> String { mostSimilar(in: names).map { ". Did you mean \($0)?" } ?? "" }

    /// Returns the name that is most similar, if one is similar enough to be meant.
    func mostSimilar(in names: some Sequence<String>) -> String? {
        let own = Array(foldingASCIICase.unicodeScalars)
        let limit = own.count < 4 ? 1 : own.count < 8 ? 2 : 3
        var best: (name: String, distance: Int)?
        for name in names {
            let distance = Self.distance(own, Array(name.foldingASCIICase.unicodeScalars), limit: best.map { $0.distance - 1 } ?? limit)
            if let distance, distance < (best?.distance ?? Int.max) { best = (name, distance) }
        }
        return best?.name
    }

    /// The number of letters to insert, delete, replace or swap; nil if it exceeds the limit.
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar], limit: Int) -> Int? {
        guard limit >= 0, abs(one.count - other.count) <= limit else { return nil }
        // The distances between the beginnings of both, which the empty string has from any by its length.
        var rows = (0...one.count).map { row in (0...other.count).map { row == 0 ? $0 : row } }
        for row in 1..<(one.count + 1) {
            for column in 1..<(other.count + 1) {
                let isSame = one[row - 1] == other[column - 1]
                var cost = Swift.min(rows[row - 1][column], rows[row][column - 1], rows[row - 1][column - 1] - (isSame ? 1 : 0)) + 1
                if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                    cost = Swift.min(cost, rows[row - 2][column - 2] + 1)
                }
                rows[row][column] = cost
            }
        }
        return rows[one.count][other.count] <= limit ? rows[one.count][other.count] : nil
    }
}
