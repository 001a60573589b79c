import CSQLite
import Strata

// Full-text search with FTS5.

let searchWorkloads = [indexTexts, searchTexts, tokenizeTexts]

extension Article: FetchableRecord, PersistableRecord {}

private let indexTexts = Workload("index-texts", "index 20,000 texts, inserted as Codable records", atMost: 1.10, rounds: 11) {
    let articles = Article.samples(count: rowCount(20_000))
    let queue = try DatabaseQueue()
    return Rounds {
        try queue.write { try $0.execute(sql: Article.createTableAgain) }
    } work: { _ in
        try queue.write { db in
            for article in articles { try article.insert(db) }
        }
    } check: { _ in
        try queue.read { try Int.fetchOne($0, sql: Article.contents) ?? 0 }
    }
}

private let searchTexts = Workload("search-texts", "30 ranked searches with snippets in 20,000 texts", atMost: 1.10) {
    let queue = try DatabaseQueue()
    try queue.write { db in
        try db.execute(sql: Article.createTable)
        for article in Article.samples(count: rowCount(20_000)) { try article.insert(db) }
    }
    return Rounds {
        [SearchResult<Article>]()
    } work: { results in
        try queue.read { db in
            for text in Article.searches { results += try Article.search(text).fetchAll(db) }
        }
    } check: {
        checksum($0) { $0.record.checksum(snippetLength: $0.snippet.text.utf8.count, rank: $0.rank) }
    }
}

/// Splits strings at ASCII characters that are neither letters nor digits, and ignores case.
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
    try tokenize(by: ASCIITokenizer.tokenizerDescriptor())
} yardstick: {
    try tokenize(by: .unicode61())
}

private func tokenize(by tokenizer: FTS5TokenizerDescriptor) throws -> Rounds {
    let articles = Article.samples(count: rowCount(20_000))
    var configuration = Configuration()
    configuration.prepareDatabase { $0.add(tokenizer: ASCIITokenizer.self) }
    let queue = try DatabaseQueue(configuration: configuration)
    return Rounds {
        try queue.write { db in
            if try db.tableExists("article") { try db.drop(table: "article") }
            try db.create(virtualTable: "article", using: FTS5()) { t in
                t.tokenizer = tokenizer
                t.column("title")
                t.column("body")
            }
        }
    } work: { _ in
        try queue.write { db in
            for article in articles {
                try db.execute(sql: "INSERT INTO article VALUES (?, ?)", arguments: [article.title, article.body])
            }
        }
    } check: { _ in
        try queue.read { try Int.fetchOne($0, sql: Article.contents) ?? 0 }
    }
}
