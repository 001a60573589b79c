// 12. Full-text search
//
// First a dozen texts about the Apollo missions. Then the manual pages of this machine: they are indexed while a bar shows the progress,
// and searched while you type.
//
// Next: 13. A cluster.

import ExampleSupport
import Foundation
import Strata

/// A text with a title. The texts are in the table "page"; the table "page_ft" indexes them.
struct Page: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var title: String
    var text: String
}

/// Prints the results of a search, one in each line, with marks around the words that match.
func showResults(_ search: String, _ db: Database) throws {
    let results = try Page.search(search, limit: 5).weighted(["title": 5]).snippets(tokens: 12).fetchAll(db)
    print("\(search) →")
    for result in results {
        print("    \(result.record.title): \(result.snippet.marked(open: "[", close: "]"))")
    }
    // A word that no text contains may be misspelt.
    if results.isEmpty, let word = search.split(separator: " ").last {
        let words = try db.suggestions(for: String(word), inVocabulary: "word", limit: 3).map(\.term)
        print(words.isEmpty ? "    nothing" : "    nothing; did you mean \(words.joined(separator: ", "))?")
    }
}

runProgram {
    // MARK: Tables

    // Each connection needs the tokenizers that are written in Swift.
    var configuration = Configuration()
    configuration.prepareDatabase { db in db.add(tokenizer: BigramTokenizer.self) }
    let queue = try DatabaseQueue(path: newDatabasePath("12-full-text-search"), configuration: configuration)
    try queue.write { db in
        try db.create(table: "page") { t in
            t.autoIncrementedPrimaryKey("id")
            t.column("title", .text).notNull()
            t.column("text", .text).notNull()
        }
        // Triggers keep the index up to date, regardless of the program that writes to the table.
        try db.create(virtualTable: "page_ft", using: FTS5()) { t in
            t.synchronize(withTable: "page")
            t.tokenizer = .unicode61(diacritics: .remove)
            t.column("title")
            t.column("text")
        }
        // The words of the index.
        try db.create(virtualTable: "word", using: FTS5Vocabulary(of: "page_ft"))
        for record in try readCSV("texts") {
            var page = Page(title: try record.text("title"), text: try record.text("text"))
            try page.insert(db)
        }
    }

    // MARK: Searches

    try queue.read { db in
        print("\nSearches for all words; the last one may be incomplete\n")
        for search in ["lunar surf", "rover", "oxygen \"tank", "lightnign"] { try showResults(search, db) }

        print("\nQueries with operators\n")
        let query = ("landing" || .prefix("descend")) && !FTS5Query.near("first", "samples", within: 5)
        print(query.pattern.rawPattern)
        for title in try Page.matching(query).order(Column("id")).select(Column("title"), as: String.self).fetchAll(db) {
            print("    \(title)")
        }

        print("\nThe most frequent words\n")
        let words = try Table<FTS5Term>("word")
            .order(FTS5Term.Columns.documentCount.desc, FTS5Term.Columns.term).limit(3).fetchAll(db)
        for word in words { print("    \(word.term) in \(word.documentCount) texts") }
    }

    // MARK: A tokenizer in Swift

    // The Japanese text has no spaces. With tokens of two characters, any part of it is found.
    try queue.write { db in
        try db.create(virtualTable: "page_bigram", using: FTS5()) { t in
            t.synchronize(withTable: "page")
            t.tokenizer = BigramTokenizer.tokenizerDescriptor()
            t.column("text")
        }
        print("\nBigrams\n")
        for (name, index) in [("SQLite's tokenizer", "page_ft"), ("the bigrams", "page_bigram")] {
            let results = try Page.search("飛行士").using(index: index).fetchAll(db)
            let snippets = results.map { $0.snippet.marked(open: "[", close: "]") }
            print("    飛行士 with \(name): \(snippets.isEmpty ? "nothing" : snippets.joined(separator: ", "))")
        }
        try db.drop(table: "page_bigram")
        try db.dropFTS5SynchronizationTriggers(forTable: "page_bigram")
    }

    // MARK: The texts of this machine

    let pages = try manualPages()
    guard !pages.isEmpty else { return print("\nThis machine has no manual pages to index.") }
    let clock = ContinuousClock()
    let duration = try clock.measure {
        try showingProgress("Indexing", of: pages.count) { bar in
            try queue.write { db in
                try Page.deleteAll(db)
                for (index, var page) in pages.enumerated() {
                    try page.insert(db)
                    bar.show(index + 1)
                }
                try FTS5Index("page_ft").optimize(db)
            }
        }
    }
    let seconds = duration.formatted(.units(allowed: [.seconds], fractionalPart: .show(length: 1)))
    print("\n\(pages.count) texts of this machine, indexed in \(seconds).\n")
    try searchAsYouType { search in try queue.read { try showResults(search, $0) } }
}
