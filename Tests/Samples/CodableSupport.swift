// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

struct Book: Codable, FetchableRecord, PersistableRecord {
    static let author = belongsTo(Author.self)
    static let printings = hasMany(Printing.self)

    var title: String
}

struct Author: Codable, FetchableRecord, PersistableRecord {
    var name: String
}

struct Printing: TableRecord {}

struct Settings: Codable, DatabaseValueConvertible {
    var theme: String
}
