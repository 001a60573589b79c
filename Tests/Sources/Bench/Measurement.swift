/// The times of one workload.
struct Measurement {
    let workload: Workload

    /// Milliseconds of each round.
    private(set) var byHand: [Double] = []
    private(set) var throughStrata: [Double] = []

    /// Measures a workload: some rounds that do not count, then some that do. In each round both sides run, and they take
    /// turns at going first, so that a slow moment of the machine, or a warm cache, favours neither.
    ///
    /// - Parameters:
    ///   - rounds: how many rounds there are at least.
    ///   - milliseconds: how long they take at least. A machine that does other things as well is now fast, now slow, and many short
    ///     rounds say as much as few long ones.
    init(_ workload: Workload, rounds: Int, milliseconds: Double, warmUpRounds: Int = 2) throws {
        self.workload = workload
        let sides = try workload.prepare()
        let rounds = workload.rounds ?? rounds
        let milliseconds = workload.rounds == nil ? milliseconds : 0
        var round = 0
        var measured = 0.0
        while byHand.count < rounds || measured < milliseconds {
            defer { round += 1 }
            try sides.reset()
            var results: [Int] = []
            func run(_ side: () throws -> Int) throws -> Double {
                let clock = ContinuousClock()
                return try clock.measure { results.append(try side()) }.milliseconds
            }
            let hand: Double
            let strata: Double
            if round.isMultiple(of: 2) {
                hand = try run(sides.byHand)
                strata = try run(sides.throughStrata)
            } else {
                strata = try run(sides.throughStrata)
                hand = try run(sides.byHand)
            }
            guard results[0] == results[1] else { fail("the sides of \(workload.name) differ: \(results)") }
            let contents = try sides.contents()
            guard contents.byHand == contents.throughStrata else { fail("the sides of \(workload.name) left different rows: \(contents)") }
            if round >= warmUpRounds {
                byHand.append(hand)
                throughStrata.append(strata)
                measured += hand + strata
            }
        }
    }

    /// Strata's time over that of the C API, round by round.
    var ratios: [Double] { zip(throughStrata, byHand).map { $0 / $1 } }
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
