// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

struct Document: Codable, FetchableRecord, PersistableRecord {
    var title: String
    var body: String
}

struct TextField {
    var text: String
}

var searchField: TextField { fatalError() }
var pattern: FTS5Pattern { fatalError() }
var index: FTS5Index { fatalError() }

// Tokenizers

final class CommaTokenizer: FTS5CustomTokenizer {
    static let name = "comma"
    init(db: Database, arguments: [String]) throws {}
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization, pText: UnsafePointer<CChar>?, nText: CInt,
        tokenCallback: @escaping FTS5TokenCallback
    ) -> CInt { fatalError() }
}

struct Dictionary {
    func next() -> String? { fatalError() }
}

enum DictionaryError: Error {
    case unreadable
}

var dictionary: Dictionary { fatalError() }
func failure(_ error: any Error) -> CInt { fatalError() }
