// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

var observation: ValueObservation<ValueReducers.Fetch<Int>> { fatalError() }
func countPlayers(_ db: Database) throws -> Int { fatalError() }
func playerNames(_ db: Database) throws -> [String] { fatalError() }
func sqlOfPlayerNames(_ db: Database) throws -> String { fatalError() }
func favouritePlayers(_ db: Database) throws -> [Player] { fatalError() }

// The user interface

struct Label {
    var text: String
}

var label: Label {
    get { fatalError() }
    set {}
}
var list: [String] {
    get { fatalError() }
    set {}
}
var changes: ListChanges<String> { fatalError() }
func show(_ count: Int) {}
func save(_ count: Int) {}
