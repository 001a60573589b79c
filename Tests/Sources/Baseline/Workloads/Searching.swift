import CSQLite

// Full-text search with FTS5.

let searchSides = [indexTexts, searchTexts]

extension CConnection {
    fileprivate func insert(_ articles: [Article]) {
        inTransaction {
            let statement = prepare("INSERT INTO article (id, title, body) VALUES (?, ?, ?)")
            defer { sqlite3_finalize(statement) }
            for var article in articles {
                sqlite3_bind_int64(statement, 1, article.id)
                withBound(&article.title, statement, 2) {
                    withBound(&article.body, statement, 3) { run(statement) }
                }
            }
        }
    }
}

private let indexTexts = Side("index-texts") {
    let articles = Article.samples(count: rowCount(20_000))
    let connection = CConnection()
    return Rounds {
        connection.execute(Article.createTableAgain)
    } work: { _ in
        connection.insert(articles)
    } check: { _ in
        connection.number(Article.contents)
    }
}

/// What a search finds. The snippet has brackets around the words that were found.
private struct SearchResult {
    let article: Article
    let snippet: String
    let rank: Double
}

private let searchTexts = Side("search-texts") {
    let connection = CConnection()
    connection.execute(Article.createTable)
    connection.insert(Article.samples(count: rowCount(20_000)))
    return Rounds {
        [SearchResult]()
    } work: { results in
        let statement = connection.prepare(
            """
            SELECT *, snippet(article, -1, '[', ']', '…', 16), rank FROM article WHERE article MATCH ? ORDER BY rank LIMIT 20
            """)
        defer { sqlite3_finalize(statement) }
        for search in Article.searches {
            var pattern = search.split(separator: " ").map { "\"\($0)\"" }.joined(separator: " ") + "*"
            withBound(&pattern, statement, 1) {
                while sqlite3_step(statement) == SQLITE_ROW {
                    results.append(
                        SearchResult(
                            article: Article(
                                id: sqlite3_column_int64(statement, 0), title: text(statement, 1)!, body: text(statement, 2)!),
                            snippet: text(statement, 3)!, rank: sqlite3_column_double(statement, 4)))
                }
                sqlite3_reset(statement)
            }
        }
    } check: {
        checksum($0) { result in
            let brackets = result.snippet.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
            return result.article.checksum(snippetLength: result.snippet.utf8.count - brackets, rank: result.rank)
        }
    }
}
