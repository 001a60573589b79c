// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

import DqliteCluster

var cluster: DqliteCluster { fatalError() }
var node: DqliteNode { fatalError() }
