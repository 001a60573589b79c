// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

var files: DatabaseFolder { fatalError() }
var options: DatabaseFolder.Options {
    get { fatalError() }
    set {}
}
var migrator: DatabaseMigrator { fatalError() }
var observation: ValueObservation<ValueReducers.Fetch<Int>> { fatalError() }
