/// The state of an observation between a change of the database and the delivery of its value.
///
///                    change                    value
///     waiting  ──────────────▶  fetching  ──────────────▶  delivering
///        ▲                       ▲    │                     │    │
///        └───────────────────────┼────┘ no value            │    │
///        └───────────────────────┼──────────────────────────┘    │
///            delivered           └───────────────────────────────┘
///                                  delivered, and changed meanwhile
///
/// Commits have numbers, in their order. `required` is the last commit that has changed the observed region; `contained` is the last
/// commit that the fetched value contains. The observation fetches again as long as `required` is greater than `contained`, but only
/// when the observer has taken the previous value. Therefore:
///
/// - At most one fetch is in progress, and any number of changes during a fetch or a delivery lead to one more fetch.
/// - Each fetch begins after the previous one has ended, and sees the same state of the database or a later state.
/// - A commit that a fetch has already seen does not lead to another fetch, even if it was reported during that fetch.
/// - When the observation is waiting, its last value contains all changes.
/// - After the end, which is final, nothing is fetched and nothing is delivered.
struct ObservationProgress {
    enum Phase {
        case waiting, fetching, delivering, ended
    }

    private(set) var phase = Phase.waiting
    private var required = 0
    private var contained = -1

    /// Records a commit that has changed the observed region. Commits may be reported out of order.
    ///
    /// - Returns: whether a fetch must begin.
    mutating func change(at commit: Int) -> Bool {
        required = max(required, commit)
        guard phase == .waiting else { return false }
        return fetchIfNeeded()
    }

    /// Requires a fetch that has seen a commit, whether or not it has changed the region.
    ///
    /// - Parameter isReady: whether the observer can take another value, although it has not called `next`.
    /// - Returns: whether a fetch must begin.
    mutating func require(_ commit: Int, isReady: Bool) -> Bool {
        required = max(required, commit)
        guard phase == .waiting || (phase == .delivering && isReady) else { return false }
        return fetchIfNeeded()
    }

    /// Returns whether the value of the fetch that has seen a commit is the last value, and contains all recorded changes.
    func isCurrent(_ commit: Int) -> Bool {
        (phase == .waiting || phase == .delivering) && contained == commit && required <= contained
    }

    /// Records the end of a fetch.
    ///
    /// - Parameters:
    ///   - commit: the last commit that the fetch has seen.
    ///   - hasValue: whether there is a value to deliver.
    /// - Returns: whether another fetch must begin. False if there is a value: it must be delivered first.
    mutating func didFetch(at commit: Int, hasValue: Bool) -> Bool {
        guard phase == .fetching else { return false }
        contained = max(contained, commit)
        if hasValue {
            phase = .delivering
            return false
        }
        return fetchIfNeeded()
    }

    /// Records that the observer has taken the value.
    ///
    /// - Returns: whether a fetch must begin.
    mutating func didDeliver() -> Bool {
        guard phase == .delivering else { return false }
        return fetchIfNeeded()
    }

    /// Begins the first fetch.
    ///
    /// - Returns: false if the observation has ended already.
    mutating func start() -> Bool {
        guard phase == .waiting else { return false }
        return fetchIfNeeded()
    }

    /// Ends the observation.
    ///
    /// - Returns: false if it had ended already.
    mutating func end() -> Bool {
        defer { phase = .ended }
        return phase != .ended
    }

    private mutating func fetchIfNeeded() -> Bool {
        let isNeeded = required > contained
        phase = isNeeded ? .fetching : .waiting
        return isNeeded
    }
}
