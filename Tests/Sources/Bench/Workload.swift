/// Something to measure: the same work done by hand on SQLite's C API and through Strata.
///
/// Both sides return a number that depends on all of the work. They must be equal: it proves that both did the same, and
/// keeps the compiler from leaving anything out.
struct Workload: Sendable {
    /// A short name for `--only`.
    let name: String

    /// What one run does.
    let summary: String

    /// Makes what both sides need, and gives the sides.
    let prepare: @Sendable () throws -> Sides

    struct Sides {
        /// Done before each run, without being measured.
        var reset: () throws -> Void = {}
        let byHand: () throws -> Int
        let throughStrata: () throws -> Int
    }
}

/// Stops the benchmark, as it would measure something else than it says.
func fail(_ message: String) -> Never {
    fatalError("benchmark: \(message)")
}
