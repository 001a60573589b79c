import Foundation

/// Something to measure: the same work done by hand on SQLite's C API and through Strata.
///
/// Both sides return a number that depends on all of the work. They must be equal: it proves that both did the same, and
/// keeps the compiler from leaving anything out.
struct Workload: Sendable {
    /// A short name for `--only`.
    let name: String

    /// What one run does.
    let summary: String

    /// The ratio to the C API that Strata promises not to exceed.
    let limit: Double

    /// How many rounds there are, whatever time they take; nil for as many as others have.
    let rounds: Int?

    /// Makes what both sides need, and gives the sides.
    let prepare: @Sendable () throws -> Sides

    struct Sides {
        /// Done before each round, without being measured.
        var reset: () throws -> Void = {}
        let byHand: () throws -> Int
        let throughStrata: () throws -> Int
        /// What both sides have left in their databases, as numbers that must be equal; asked after each round.
        var contents: () throws -> (byHand: Int, throughStrata: Int) = { (0, 0) }
    }

    init(
        _ name: String, _ summary: String, atMost limit: Double, rounds: Int? = nil, prepare: @escaping @Sendable () throws -> Sides
    ) {
        self.name = name
        self.summary = summary
        self.limit = limit
        self.rounds = rounds
        self.prepare = prepare
    }
}

/// Stops the benchmark, as it would measure something else than it says.
func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("benchmark: \(message)\n".utf8))
    exit(1)
}
