import Foundation
import Strata
import WriterScenario

// A process that commits transactions until it is killed. After each it prints its number.
//
//     writer-process PATH KIND SEED
//
// Or a process whose threads write rows that share commits: see SharedWrites.
//
//     writer-process PATH shared

let arguments = CommandLine.arguments
if arguments.count == 3, arguments[2] == "shared" { try SharedWrites(arguments[1]).writeForever() }
guard arguments.count == 4, let kind = WriterScenario.Kind(rawValue: arguments[2]), let seed = UInt64(arguments[3]) else { exit(2) }
let scenario = WriterScenario(seed: seed)
let writer = try WriterScenario.open(arguments[1], kind)
try scenario.prepare(writer)
var n = try writer.read { try WriterScenario.count($0) }
while true {
    FileHandle.standardOutput.write(Data("\(n)\n".utf8))
    n += 1
    try scenario.commit(n, writer)
}
