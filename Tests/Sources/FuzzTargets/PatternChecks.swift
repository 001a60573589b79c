import Foundation
import Strata

private let patternQueue = openFuzzDatabase(
    """
    CREATE VIRTUAL TABLE five USING fts5(title, body);
    CREATE VIRTUAL TABLE three USING fts3(title, body);
    INSERT INTO five VALUES ('one two', 'three AND four'), ('été', 'NEAR 5');
    INSERT INTO three SELECT * FROM five;
    """)

/// Makes patterns of a string: each one is valid, because invalid patterns are refused when they are made.
func checkPatterns(_ input: inout FuzzInput) throws {
    let text = input.remainingText()
    try patternQueue.get().read { db in
        let five = [
            FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text), FTS5Pattern(matchingAllPrefixesIn: text),
            FTS5Pattern(matchingPhrase: text), FTS5Pattern(matchingPrefixPhrase: text), FTS5Pattern(matchingTypedText: text),
            try? FTS5Pattern(rawPattern: text, allowedColumns: ["title", "body"]),
        ]
        for pattern in five.compactMap(\.self) {
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM five WHERE five MATCH ?", arguments: [pattern])
        }
        let three = [
            FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text), FTS3Pattern(matchingAllPrefixesIn: text),
            FTS3Pattern(matchingPhrase: text), try? FTS3Pattern(rawPattern: text),
        ]
        for pattern in three.compactMap(\.self) {
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM three WHERE three MATCH ?", arguments: [pattern])
        }
    }
}
