import QueryInterface

/// The properties that distinguish the statements of a record type.
struct PlanKey: Hashable {
    enum Operation { case insert, update, delete, exists }

    let operation: Operation
    let resolution: Database.ConflictResolution
    /// The names of the updated columns; nil for all columns.
    var columns: Set<String>?
    /// The column with the version that an update checks and increments.
    var versionColumn: String?
    /// The ON CONFLICT and RETURNING clauses, which follow the values.
    var clauses = ""
    /// The purpose of the returned columns: the same RETURNING clause can request a column for the program or for the record.
    var reading = RowReading()
    let layout: Int
}

/// The recently used plans of a record type.
typealias PlanCache = RecentCache<PlanKey, RecordPlan>

extension PlanCache {
    /// The maximum number of plans in a generation of the cache. Few programs need more for one record type.
    static var capacity: Int { 16 }
}
