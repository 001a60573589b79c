// What the samples of the package's documentation comments use, and don't declare: see Scripts/check-samples.sh.

var path: String { fatalError() }
