// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import CSQLite
import Dispatch
import Foundation
import Strata
import Testing

// Connections

var reader: any DatabaseReader { fatalError() }
var writer: any DatabaseWriter { fatalError() }
var source: DatabaseQueue { fatalError() }
var destination: DatabaseQueue { fatalError() }
var copy: DatabaseQueue { fatalError() }
var statement: Statement { fatalError() }

// Functions, collations, schemas

let byLength = DatabaseCollation("by_length") { lhs, rhs in lhs.count < rhs.count ? .ascending : .descending }
let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in values[0] }

struct Longest: DatabaseAggregate {
    mutating func step(_ values: [DatabaseValue]) {}
    func finalize() -> String? { nil }
}

struct MySchema: DatabaseSchemaSource {}
struct TheirSchema: DatabaseSchemaSource {}

// Observation

var region: DatabaseRegion { fatalError() }
var isChanged: Bool {
    get { fatalError() }
    set {}
}

// Errors and values

var error: DatabaseError { fatalError() }
var data: Data { fatalError() }

// The application

struct Library {
    var database: DatabaseQueue
    func removeOldBooks() throws {}
}

struct Script {
    func run(_ db: Database) throws {}
}

struct InvalidEmail: Error {}
final class PlanTable {}
final class UIApplication {}
var library: Library { fatalError() }
var script: Script { fatalError() }
func importEverything(_ db: Database) throws {}
func findWords() throws {}
var knownCount: Int {
    get { fatalError() }
    set {}
}
var indexOfName: Int? {
    get { fatalError() }
    set {}
}
