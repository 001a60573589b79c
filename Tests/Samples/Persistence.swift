// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

struct FullPlayer: Codable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var score: Int
}

struct Word: Codable, FetchableRecord, PersistableRecord {
    var text: String
}

struct Event: Codable, FetchableRecord, PersistableRecord {
    var startsAt: Date
}

struct Author: Codable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)

    var id: Int64
}

struct Book: Codable, FetchableRecord, PersistableRecord {
    var title: String
}

enum Columns {
    static let score = Column("score")
}

var partial: Player { fatalError() }
var oldPlayer: Player { fatalError() }
var previousPage: [Player] { fatalError() }
var names: [String] { fatalError() }
var score: Int { fatalError() }
var word: Word { fatalError() }
var words: [Word] { fatalError() }
var lines: [String] { fatalError() }
var author: Author { fatalError() }
var date: Date { fatalError() }
var inserted: InsertionSuccess { fatalError() }
