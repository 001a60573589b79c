// Runs a dqlite node until standard input ends, or until the process is killed:
//
//     dqlite-node-process ID ADDRESS FOLDER MILLISECONDS [statement=MILLISECONDS] [idle=MILLISECONDS] [reserve=BYTES]
//
// It answers each line with whether the node leads, and its last problem. Or runs each line as SQL, on one connection to a cluster, and answers with "ok" or the
// error:
//
//     dqlite-node-process client ADDRESSES

import DqliteCluster
import Foundation

func answer(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func runNode(_ id: UInt64, _ arguments: [String]) throws {
    var limits = DqliteNode.Limits()
    // On a busy machine, the statements of tests may take long.
    limits.statementTime = .seconds(60)
    // The disk of a test is a small one.
    limits.diskReserve = 1_000_000
    for argument in arguments.dropFirst(3) {
        let parts = argument.split(separator: "=")
        guard parts.count == 2, let number = Int(parts[1]) else { throw ClusterError.node("unknown option \(argument)") }
        switch parts[0] {
        case "statement": limits.statementTime = .milliseconds(number)
        case "idle": limits.idleTransaction = .milliseconds(number)
        case "reserve": limits.diskReserve = number
        default: throw ClusterError.node("unknown option \(argument)")
        }
    }
    let latency = Duration.milliseconds(Int(arguments[2]) ?? 50)
    let node: DqliteNode
    if id == 1, (try? FileManager.default.contentsOfDirectory(atPath: arguments[1])) == [] {
        node = try DqliteNode.beginCluster(address: arguments[0], directory: arguments[1], networkLatency: latency, limits: limits)
    } else {
        node = try DqliteNode(id: id, address: arguments[0], directory: arguments[1], networkLatency: latency, limits: limits)
        try node.start()
    }
    answer("ready")
    while readLine() != nil {
        let status = node.status()
        answer("\(status.isLeader) \(status.lastProblem?.description ?? "")")
    }
    node.stop()
}

func runClient(_ addresses: [String]) throws {
    let cluster = try DqliteCluster(addresses: addresses, database: "app")
    try cluster.writeWithoutTransaction { db in
        answer("ready")
        while let sql = readLine() {
            do {
                try db.execute(sql: sql)
                answer("ok")
            } catch {
                answer("\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))
            }
        }
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    if arguments.count == 2, arguments[0] == "client" {
        try runClient(arguments[1].split(separator: ",").map(String.init))
    } else if arguments.count >= 4, let id = UInt64(arguments[0]) {
        try runNode(id, Array(arguments.dropFirst()))
    } else {
        throw ClusterError.node("usage: dqlite-node-process ID ADDRESS FOLDER MILLISECONDS [OPTION=NUMBER …], or client ADDRESSES")
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
