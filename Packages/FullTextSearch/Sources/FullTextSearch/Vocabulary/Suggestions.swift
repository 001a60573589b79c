import Foundation
import QueryInterface

/// A word of the vocabulary that is similar to another word.
public struct FTS5Suggestion: Hashable, Sendable {
    /// The word.
    public let term: String

    /// The number of characters to insert, delete, replace, or swap with the next one.
    public let distance: Int

    /// The number of rows that contain the word.
    public let documentCount: Int
}

extension Database {
    /// Returns the words of a vocabulary that are most similar to a misspelt word, the most similar and then the most frequent ones first.
    ///
    /// ```swift
    /// try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "document_ft"))
    ///
    /// try db.suggestions(for: "swfit", inVocabulary: "word").map(\.term)
    /// // ["swift", "shift"]
    /// ```
    ///
    /// Words of the vocabulary are tokens of the tokenizer: mostly in lowercase. A word of the vocabulary is its own first suggestion, with
    /// the distance 0.
    ///
    /// - Parameters:
    ///   - word: a word.
    ///   - vocabulary: the name of a table of the module ``FTS5Vocabulary`` with ``FTS5Vocabulary/Content/row``.
    ///   - maximumDistance: the greatest distance, 1 or 2. By default 2, and 1 for words of up to four characters. All words at a distance
    ///     of 1 are found; of those at a distance of 2, only words that begin with the same character.
    ///   - limit: the greatest number of suggestions.
    /// - Throws: ``DatabaseError``.
    /// - Complexity: reads at most 20,000 words that begin with the same character, and looks up some dozens of words for each
    ///   character of `word`, of which the first 40 count.
    public func suggestions(
        for word: String, inVocabulary vocabulary: String, maximumDistance: Int? = nil, limit: Int = 5
    ) throws -> [FTS5Suggestion] {
        // The tokenizer may have removed the diacritics.
        let plain = word.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        let spellings = Set([word.lowercased(), plain].map { Array($0.prefix(40)) }).filter { !$0.isEmpty }
        guard limit > 0, let longest = spellings.map(\.count).max() else { return [] }
        let maximum = min(max(maximumDistance ?? (longest <= 4 ? 1 : 2), 0), 2)
        let table = try TableReference(vocabulary, in: self).sql
        var found: [String: FTS5Suggestion] = [:]

        func add(_ row: Row) throws {
            let term = try row.decode(String.self, atIndex: 0)
            guard found[term] == nil else { return }
            let characters = Array(term)
            guard let distance = spellings.map({ editDistance($0, characters, limit: maximum) }).min(), distance <= maximum else { return }
            found[term] = FTS5Suggestion(term: term, distance: distance, documentCount: try row.decode(atIndex: 1))
        }

        // FTS5 finds the words that begin with the same character in its index.
        for first in Set(spellings.map { String($0[0]) }) {
            let rows = try Row.fetchCursor(
                self, sql: "SELECT term, doc FROM \(table) WHERE term >= ? AND term < ? LIMIT 20000",
                arguments: [first, first + "\u{10FFFF}"])
            while let row = try rows.next() { try add(row) }
        }

        // Words that begin with another character, and words after the first 20,000.
        if maximum > 0 {
            let lookup = try cachedStatement(sql: "SELECT term, doc FROM \(table) WHERE term = ?")
            for candidate in spellings.reduce(into: Set(), { $0.formUnion(neighbors(of: $1)) }) where found[candidate] == nil {
                try lookup.setArguments([candidate])
                if let row = try Row.fetchOne(lookup) { try add(row) }
            }
        }
        return Array(
            found.values
                .sorted { ($0.distance, -$0.documentCount, $0.term) < ($1.distance, -$1.documentCount, $1.term) }
                .prefix(limit))
    }
}

/// Returns the words at a distance of 1.
private func neighbors(of word: [Character]) -> Set<String> {
    // The characters that the word may lack: ASCII characters, and its own.
    let alphabet = Set("abcdefghijklmnopqrstuvwxyz0123456789" + word)
    var words: Set<String> = []
    for index in word.indices {
        words.insert(String(word[..<index] + word[(index + 1)...]))
        if index + 1 < word.count {
            var swapped = word
            swapped.swapAt(index, index + 1)
            words.insert(String(swapped))
        }
    }
    for index in 0...word.count {
        for character in alphabet {
            words.insert(String(word[..<index] + [character] + word[index...]))
            if index < word.count { words.insert(String(word[..<index] + [character] + word[(index + 1)...])) }
        }
    }
    return words
}
