// Runs a dqlite node until standard input ends, or until the process is killed: id, address, folder, milliseconds of latency.

import DqliteCluster
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 5, let id = UInt64(arguments[1]), let latency = Int(arguments[4]) else {
    FileHandle.standardError.write(Data("usage: dqlite-node-process ID ADDRESS FOLDER MILLISECONDS\n".utf8))
    exit(2)
}
do {
    // On a busy machine, the statements of tests may take long.
    var limits = DqliteNode.Limits()
    limits.statementTime = .seconds(60)
    let node: DqliteNode
    if id == 1, (try? FileManager.default.contentsOfDirectory(atPath: arguments[3])) == [] {
        node = try DqliteNode.beginCluster(
            address: arguments[2], directory: arguments[3], networkLatency: .milliseconds(latency), limits: limits)
    } else {
        node = try DqliteNode(
            id: id, address: arguments[2], directory: arguments[3], networkLatency: .milliseconds(latency), limits: limits)
        try node.start()
    }
    FileHandle.standardOutput.write(Data("ready\n".utf8))
    while readLine() != nil {}
    node.stop()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
