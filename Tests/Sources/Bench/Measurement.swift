import Foundation

/// The programs whose sides are measured.
struct Programs {
    /// This program.
    let strata: String

    /// The one with the sides by hand.
    let baseline: String

    /// This program of another commit, if two are compared, and the names of its sides.
    var other: (path: String, sides: [String])?

    /// Whether instructions are counted.
    var countsInstructions = false
}

/// The measured figures of one workload.
struct Measurement {
    struct Figures: Encodable {
        /// Of each round.
        var milliseconds: [Double] = []

        /// Of one run; nil if they were not counted.
        var instructions: Int?
    }

    let workload: Workload
    private(set) var yardstick = Figures()
    private(set) var strata = Figures()

    /// Strata of another commit, which is nil if there is none or has no such workload.
    private(set) var other: Figures?

    /// The ratio of Strata to the yardstick with ``MemorySettings/returned``; nil if two commits are compared.
    private(set) var ratioWithReturnedMemory: Double?

    /// Measures a workload: some rounds that do not count, then some that do. In each round all sides run, and they take
    /// turns at going first, so that a slow moment of the machine, or a warm cache, favours neither.
    ///
    /// - Parameters:
    ///   - rounds: how many rounds there are at least.
    ///   - milliseconds: how long they take at least. A machine that does other things as well is now fast, now slow, and many short
    ///     rounds say as much as few long ones.
    init(_ workload: Workload, _ programs: Programs, rounds: Int, milliseconds: Double, warmUpRounds: Int = 2) throws {
        self.workload = workload
        var sides = [
            workload.yardstick.map { ProgramSide(program: programs.strata, name: $0.name) }
                ?? ProgramSide(program: programs.baseline, name: workload.name),
            ProgramSide(program: programs.strata, name: workload.name),
        ]
        if let other = programs.other, other.sides.contains(workload.name) {
            sides.append(ProgramSide(program: other.path, name: workload.name))
        }
        let rounds = workload.rounds ?? rounds
        let milliseconds = workload.rounds == nil ? milliseconds : 0
        var figures = try Self.time(workload, sides, .kept, rounds, milliseconds, warmUpRounds)
        if programs.countsInstructions {
            let folder = try TemporaryFolder()
            let counts = try sides.map { try $0.startCounting(in: folder) }
            for index in figures.indices { figures[index].instructions = try counts[index]() }
        }
        (yardstick, strata) = (figures[0], figures[1])
        other = figures.count > 2 ? figures[2] : nil
        if programs.other == nil {
            // A quarter of the rounds: the ratio is for comparison, and promises nothing.
            let returned = try Self.time(workload, sides, .returned, (rounds + 3) / 4, milliseconds / 4, warmUpRounds)
            ratioWithReturnedMemory = zip(returned[1].milliseconds, returned[0].milliseconds).map { $0 / $1 }.median
        }
    }

    /// The times of the sides, in the same order.
    private static func time(
        _ workload: Workload, _ sides: [ProgramSide], _ memory: MemorySettings, _ rounds: Int, _ milliseconds: Double,
        _ warmUpRounds: Int
    ) throws -> [Figures] {
        var figures = sides.map { _ in Figures() }
        let processes = try sides.map { try SideProcess($0, memory: memory) }
        var round = 0
        var measured = 0.0
        while figures[0].milliseconds.count < rounds || measured < milliseconds {
            for index in sides.indices {
                let turn = (index + round) % sides.count
                let time = try processes[turn].run()
                if round >= warmUpRounds {
                    figures[turn].milliseconds.append(time)
                    measured += time
                }
            }
            if round < warmUpRounds {
                let checks = try processes.map { try $0.check() }
                guard checks.allSatisfy({ $0 == checks[0] }) else { fail("the sides of \(workload.name) differ: \(checks)") }
            }
            round += 1
        }
        return figures
    }

    /// The times of a side divided by the times of the yardstick, round by round.
    func ratios(_ side: Figures) -> [Double] { zip(side.milliseconds, yardstick.milliseconds).map { $0 / $1 } }

    /// The instructions of a side divided by the instructions of the yardstick.
    func instructionRatio(_ side: Figures) -> Double? {
        guard let instructions = side.instructions, let all = yardstick.instructions else { return nil }
        return Double(instructions) / Double(all)
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) * 1e-15 }
}

extension [Double] {
    /// The value in the middle.
    var median: Double {
        let sorted = sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
