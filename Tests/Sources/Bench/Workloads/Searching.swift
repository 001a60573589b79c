import CSQLite
import Foundation
import Strata

// Full-text search with FTS5.

let searchWorkloads = [indexTexts, searchTexts, tokenizeTexts]

private struct Article: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var title: String
    var body: String

    /// Texts of about 30 words, the frequencies of which are spread as in a language.
    static func texts(_ count: Int) -> [Article] {
        var state: UInt64 = 22
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        func word() -> String { "w\(random(1 + random(1 + random(5_000))))rd" }
        return (1...count).map { id in
            Article(
                id: Int64(id), title: (0..<4).map { _ in word() }.joined(separator: " "),
                body: (0..<30).map { _ in word() }.joined(separator: " ") + ".")
        }
    }
}

private let indexTexts = Workload("index-texts", "index 20,000 texts, inserted as Codable records", atMost: 1.10, rounds: 11) {
    let articles = Article.texts(20_000)
    let connection = CConnection()
    let queue = try DatabaseQueue()
    let sql = "CREATE VIRTUAL TABLE article USING fts5(id UNINDEXED, title, body)"
    return Workload.Sides(
        reset: {
            connection.execute("DROP TABLE IF EXISTS article; \(sql)")
            try queue.write { try $0.execute(sql: "DROP TABLE IF EXISTS article; \(sql)") }
        },
        byHand: {
            connection.inTransaction {
                let statement = connection.prepare("INSERT INTO article (id, title, body) VALUES (?, ?, ?)")
                defer { sqlite3_finalize(statement) }
                for var article in articles {
                    sqlite3_bind_int64(statement, 1, article.id)
                    withBound(&article.title, statement, 2) {
                        withBound(&article.body, statement, 3) { connection.run(statement) }
                    }
                }
            }
            return articles.count
        },
        throughStrata: {
            try queue.write { db in
                for article in articles { try article.insert(db) }
            }
            return articles.count
        },
        contents: {
            let query = "SELECT count(*) FROM article WHERE article MATCH 'w1rd'"
            return (connection.number(query), try queue.read { try Int.fetchOne($0, sql: query) ?? 0 })
        })
}

private let searchTexts = Workload("search-texts", "30 ranked searches with snippets in 20,000 texts", atMost: 1.10) {
    let articles = Article.texts(20_000)
    let sql = "CREATE VIRTUAL TABLE article USING fts5(id UNINDEXED, title, body)"
    let connection = CConnection()
    let queue = try DatabaseQueue()
    connection.execute(sql)
    try queue.write { db in
        try db.execute(sql: sql)
        for article in articles { try article.insert(db) }
    }
    connection.inTransaction {
        let statement = connection.prepare("INSERT INTO article (id, title, body) VALUES (?, ?, ?)")
        defer { sqlite3_finalize(statement) }
        for var article in articles {
            sqlite3_bind_int64(statement, 1, article.id)
            withBound(&article.title, statement, 2) { withBound(&article.body, statement, 3) { connection.run(statement) } }
        }
    }
    let texts = (1...30).map { "w\($0 * 7)rd w\($0)" }
    return Workload.Sides(
        byHand: {
            let statement = connection.prepare(
                """
                SELECT *, snippet(article, -1, '[', ']', '…', 16), rank FROM article WHERE article MATCH ? ORDER BY rank LIMIT 20
                """)
            defer { sqlite3_finalize(statement) }
            var sum = 0
            for text in texts {
                var pattern = text.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ") + "*"
                withBound(&pattern, statement, 1) {
                    while sqlite3_step(statement) == SQLITE_ROW {
                        let article = Article(
                            id: sqlite3_column_int64(statement, 0), title: bench.text(statement, 1)!, body: bench.text(statement, 2)!)
                        sum &+= Int(article.id) &+ article.title.utf8.count &+ article.body.utf8.count
                        sum &+= bench.text(statement, 3)!.utf8.count - 2 * bench.text(statement, 3)!.utf8.count { $0 == UInt8(ascii: "[") }
                        sum &+= Int(sqlite3_column_double(statement, 4) * 1000)
                    }
                    sqlite3_reset(statement)
                }
            }
            return sum
        },
        throughStrata: {
            try queue.read { db in
                var sum = 0
                for text in texts {
                    for result in try Article.search(text).fetchAll(db) {
                        let article = result.record
                        sum &+= Int(article.id) &+ article.title.utf8.count &+ article.body.utf8.count
                        sum &+= result.snippet.text.utf8.count &+ Int(result.rank * 1000)
                    }
                }
                return sum
            }
        })
}

/// Splits texts at ASCII characters that are neither letters nor digits, and ignores case.
private final class ASCIITokenizer: FTS5CustomTokenizer {
    static let name = "swift_ascii"

    private var token = [CChar](repeating: 0, count: 64)

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt {
        let text = UnsafeBufferPointer(start: pText, count: Int(nText))
        var position = 0
        while position < text.count {
            while position < text.count, Self.folded[Int(UInt8(bitPattern: text[position]))] == 0 { position += 1 }
            let start = position
            while position < text.count, Self.folded[Int(UInt8(bitPattern: text[position]))] != 0 { position += 1 }
            if start == position { break }
            let count = position - start
            if token.count < count { token = [CChar](repeating: 0, count: count * 2) }
            let code = token.withUnsafeMutableBufferPointer { token in
                for index in 0..<count { token[index] = Self.folded[Int(UInt8(bitPattern: text[start + index]))] }
                return tokenCallback(context, 0, token.baseAddress, CInt(count), CInt(start), CInt(position))
            }
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    /// The byte in lowercase, for each byte of a token; 0 for separators.
    private static let folded: [CChar] = (0...255).map { (byte: Int) -> CChar in
        switch UInt8(byte) {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): CChar(byte + 32)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): CChar(byte)
        case 128...: CChar(bitPattern: UInt8(byte))
        default: 0
        }
    }
}

private let tokenizeTexts = Workload(
    "tokenize-texts", "index 20,000 ASCII texts: a tokenizer in Swift beside SQLite's unicode61", atMost: 2.00, rounds: 11
) {
    let articles = Article.texts(20_000)
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(tokenizer: ASCIITokenizer.self) }
    let queue = try DatabaseQueue(configuration: configuration)
    func index(_ name: String) throws -> Int {
        try queue.write { db in
            for article in articles {
                try db.execute(sql: "INSERT INTO \(name) VALUES (?, ?)", arguments: [article.title, article.body])
            }
            return articles.count
        }
    }
    return Workload.Sides(
        reset: {
            try queue.write { db in
                for (name, tokenizer) in [("a", FTS5TokenizerDescriptor.unicode61()), ("b", ASCIITokenizer.tokenizerDescriptor())] {
                    if try db.tableExists(name) { try db.drop(table: name) }
                    try db.create(virtualTable: name, using: FTS5()) { t in
                        t.tokenizer = tokenizer
                        t.column("title")
                        t.column("body")
                    }
                }
            }
        },
        byHand: { try index("a") }, throughStrata: { try index("b") },
        contents: {
            try queue.read { db in
                (
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM a('w1rd')") ?? 0,
                    try Int.fetchOne(db, sql: "SELECT count(*) FROM b('w1rd')") ?? 0
                )
            }
        })
}
