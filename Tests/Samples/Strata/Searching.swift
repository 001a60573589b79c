import Foundation
import Strata
import Testing

@Suite(.page)
struct StrataSearchingSamples {
    // sample: Overview 2

    private func withArticles(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            // sample: Overview 1
            var articles = [
                Article(id: nil, title: "Sailing boats", body: "A boat in the old harbour."),
                Article(id: nil, title: "Old trains", body: "Trains, and a sailing boat in a museum."),
                Article(id: nil, title: "Cats", body: "They sleep."),
            ]
            try articles.insertAll(db)
            try body(db)
        }
    }

    @Test
    func `A table with UUIDs and a generated column is indexed`() throws {
        struct Note: Codable, FetchableRecord, PersistableRecord {
            var id: UUID
            var text: String
            var info: String
        }

        let queue = try DatabaseQueue()
        try queue.write { db in
            // sample: Tables with other keys 1
            #expect(notes.isEmpty)
            for text in ["quay", "train", "harbour"] { try Note(id: UUID(), text: text, info: #"{"author": "Ada"}"#).insert(db) }
            try db.execute(sql: "DELETE FROM note WHERE text = 'quay'")
        }
        try queue.vacuum()
        try queue.write { db in
            let found = try Note.search("harbour ada").fetchAll(db).map(\.record.text)
            #expect(found == ["harbour"])
            try db.execute(sql: #"UPDATE note SET info = '{"author": "Bob"}'"#)
            try #expect(Note.search("ada").fetchAll(db).isEmpty)
            try #expect(Note.search("bob").fetchAll(db).count == 2)
        }
    }

    @Test
    func `A trigram index finds parts of words, and shorter words beside them`() throws {
        struct File: Codable, FetchableRecord, PersistableRecord {
            var path: String
        }

        try DatabaseQueue().write { db in
            try db.execute(
                sql: "CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT); INSERT INTO file (path) VALUES ('src/ui'), ('src/a')")
            // sample: Choose a tokenizer 1
            #expect(files.map(\.record.path) == ["src/ui"])
            #expect(scanned.map { $0.snippet.marked(open: "[", close: "]") } == ["src/[ui]"])
        }
    }

    @Test
    func `Typed words find records, the best first`() throws {
        try withArticles { db in
            // sample: Search as people type 1
            #expect(printed.count == 4)
            #expect(printed.first == "Sailing boats")
            #expect(printed.contains("Old trains"))
            #expect(printed.last?.contains("<b>boat</b>") == true)

            // sample: Search as people type 2
            #expect(weighted.first?.record.title == "Sailing boats")

            // sample: Search as people type 3
            #expect(recent.map(\.record.title) == ["Old trains"])
        }
    }

    @Test
    func `One of several indexes is chosen`() throws {
        try withArticles { db in
            // sample: Several indexes of a table 1
            #expect(words.count == 2)
            #expect(parts.map(\.record.title) == ["Old trains"])
            try #expect(Article.search("rain").fetchAll(db).isEmpty)
        }
    }

    @Test
    func `The newest matches need no ranks, and prefixes an index`() throws {
        try withArticles { db in
            // sample: What it costs 2
            #expect(newest.map(\.title) == ["Old trains", "Sailing boats"])
            // sample: What it costs 3
            let found = try Article.search("old bo").using(index: "article_prefix").fetchAll(db)
            #expect(Set(found.map(\.record.title)) == ["Old trains", "Sailing boats"])
        }
    }

    @Test
    func `Patterns match exactly`() throws {
        try withArticles { db in
            // sample: Search with patterns 1
            #expect(articles.map(\.title) == ["Sailing boats"])
            try #expect(Article.matching(any).fetchCount(db) == 2)
            try #expect(Article.matching(phrase).fetchAll(db).map(\.title) == ["Sailing boats"])
            // sample: Search with patterns 2
            #expect(found.map(\.title) == ["Sailing boats"])
        }
    }

    @Test
    func `A misspelt word gets suggestions`() throws {
        try withArticles { db in
            // sample: Suggest other words 1
            #expect(suggestions.first?.term == "harbour")
            // sample: What it costs 1
            try #expect(Article.search("harbour").fetchAll(db).count == 1)
        }
    }
}
