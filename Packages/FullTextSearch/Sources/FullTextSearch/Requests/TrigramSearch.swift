import QueryInterface

/// The search for a pattern with words of fewer than three characters in a table with the tokenizer `trigram`.
///
/// The index has no such words: FTS5 ignores them beside other words, and finds nothing if they are alone. A function in Swift finds them in
/// the text of the rows, after both were folded by the tokenizer, like the text in the index.
///
/// Source: <https://www.sqlite.org/fts5.html#the_trigram_tokenizer>
struct TrigramSearch: Sendable {
    /// The tokenizer of the table.
    fileprivate let tokenizer: FTS5TokenizerDescriptor

    /// All words and phrases of the pattern, each of which a row must have.
    fileprivate let words: [String]

    /// The columns to search.
    fileprivate let columns: [String]

    /// Whether the function is called with all rows, because the index has none of the words.
    let isScan: Bool

    /// Writes a call of the function: an excerpt of the row's text as a ``HighlightedText``; NULL if the row does not have all words.
    ///
    /// - Parameter writeColumn: writes a column of the table.
    fileprivate func render(
        tokens: Int = 1, ellipsis: String = "", to renderer: inout SQLRenderer, _ writeColumn: (inout SQLRenderer, String) throws -> Void
    ) throws {
        renderer.append("\(TrigramTokenizers.function)(")
        let options = [tokenizer.key.databaseValue, tokens.databaseValue, ellipsis.databaseValue, words.count.databaseValue]
        renderer.append(options + words.map(\.databaseValue), separator: ", ") { $0.append(argument: $1) }
        for column in columns {
            renderer.append(", CAST(")
            try writeColumn(&renderer, column)
            renderer.append(" AS TEXT)")
        }
        renderer.append(")")
    }

    /// Returns an excerpt of the row's text, with the words marked: see `snippet`.
    ///
    /// - Parameters:
    ///   - tokens: the greatest number of trigrams.
    ///   - ellipsis: stands for omitted text.
    func excerpt(tokens: Int, ellipsis: String) -> SQLExpression {
        SQLExpression(ExcerptNode(search: self, tokens: tokens, ellipsis: ellipsis), depth: SQLDepth())
    }
}

/// A call of the function that finds words in the text of columns, with columns of the current table.
private struct ExcerptNode: SQLExpressionNode {
    let search: TrigramSearch
    let tokens: Int
    let ellipsis: String

    var levelCount: Int { 1 }

    func render(to renderer: inout SQLRenderer) throws {
        try checkSnippetLength(tokens)
        try search.render(tokens: tokens, ellipsis: ellipsis, to: &renderer) { try $0.append(Column($1).sqlExpression) }
    }
}

extension SQLRenderer {
    /// Writes the condition that a row of a full-text table matches a pattern.
    ///
    /// - Parameters:
    ///   - pattern: the pattern.
    ///   - table: the table.
    ///   - column: the column to search; nil for all columns.
    ///   - writeColumn: writes a column of the table.
    mutating func appendMatch(
        _ pattern: any FullTextPattern, in table: FullTextTable, column: String? = nil,
        _ writeColumn: (inout SQLRenderer, String) throws -> Void
    ) throws {
        let search = try pattern.trigramSearch(in: table, column: column, database)
        if search?.isScan != true {
            if search != nil { append("(") }
            try writeColumn(&self, column ?? table.name)
            append(" MATCH ")
            append(argument: pattern.databaseValue)
            if search != nil { append(" AND ") }
        }
        guard let search else { return }
        try search.render(to: &self, writeColumn)
        append(search.isScan ? " IS NOT NULL" : " IS NOT NULL)")
    }
}

// MARK: - Patterns

/// A pattern of FTS5 or FTS3.
protocol FullTextPattern: DatabaseValueConvertible, Sendable {
    /// Returns the search for the pattern's words that the index of a table does not have; nil if `MATCH` finds all words.
    ///
    /// - Parameter column: the column to search; nil for all columns.
    /// - Throws: ``DatabaseError`` if the table can't be searched for these words.
    func trigramSearch(in table: FullTextTable, column: String?, _ db: Database) throws -> TrigramSearch?
}

extension FTS3Pattern: FullTextPattern {
    func trigramSearch(in table: FullTextTable, column: String?, _ db: Database) -> TrigramSearch? { nil }
}

extension FTS5Pattern: FullTextPattern {
    func trigramSearch(in table: FullTextTable, column: String? = nil, _ db: Database) throws -> TrigramSearch? {
        guard let descriptor = table.trigramTokenizer else { return nil }
        let tokenizer = try db.trigramTokenizer(descriptor)
        let phrases = PatternPhrases(self)
        let shortWords = try phrases.texts.filter { try tokenizer.tokenize(query: $0).isEmpty }
        if shortWords.isEmpty { return nil }
        let reason = "the index of \(table.name) has no words of fewer than three characters, because its tokenizer is trigram"
        guard phrases.areAllRequired else {
            throw DatabaseError.misuse(
                "\(reason), and the pattern does not require all of its words", advice: "Search for such words without operators.")
        }
        if table.isContentless { throw DatabaseError.misuse("\(reason), and the table does not store its text") }
        let isScan = shortWords.count == phrases.texts.count
        if isScan, !allowsScan {
            throw DatabaseError.misuse(
                "\(reason), and the pattern has no word that is long enough", advice: "Search all rows for short words with allowingScan()."
            )
        }
        return TrigramSearch(
            tokenizer: descriptor, words: phrases.texts, columns: column.map { [$0] } ?? table.indexedColumns, isScan: isScan)
    }
}

extension FullTextTable {
    /// The tokenizer, if it is `trigram`.
    fileprivate var trigramTokenizer: FTS5TokenizerDescriptor? {
        guard module == "fts5", let specification = definition.value(ofOption: "tokenize") else { return nil }
        let tokens = SQLTokens(specification)
        // A trigram has no stem.
        let components = tokens.tokens.indices.map { tokens.name($0) }.drop { $0.isEqualIgnoringASCIICase(to: "porter") }
        return components.first?.isEqualIgnoringASCIICase(to: "trigram") == true
            ? FTS5TokenizerDescriptor(components: Array(components)) : nil
    }

    fileprivate var isContentless: Bool { definition.value(ofOption: "content") == "" }

    fileprivate var indexedColumns: [String] {
        definition.arguments.filter { $0.value == nil && !$0.words.contains("UNINDEXED") }.map(\.name)
    }
}

// MARK: - The function

/// The `trigram` tokenizers of a connection, each with its own options.
private enum TrigramTokenizers: AttachmentKey {
    typealias Value = Guarded<[String: any FTS5Tokenizer]>

    static let function = "strata_excerpt"
}

extension FTS5TokenizerDescriptor {
    fileprivate var key: String { components.joined(separator: " ") }
}

extension Database {
    /// Returns a `trigram` tokenizer, with which the function of searches can be called.
    fileprivate func trigramTokenizer(_ descriptor: FTS5TokenizerDescriptor) throws -> any FTS5Tokenizer {
        let tokenizers = attachments.value(for: TrigramTokenizers.self) {
            let tokenizers = TrigramTokenizers.Value([:])
            add(function: DatabaseFunction(TrigramTokenizers.function, pure: true) { try excerpt($0, tokenizers) })
            return tokenizers
        }
        if let tokenizer = tokenizers.withLock({ $0[descriptor.key] }) { return tokenizer }
        let tokenizer = try makeTokenizer(descriptor)
        tokenizers.withLock { $0[descriptor.key] = tokenizer }
        return tokenizer
    }
}

/// Returns the result of the function for its arguments, in the order in which ``TrigramSearch`` writes them.
private func excerpt(_ arguments: [DatabaseValue], _ tokenizers: TrigramTokenizers.Value) throws -> HighlightedText? {
    guard arguments.count >= 4, case .string(let key) = arguments[0].storage, let tokenizer = tokenizers.withLock({ $0[key] }),
        case .int64(let tokens) = arguments[1].storage, (1...64).contains(tokens), case .string(let ellipsis) = arguments[2].storage,
        case .int64(let wordCount) = arguments[3].storage, (0...Int64(arguments.count - 4)).contains(wordCount)
    else { throw DatabaseError.misuse("\(TrigramTokenizers.function) is a function of searches") }
    let texts = try arguments.dropFirst(4).map { argument in
        guard case .string(let text) = argument.storage else { return try FoldedText("", tokenizer) }
        return try FoldedText(text, tokenizer)
    }
    let words = texts.prefix(Int(wordCount)).map(\.characters).filter { !$0.isEmpty }
    return texts.dropFirst(Int(wordCount)).excerpt(with: words, length: Int(tokens) + 2, ellipsis: ellipsis)
}

/// A text, and the characters that the tokenizer `trigram` makes of it.
private struct FoldedText {
    let text: String

    /// The characters, in lowercase for example.
    let characters: [Unicode.Scalar]

    /// Where the characters begin in the text, in UTF-8, and where it ends.
    private let offsets: [Int]

    init(_ text: String, _ tokenizer: any FTS5Tokenizer) throws {
        self.text = text
        // Between two other characters on each side, each character is the last one of a token.
        let padded = "  \(text)  "
        let tokens = try tokenizer.tokens(of: padded, for: .document)
        let ends = tokens.compactMap { $0.token.unicodeScalars.last }
        // The last two are spaces, unless the tokenizer has stopped at a NUL.
        characters = text.utf8.contains(0) ? ends : ends.dropLast(2)
        // A token begins two characters before its last one. The characters of the last token have no tokens of their own.
        var starts = tokens.map(\.start)
        if var start = starts.last {
            for scalar in padded.unicodeScalars[padded.utf8.index(padded.startIndex, offsetBy: start)...].prefix(3) {
                start += scalar.utf8.count
                starts.append(start)
            }
        }
        offsets = starts.dropFirst(2).map { min($0 - 2, text.utf8.count) }
    }

    /// Returns the occurrences of words, in their order.
    func occurrences(of words: [[Unicode.Scalar]]) -> [(word: Int, range: Range<Int>)] {
        characters.indices.flatMap { start in
            words.indices.filter { characters[start...].starts(with: words[$0]) }.map { ($0, start..<start + words[$0].count) }
        }
    }

    /// Returns a part of the text, with marks.
    func excerpt(_ range: Range<Int>, marking marks: [Range<Int>], ellipsis: String) -> HighlightedText {
        let (start, end) = (offsets[range.lowerBound], offsets[range.upperBound])
        let opening = start > 0 ? ellipsis : ""
        var ranges: [Range<Int>] = []
        for mark in marks {
            let lower = offsets[mark.lowerBound] - start + opening.utf8.count
            let upper = offsets[mark.upperBound] - start + opening.utf8.count
            if let last = ranges.last, lower <= last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, upper)
            } else if lower < upper {
                ranges.append(lower..<upper)
            }
        }
        let part = String(decoding: Array(text.utf8)[start..<end], as: UTF8.self)
        return HighlightedText(text: opening + part + (end < text.utf8.count ? ellipsis : ""), utf8Ranges: ranges)
    }
}

extension Collection<FoldedText> {
    /// Returns the part of the text with the most of some words; nil if the text doesn't have all words.
    fileprivate func excerpt(with words: [[Unicode.Scalar]], length: Int, ellipsis: String) -> HighlightedText? {
        var missing = Set(words.indices)
        var best: (text: FoldedText, range: Range<Int>, marks: [Range<Int>], wordCount: Int)?
        for text in self {
            let occurrences = text.occurrences(of: words)
            missing.subtract(occurrences.map(\.word))
            for (index, first) in occurrences.enumerated() where (best?.wordCount ?? 0) < words.count {
                let start = first.range.lowerBound
                let inside = occurrences[index...].prefix { $0.range.lowerBound < start + length }.filter {
                    $0.range.upperBound <= start + Swift.max(length, first.range.count)
                }
                let wordCount = Set(inside.map(\.word)).count
                if wordCount <= best?.wordCount ?? 0 { continue }
                let end = inside.map(\.range.upperBound).max() ?? start
                let lower = Swift.max(0, Swift.min(start - Swift.max(0, length - (end - start)) / 2, text.characters.count - length))
                let upper = Swift.min(text.characters.count, Swift.max(end, lower + length))
                let marks = occurrences.map(\.range).filter { $0.lowerBound >= lower && $0.upperBound <= upper }
                best = (text, lower..<upper, marks, wordCount)
            }
        }
        guard missing.isEmpty, let best else { return nil }
        return best.text.excerpt(best.range, marking: best.marks, ellipsis: ellipsis)
    }
}
