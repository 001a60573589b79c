import DqliteCluster
import Foundation
import Strata
import StrataCommandSupport

extension Subcommand {
    static let cluster = Subcommand(
        name: "cluster",
        summary: "Begins, changes and watches a cluster of dqlite, and copies its databases.",
        operands: "ACTION [ARGUMENT…]",
        options: [
            Option(
                "--nodes", value: "ADDRESSES",
                "The addresses of some nodes: 10.0.0.1:9001,10.0.0.2:9001. Begin, run, compare and recover work without."),
            Option("--id", value: "ID", "For begin: the ID of the node. 1 by default."),
            Option(
                "--latency", value: "MS",
                "For run: the network latency between nodes. An election takes 15 times as long, or 3 s by default."),
            Option("--database", value: "NAME", "The database, for dump, restore and sql."),
            Option("--keep", value: "N", "For dump: COPY is a folder, which keeps the latest N copies."),
            Option("--format", value: "FORMAT", values: FormatName.names, "The format of rows: \(FormatName.all). A box by default."),
            Option("--write", "Lets the SQL change the database, in one transaction."),
        ],
        discussion: ClusterAction.all.map { action in
            "strata cluster \(action.name)\(action.operands.isEmpty ? "" : " " + action.operands)\n    \(action.help)"
        }.joined(separator: "\n")
    ) { arguments, console in
        let name = arguments.operands[0]
        guard let action = ClusterAction.all.first(where: { $0.name == name }) else {
            throw UsageError("unknown action \(name): one of \(ClusterAction.all.map(\.name).joined(separator: ", ")) is needed")
        }
        let operands = Array(arguments.operands.dropFirst())
        let count = action.operands.split(separator: " ").count
        guard action.operands.hasSuffix("…") ? operands.count >= count : operands.count == count else {
            throw UsageError("\(name) needs \(action.operands.isEmpty ? "no arguments" : action.operands)")
        }
        return try action.run(operands, ClusterArguments(parsed: arguments), console)
    }
}

/// The options of `strata cluster`.
private struct ClusterArguments {
    let parsed: ParsedArguments

    func addresses() throws -> [String] {
        guard let nodes = parsed["--nodes"] else { throw UsageError("--nodes is missing") }
        return nodes.split(separator: ",").map(String.init)
    }

    /// The addresses, if they are given.
    func knownAddresses() throws -> [String] { parsed["--nodes"] == nil ? [] : try addresses() }

    func database() throws -> String {
        guard let name = parsed["--database"] else { throw UsageError("--database is missing") }
        return name
    }

    /// Calls a closure with a database, or with the one that each cluster has.
    func withCluster<T>(_ database: String = "strata", _ body: (DqliteCluster) throws -> T) throws -> T {
        let cluster = try DqliteCluster(addresses: addresses(), database: database)
        defer { try? cluster.close() }
        return try body(cluster)
    }
}

/// What `strata cluster` can do.
private struct ClusterAction: Sendable {
    let name: String
    var operands = ""
    let help: String
    let run: @Sendable ([String], ClusterArguments, Console) throws -> Bool

    static let all = [
        ClusterAction(
            name: "begin", operands: "ADDRESS FOLDER",
            help: "Makes an empty folder that of the first node of a cluster, unless one of the nodes belongs to one. Then run the node."
        ) { operands, arguments, console in
            let id = try number(arguments.parsed["--id"] ?? "1")
            let node = try DqliteNode.beginCluster(
                id: id, address: operands[0], directory: operands[1], otherAddresses: arguments.knownAddresses())
            node.stop()
            console.print("\(operands[1]) is the folder of node \(id) at \(operands[0]): run it there")
            return true
        },
        ClusterAction(
            name: "run", operands: "ID ADDRESS FOLDER",
            help: """
                Runs a node until a signal ends it. Then it hands its leadership over, and stops. With --nodes, it refuses an empty folder if
                    one of these nodes knows it as a member.
                """
        ) { operands, arguments, console in
            var latency: Duration?
            if let text = arguments.parsed["--latency"] {
                guard let number = Int(text), number > 0 else { throw UsageError("--latency needs a number of milliseconds") }
                latency = .milliseconds(number)
            }
            let node = try DqliteNode(id: number(operands[0]), address: operands[1], directory: operands[2], networkLatency: latency)
            try node.start(otherAddresses: arguments.knownAddresses())
            console.print("node \(node.id) runs at \(node.address)")
            console.flush()
            while Interruption.endingSignal == nil { usleep(20_000) }
            do {
                // Five seconds after a signal, the process ends.
                try node.stop(gracePeriod: .seconds(4))
            } catch {
                console.report("node \(node.id) could not hand its leadership over: \(error)")
            }
            return true
        },
        ClusterAction(name: "members", help: "Prints the members of the cluster, and which of them answer.") { _, arguments, console in
            try arguments.withCluster { cluster in
                for member in try cluster.members() { console.print(line(member)) }
                return true
            }
        },
        ClusterAction(
            name: "status", help: "Prints the members, and what needs attention, for which the exit status is 1."
        ) { _, arguments, console in
            try arguments.withCluster(arguments.parsed["--database"] ?? "strata") { cluster in
                let status = try cluster.status()
                for member in status.members { console.print(line(member)) }
                if let name = arguments.parsed["--database"] {
                    console.print("database \(name): \(byteCount(Int(status.pageCount * status.pageSize)))")
                }
                for warning in status.warnings { console.print("warning: \(warning)") }
                return status.warnings.isEmpty
            }
        },
        ClusterAction(name: "add", operands: "ID ADDRESS", help: "Adds a running node as a spare. Then promote it.") {
            operands, arguments, _ in
            let id = try number(operands[0])
            try arguments.withCluster { try $0.add(id: id, address: operands[1]) }
            return true
        },
        ClusterAction(name: "promote", operands: "ID", help: "Makes a node a voter, and prints what needs attention.") {
            operands, arguments, console in
            let id = try number(operands[0])
            return try arguments.withCluster { cluster in
                try cluster.promote(id: id)
                for warning in try cluster.status().warnings { console.print("warning: \(warning)") }
                return true
            }
        },
        ClusterAction(name: "remove", operands: "ID", help: "Removes a node. Then stop it, and never start it with this folder again.") {
            operands, arguments, _ in
            let id = try number(operands[0])
            try arguments.withCluster { try $0.remove(id: id) }
            return true
        },
        ClusterAction(name: "transfer", operands: "ID", help: "Makes a voter the leader.") { operands, arguments, _ in
            let id = try number(operands[0])
            try arguments.withCluster { try $0.transferLeadership(to: id) }
            return true
        },
        ClusterAction(name: "dump", operands: "COPY", help: "Copies a database into a file, from a node that does not lead.") {
            operands, arguments, console in
            try arguments.withCluster(arguments.database()) { cluster in
                var path = operands[0]
                if let keep = arguments.parsed["--keep"] {
                    guard let count = Int(keep), count > 0 else { throw UsageError("--keep needs a number greater than 0") }
                    path = try cluster.backup(toFolder: path, keeping: count)
                } else {
                    try cluster.backup(toFile: path)
                }
                console.print("copied to \(path)")
                return true
            }
        },
        ClusterAction(name: "restore", operands: "COPY", help: "Fills a new database of the cluster with the content of a file.") {
            operands, arguments, _ in
            try withReadOnlyDatabase(operands[0], isImmutable: false) { source in
                try DqliteCluster.restore(addresses: arguments.addresses(), database: arguments.database(), from: source)
            }
            return true
        },
        ClusterAction(
            name: "compare", operands: "FOLDER…",
            help: "Prints the last entry of each folder of a stopped node, and which folder has all acknowledged writes of the others."
        ) { operands, _, console in
            let folders = try operands.map { try NodeFolder(directory: $0) }
            for folder in folders {
                let node = folder.id.map { "node \($0)" } ?? "unknown node"
                console.print("\(folder.directory): \(node), term \(folder.lastTerm), entry \(folder.lastIndex)")
            }
            if folders.count > 1 { console.print("recover \(try NodeFolder.newest(of: folders).directory)") }
            return true
        },
        ClusterAction(
            name: "recover", operands: "ID ADDRESS FOLDER",
            help: """
                Makes the folder of a stopped node the only member of a new cluster, after the majority was lost. Writes that had not reached
                    this node are lost: compare the folders. Copy the folder first, and never start the other former nodes again.
                """
        ) { operands, _, console in
            try DqliteNode.recover(id: number(operands[0]), address: operands[1], directory: operands[2])
            console.print(
                "\(operands[2]) is the folder of node \(operands[0]) at \(operands[1]), the only member of a new cluster: start it there")
            return true
        },
        ClusterAction(name: "sql", operands: "SQL", help: "Runs SQL on the leader, and prints the rows.") { operands, arguments, console in
            let format = try FormatName(arguments.parsed["--format"], default: .box).makeFormat()
            try arguments.withCluster(arguments.database()) { cluster in
                let script = SQL(sql: operands[0])
                if arguments.parsed.has("--write") {
                    try cluster.writeWithoutTransaction { try runScript(script, $0, format: format, to: console) }
                } else {
                    try cluster.read { try $0.dumpSQL(script, format: format, to: console) }
                }
            }
            return true
        },
    ]

    private static func number(_ text: String) throws -> UInt64 {
        guard let number = UInt64(text), number > 0 else { throw UsageError("\(text) is not the ID of a node") }
        return number
    }

    private static func line(_ member: ClusterMember) -> String {
        "\(member.node.id) \(member.node.address) \(member.node.role)" + (member.isLeader ? " leader" : "")
            + (member.isReachable ? "" : " does not answer")
    }
}
