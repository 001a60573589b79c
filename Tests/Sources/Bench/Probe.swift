/// Something to measure that is not a ratio of two sides.
struct Probe: Sendable {
    /// A short name for `--only`.
    let name: String

    /// A summary of the probe's work.
    let summary: String

    /// Measures, in a number of rounds.
    let measure: @Sendable (_ rounds: Int) throws -> [Figure]
}

/// A number that a probe has found.
struct Figure: Codable {
    var name: String
    let value: Double
    let unit: String
    /// What Strata promises, if it promises anything.
    var atMost: Double?
    var atLeast: Double?

    var isKept: Bool {
        value <= atMost ?? .infinity && value >= atLeast ?? -.infinity
    }
}
