import CodableSupport
import Foundation
import Testing

@Suite struct DatabaseJSONTests {
    /// A record that reads and writes its columns itself.
    struct Article: FetchableRecord, PersistableRecord {
        static let databaseTableName = "article"
        var tags: [String]
        var score: Double?

        init(tags: [String], score: Double?) { (self.tags, self.score) = (tags, score) }

        init(row: Row) throws {
            tags = try row.decode(DatabaseJSON<[String]>.self, forColumn: "tags").value
            score = try row.decode(DatabaseJSON<Double>?.self, forColumn: "score")?.value
        }

        func encode(to container: inout PersistenceContainer) {
            container["tags"] = DatabaseJSON(tags)
            container["score"] = score.map { DatabaseJSON($0) }
        }
    }

    /// The database values of each row.
    private func stored(_ db: Database) throws -> [[DatabaseValue]] {
        try Row.fetchAll(db, sql: "SELECT * FROM article").map { row in row.databaseValues }
    }

    private func database() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in try db.execute(sql: "CREATE TABLE article (tags, score)") }
        return queue
    }

    @Test
    func `A value is stored as JSON, and nil as NULL`() throws {
        try database().write { db in
            try Article(tags: ["a", "\"b\""], score: nil).insert(db)
            try Article(tags: [], score: 1.5).insert(db)
            #expect(
                try stored(db) == [[#"["a","\"b\""]"#.databaseValue, .null], ["[]".databaseValue, "1.5".databaseValue]])
            let articles = try Article.fetchAll(db)
            #expect(articles.map(\.tags) == [["a", "\"b\""], []])
            #expect(articles.map(\.score) == [nil, 1.5])
            // A text is JSON as well.
            #expect(try DatabaseJSON("a").bindingValue() == "\"a\"".databaseValue)
            #expect(DatabaseJSON<[Int]>.fromDatabaseValue(Data("[1]".utf8).databaseValue) == DatabaseJSON([1]))
        }
    }

    @Test(arguments: ["'[1'", "'{}'", "NULL", "1", "''"])
    func `A column with something else is an error that names it`(_ value: String) throws {
        try database().write { db in
            let error = #expect(throws: RowDecodingError.self) { try Article.fetchAll(db, sql: "SELECT \(value) AS tags") }
            #expect(error?.column == "tags")
        }
    }

    @Test
    func `A value that JSON can't have is an error of the insertion`() throws {
        try database().write { db throws in
            #expect(throws: EncodingError.self) { try Article(tags: [], score: .infinity).insert(db) }
            #expect(try Article.fetchCount(db) == 0)
        }
    }
}
