/// Something to measure: the same work done by a yardstick and through Strata.
struct Workload: Sendable {
    /// A short name for `--only`.
    var name: String { strata.name }

    /// What one run does.
    let summary: String

    /// The ratio to the yardstick that Strata promises not to exceed.
    let limit: Double

    /// How many rounds there are, whatever time they take; nil for as many as others have.
    let rounds: Int?

    /// The side of Strata.
    let strata: Side

    /// The other side, if it uses Strata too; nil if it is the side of the same name in the program `baseline`.
    let yardstick: Side?

    /// - Parameters:
    ///   - prepare: Prepares the side of Strata.
    ///   - yardstick: Prepares the other side, if it uses Strata too.
    init(
        _ name: String, _ summary: String, atMost limit: Double, rounds: Int? = nil, prepare: @escaping @Sendable () throws -> Rounds,
        yardstick: (@Sendable () throws -> Rounds)? = nil
    ) {
        self.summary = summary
        self.limit = limit
        self.rounds = rounds
        self.strata = Side(name, prepare: prepare)
        self.yardstick = yardstick.map { Side("\(name)-yardstick", prepare: $0) }
    }
}
