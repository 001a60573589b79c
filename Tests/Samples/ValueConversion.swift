// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import CSQLite
import Foundation
import Strata

struct Track: Codable, FetchableRecord, PersistableRecord {
    enum Columns {
        static let length = Column("length")
    }

    var title: String
    var length: Duration
}

struct Color {
    var rgba: UInt32
}

var expression: SQLExpression { fatalError() }
