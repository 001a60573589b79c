import QueryInterface

/// What tells the statements of a record type apart.
struct PlanKey: Hashable {
    enum Operation { case insert, update, delete, exists }

    let operation: Operation
    let resolution: Database.ConflictResolution
    /// The names of the columns that are updated, nil for all.
    var columns: Set<String>?
    /// What follows the values: ON CONFLICT and RETURNING clauses.
    var clauses = ""
    /// What the columns that are returned are for: the same clause may ask for a column for the program, or for the record.
    var reading = RowReading()
    let shape: Int
}

/// The plans of a record type, of which it keeps those that were used lately.
///
/// There are two generations. When the young one is full it becomes the old one, and what nobody used in the meantime goes away.
struct PlanCache {
    /// How many plans a generation holds. Few programs write one record type in as many ways.
    static let capacity = 16

    private var young: [PlanKey: RecordPlan] = [:]
    private var old: [PlanKey: RecordPlan] = [:]

    /// The plan that was asked for last: its key is compared sooner than it is hashed.
    private var last: (key: PlanKey, plan: RecordPlan)?

    /// The number of plans, for tests.
    var count: Int { Set(young.keys).union(old.keys).count }

    subscript(key: PlanKey) -> RecordPlan? {
        mutating get {
            if let last, last.key == key { return last.plan }
            if let plan = young[key] {
                last = (key, plan)
                return plan
            }
            guard let plan = old[key] else { return nil }
            self[key] = plan
            return plan
        }
        set {
            if young.count >= Self.capacity, young[key] == nil {
                old = young
                young = [:]
            }
            young[key] = newValue
            last = newValue.map { (key, $0) }
        }
    }
}
