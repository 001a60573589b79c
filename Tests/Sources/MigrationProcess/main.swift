import Foundation
import MigrationScenario
import Strata

// A process that migrates a database file, and is killed at some moment.
//
//     migration-process PATH KIND [MICROSECONDS]
//
// KIND is "queue", "wal" or "pool". After a number of microseconds it kills itself, wherever it is; that a process ends in the midst of its
// effects look the same whatever killed it. Without one it runs to its end, and prints how many microseconds that took.

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(2) }
let clock = ContinuousClock()
let start = clock.now
if arguments.count > 3, let microseconds = Int(arguments[3]) { killThisProcess(afterMicroseconds: microseconds) }
try MigrationScenario.migrator.migrate(MigrationScenario.open(arguments[1], arguments[2]))
let elapsed = (clock.now - start).components
print(elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000)
