import Foundation

/// What the C library does with memory that a side frees.
enum MemorySettings {
    /// It keeps the memory, as in a process that has been busy for long.
    case kept

    /// Its own settings: glibc gives the end of the heap back to the system. Whether a round begins without memory then depends on what
    /// happens to lie behind the freed blocks.
    case returned

    /// What ``kept`` adds to the environment.
    static let variables = ["MALLOC_TRIM_THRESHOLD_": "1073741824", "MALLOC_MMAP_THRESHOLD_": "33554432"]

    /// The environment of a side, in which nothing is random.
    fileprivate var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
        for (name, value) in Self.variables { environment[name] = self == .kept ? value : nil }
        return environment
    }
}

/// A side in a program that has it.
struct ProgramSide {
    /// The path of the program.
    let program: String

    let name: String

    /// The names of all sides of a program.
    static func names(of program: String) throws -> [String] {
        let output = Pipe()
        let process = try start(program, ["--sides"], output: output)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { fail("\(program) doesn't print its sides") }
        return text.split(separator: "\n").map(String.init)
    }

    /// Begins to count the instructions of one run, in user space. Returns a function that waits for the number.
    ///
    /// Callgrind counts what the processor executes for all threads of the process, also in libraries. A side has a process of its own, and
    /// nothing is random in it: two counts differ by less than a thousandth.
    func startCounting(in folder: TemporaryFolder) throws -> () throws -> Int {
        let file = folder.path(UUID().uuidString)
        let options = ["--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=\(file)", "--log-file=\(file).log"]
        let process = try Self.start(
            "/usr/bin/env", ["valgrind"] + options + [program, "--count", name])
        return {
            process.waitUntilExit()
            let lines = (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n") ?? []
            guard process.terminationStatus == 0, let total = lines.last(where: { $0.hasPrefix("totals: ") }),
                let count = Int(total.dropFirst(8)), count > 0
            else { fail("the instructions of \(name) could not be counted: \(program) under Valgrind") }
            return count
        }
    }

    fileprivate static func start(
        _ program: String, _ arguments: [String], memory: MemorySettings = .kept, input: Pipe? = nil, output: Pipe? = nil
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = memory.environment
        if let input { process.standardInput = input }
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }
}

/// A process that is a side, and runs its work on command: see ``Side``.
final class SideProcess {
    private let side: ProgramSide
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()

    init(_ side: ProgramSide, memory: MemorySettings) throws {
        self.side = side
        process = try ProgramSide.start(side.program, ["--serve", side.name], memory: memory, input: input, output: output)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Does the work once, and returns the milliseconds that it took.
    func run() throws -> Double { Double(try answer("run")) / 1e6 }

    /// A number that depends on all that the last run did.
    func check() throws -> Int { try answer("check") }

    private func answer(_ command: String) throws -> Int {
        try input.fileHandleForWriting.write(contentsOf: Data("\(command)\n".utf8))
        var line = Data()
        while line.last != UInt8(ascii: "\n") {
            guard let bytes = try output.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty else {
                fail("the process of \(side.name) has ended: \(side.program)")
            }
            line += bytes
        }
        guard let number = Int(String(decoding: line.dropLast(), as: UTF8.self)) else { fail("\(side.name) has answered \(line)") }
        return number
    }
}
