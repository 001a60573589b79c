// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import Foundation
import Strata

var migrator: DatabaseMigrator {
    get { fatalError() }
    set {}
}

struct Button {
    func onClick(_ action: () -> Void) {}
}

var cancelButton: Button { fatalError() }
