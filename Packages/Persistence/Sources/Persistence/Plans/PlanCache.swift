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

/// The recently used plans of a record type.
typealias PlanCache = RecentCache<PlanKey, RecordPlan>

extension PlanCache {
    /// How many plans a generation holds. Few programs write one record type in as many ways.
    static var capacity: Int { 16 }
}
