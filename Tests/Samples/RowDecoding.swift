// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata
import Testing

struct Book: Codable, FetchableRecord, PersistableRecord {
    var title: String
}

var row: Row { fatalError() }
var request: SQLRequest<Player> { fatalError() }
var query: SQL {
    get { fatalError() }
    set {}
}
var plan: QueryPlan { fatalError() }
var team: String { fatalError() }
var teamIDs: [Int64] { fatalError() }
var minimum: Int? { fatalError() }
var total: Int {
    get { fatalError() }
    set {}
}
func send(_ player: Player) async throws {}
func send(_ name: String, _ score: Int) async throws {}
func send(_ names: [String], _ scores: [Int]) async throws {}
