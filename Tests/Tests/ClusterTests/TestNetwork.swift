import Foundation

/// Hosts with addresses of their own: network namespaces of Linux, which a bridge joins. The process of the tests is another host.
///
/// Packets of a host that is unplugged, or cut off, vanish: no connection is closed.
final class TestNetwork: Sendable {
    /// Whether this process may make networks: as root, where a container does not forbid it.
    static let isAvailable: Bool = {
        guard geteuid() == 0 else { return false }
        let name = "strata-\(getpid())-probe"
        defer { _ = try? TestNetwork.run("ip link del st\(getpid())p; ip netns del \(name)") }
        return (try? TestNetwork.run("set -e; ip netns add \(name); ip link add st\(getpid())p type veth peer name eth0 netns \(name)"))
            == 0
    }()

    /// Whether this process may mount file systems.
    static let canMount: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        return (try? TestNetwork.run("set -e; mount -t tmpfs -o size=1m tmpfs '\(folder.path)'; umount '\(folder.path)'")) == 0
    }()

    private static let count = Locked(0)
    private let hostCount: Int
    private let name: String
    /// The first three numbers of the addresses.
    private let prefix: String

    /// Makes a network of hosts with the numbers 1 to `hostCount`.
    init(hostCount: Int) throws {
        let number = Self.count.withLock {
            $0 += 1
            return $0
        }
        self.hostCount = hostCount
        name = "st\(getpid())\(Character(UnicodeScalar(UInt8(97 + number % 26))))"
        prefix = "10.\(200 + Int(getpid()) / 200 % 50).\(Int(getpid()) % 200 + number % 50)"
        var script = "set -e\nip link add \(name) type bridge\nip link set \(name) up\nip addr add \(prefix).254/24 dev \(name)\n"
        for host in 1...hostCount {
            let (space, link) = (namespace(host), link(host))
            script += """
                ip netns add \(space)
                ip -n \(space) link set lo up
                ip link add \(link) type veth peer name eth0 netns \(space)
                ip link set \(link) master \(name) up
                ip -n \(space) addr add \(address(host))/24 dev eth0
                ip -n \(space) link set eth0 up

                """
        }
        guard try Self.run(script) == 0 else { throw ProcessFailure(description: "there is no network: \(script)") }
    }

    deinit {
        // A namespace lives on while another mount namespace has a copy of its name.
        let spaces = (1...hostCount).map { "ip link del \(link($0))\nip netns del \(namespace($0))" }.joined(separator: "\n")
        _ = try? Self.run("\(spaces)\nip link del \(name)")
    }

    func address(_ host: Int) -> String { "\(prefix).\(host)" }
    private func namespace(_ host: Int) -> String { "strata-\(name)-\(host)" }
    private func link(_ host: Int) -> String { "\(name)-\(host)" }

    /// A process that runs a program of the package on a host. The command `ip` becomes the program.
    func process(_ program: String, _ arguments: [String], on host: Int) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ip", "netns", "exec", namespace(host), builtProgram(program).path] + arguments
        return process
    }

    func unplug(_ host: Int) throws { try change("ip link set \(link(host)) down") }
    func plug(_ host: Int) throws { try change("ip link set \(link(host)) up") }

    /// Cuts a host off from others, in both directions. The process of the tests still reaches all of them.
    func cut(_ host: Int, from others: [Int]) throws { try change(routes("add", host, others)) }
    func heal(_ host: Int, with others: [Int]) throws { try change(routes("del", host, others)) }

    private func routes(_ action: String, _ host: Int, _ others: [Int]) -> String {
        others.flatMap { [(host, $0), ($0, host)] }.map { from, to in
            "ip -n \(namespace(from)) route \(action) blackhole \(address(to))/32"
        }.joined(separator: "\n")
    }

    private func change(_ script: String) throws {
        guard try Self.run("set -e\n" + script) == 0 else { throw ProcessFailure(description: "the network did not change: \(script)") }
    }

    /// Runs commands of a shell, and returns the exit status.
    static func run(_ script: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// A file system of its own, in memory, so that a disk can be full.
final class SmallDisk {
    let path: String
    private let folder: TemporaryFolder

    init(megabytes: Int) throws {
        folder = try TemporaryFolder()
        path = folder.path("disk")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard try TestNetwork.run("mount -t tmpfs -o size=\(megabytes)m tmpfs '\(path)'") == 0 else {
            throw ProcessFailure(description: "there is no disk")
        }
    }

    deinit { _ = try? TestNetwork.run("umount -l '\(path)'") }

    /// Fills the disk up to a number of free bytes.
    func fill(leaving count: Int) throws {
        let free = try FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        // A node may write at the same time.
        try? Data(count: max((free?.intValue ?? 0) - count, 0)).write(to: URL(fileURLWithPath: path + "/ballast"))
    }

    func empty() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }
}
