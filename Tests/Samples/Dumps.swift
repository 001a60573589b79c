// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

var source: DatabaseQueue { fatalError() }
var copy: DatabaseQueue { fatalError() }
var rejectsURL: URL { fatalError() }
var path: String { fatalError() }
