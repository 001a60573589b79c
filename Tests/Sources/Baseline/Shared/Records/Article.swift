/// A text that is searched.
struct Article: Codable {
    var id: Int64
    var title: String
    var body: String

    static let createTable = "CREATE VIRTUAL TABLE article USING fts5(id UNINDEXED, title, body)"

    /// Drops the table if it exists, and creates it.
    static let createTableAgain = "DROP TABLE IF EXISTS article; \(createTable)"

    /// A number that depends on the index.
    static let contents = "SELECT count(*) FROM article WHERE article MATCH 'w1rd'"

    /// The searches. The last word of each is the beginning of a word.
    static let searches = (1...30).map { "w\($0 * 7)rd w\($0)" }

    /// Texts of about 30 words, the frequencies of which are spread as in a language.
    static func samples(count: Int) -> [Article] {
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

    /// A number that depends on the article as the result of a search.
    func checksum(snippetLength: Int, rank: Double) -> Int {
        Int(id) &+ title.utf8.count &+ body.utf8.count &+ snippetLength &+ Int(rank * 1000)
    }
}
