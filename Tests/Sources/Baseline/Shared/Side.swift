import BlackBox
import Foundation

/// One side of a workload: its work, done by hand on the C API or through Strata.
///
/// The two sides of a workload run in processes of their own. The process of a side does what a line of its standard input says, and
/// answers with a line:
///
/// | command | answer |
/// |---|---|
/// | `run` | the nanoseconds that the work took |
/// | `check` | a number that depends on all that the last run did, and that must be equal on both sides |
///
/// Files of this folder are compiled into the programs of both sides.
struct Side: Sendable {
    let name: String

    /// Makes what the rounds have in common, such as a database.
    let prepare: @Sendable () throws -> Rounds

    init(_ name: String, prepare: @escaping @Sendable () throws -> Rounds) {
        self.name = name
        self.prepare = prepare
    }

    /// Acts as one of the sides, as the arguments say, and returns whether they do.
    ///
    /// | arguments | |
    /// |---|---|
    /// | `--sides` | prints the names of the sides |
    /// | `--serve NAME` | runs the side as the standard input says |
    /// | `--count NAME` | runs the side twice, under Callgrind, which counts the instructions of the second run |
    static func act(_ sides: [Side], _ arguments: [String]) throws -> Bool {
        switch (arguments.first, arguments.count) {
        case ("--sides", 1):
            print(sides.map(\.name).joined(separator: "\n"))
        case ("--serve", 2):
            try named(arguments[1], sides).serve()
        case ("--count", 2):
            try named(arguments[1], sides).count()
        default:
            return false
        }
        return true
    }

    private static func named(_ name: String, _ sides: [Side]) -> Side {
        guard let side = sides.first(where: { $0.name == name }) else { fail("no side is named \(name)") }
        // The C library locks its memory only in processes with more than one thread, which most programs are.
        Thread.detachNewThread { while true { sleep(1_000) } }
        return side
    }

    private func serve() throws {
        // Processors of a shared machine differ in their speed.
        use_one_processor()
        let rounds = try prepare()
        let clock = ContinuousClock()
        while let command = readLine() {
            var answer = 0
            switch command {
            case "run":
                try rounds.run { work in
                    let time = try clock.measure(work)
                    answer = Int(time.components.seconds) * 1_000_000_000 + Int(time.components.attoseconds / 1_000_000_000)
                }
            case "check":
                answer = try rounds.check()
            default:
                fail("unknown command \(command)")
            }
            FileHandle.standardOutput.write(Data("\(answer)\n".utf8))
        }
    }

    private func count() throws {
        guard counter_exists() else { fail("can't count: not under Valgrind, or compiled before its headers were installed") }
        let rounds = try prepare()
        // As in a program that does this all the time: statements are prepared, and types are known to the runtime.
        try rounds.run { try $0() }
        try rounds.run { work in
            counter_start()
            defer { counter_stop() }
            try work()
        }
    }
}

/// The rounds of a side, in each of which the same work is done.
struct Rounds {
    /// Does the work once: the function that is passed calls the work, and measures it.
    let run: (_ measure: (_ work: () throws -> Void) throws -> Void) throws -> Void

    /// A number that depends on all that the last run did.
    let check: () throws -> Int

    /// - Parameters:
    ///   - start: Makes what the work begins with. Not measured.
    ///   - work: The measured work. The state that it leaves in its argument is freed before the next round, and not measured.
    ///   - check: A number that depends on the result and on the content of the database.
    init<State>(
        start: @escaping () throws -> State, work: @escaping (inout State) throws -> Void, check: @escaping (State) throws -> Int
    ) {
        var last: State?
        run = { measure in
            last = nil
            var state = try start()
            try measure { try work(&state) }
            keep(state)
            last = state
        }
        self.check = {
            guard let last else { fail("nothing has run") }
            return try check(last)
        }
    }
}

/// How many rows a workload has: a tenth in debug builds, whose times say nothing, and which only compare the sides.
func rowCount(_ count: Int) -> Int {
    #if DEBUG
        return count / 10
    #else
        return count
    #endif
}

/// Keeps a value that is not used otherwise: the compiler must make all of it.
@inline(__always)
func keep<Value>(_ value: borrowing Value) {
    withUnsafePointer(to: value) { black_box($0) }
}

/// Elements whose memory is not shared: changing one copies nothing.
func unshared<Element>(_ elements: [Element]) -> [Element] {
    elements.map { $0 }
}

/// A number that depends on all elements.
func checksum<Element>(_ elements: [Element], _ number: (Element) throws -> Int) rethrows -> Int {
    try elements.reduce(0) { $0 &+ (try number($1)) }
}

/// Stops the benchmark, as it would measure something else than it says.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("benchmark: \(message)\n".utf8))
    exit(1)
}
