import QueryInterface

/// The clauses of a statement besides the record's values: the assignments of an upsert, and the columns to read back.
///
/// An object serves one call of a persistence method, or one batch.
@usableFromInline
final class WriteDetails {
    /// What an upsert does, nil for other statements.
    struct Upsert {
        /// The columns of the unique key that makes the upsert an update; any of the table's when empty.
        let target: [String]
        /// The assignments that the program gives. All other columns take the values of the record.
        let assignments: [ColumnAssignment]
        /// The row that could not be inserted, as the assignments name it.
        let excluded: TableAliasBase
    }

    let upsert: Upsert?

    /// The columns to read back from the row; nil for none.
    let selection: [SQLSelection]?

    /// The plan that served the record before, and what follows the record's values among its arguments.
    private var plan: RecordPlan?
    /// Whose plan it is: a collection of objects may hold some of several types.
    private var owner: UnsafeMutablePointer<RecordPlans.State>?
    var arguments = StatementArguments()

    /// The rows that were read back.
    var result: Result?

    /// The names of the columns, and the row unless nothing was written.
    struct Result {
        let columnNames: [String]
        let row: Row?
    }

    init(upsert: Upsert? = nil, selection: [SQLSelection]? = nil) {
        self.upsert = upsert
        self.selection = selection
    }

    @usableFromInline
    convenience init(selection: [any SQLSelectable]) {
        self.init(selection: selection.map(\.sqlSelection))
    }

    @usableFromInline
    convenience init<Record>(
        upsert record: Record.Type, target: [String], doUpdate: ((TableAlias<Record>) -> [ColumnAssignment])?,
        selection: [any SQLSelectable]? = nil
    ) {
        // SQLite's name for the row that could not be inserted.
        let excluded = TableAlias<Record>(name: "excluded")
        self.init(
            upsert: Upsert(target: target, assignments: doUpdate?(excluded) ?? [], excluded: excluded),
            selection: selection?.map(\.sqlSelection))
    }

    /// Whether it is all the same for each record of a type.
    var isPlainUpsert: Bool {
        guard let upsert, selection == nil else { return false }
        return upsert.target.isEmpty && upsert.assignments.isEmpty
    }

    func plan(of plans: RecordPlans) -> RecordPlan? {
        owner == plans.state ? plan : nil
    }

    func setPlan(_ plan: RecordPlan, of plans: RecordPlans) {
        self.plan = plan
        owner = plans.state
    }

    // MARK: - What was read back

    /// The record that was read back, or nil if nothing was written.
    func record<Record: FetchableRecord>(_ type: Record.Type) throws -> Record? {
        try result?.row.map { try Record(row: $0) }
    }

    /// Calls a function with a statement that returns what was read back.
    ///
    /// It is not the statement that has written the row: a program that runs it twice, or not at all, or not to its end,
    /// must not write more, or less.
    func fetch<Value>(_ db: Database, _ body: (Statement) throws -> Value) throws -> Value {
        guard let result else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "a callback has not called its closure")
        }
        let hasRow = result.row != nil
        let columns = result.columnNames.map { "\(hasRow ? "?" : "NULL") AS \($0.quotedDatabaseIdentifier)" }
        let statement = try db.cachedStatement(sql: "SELECT \(columns.joined(separator: ", "))\(hasRow ? "" : " WHERE 0")")
        try statement.setArguments(StatementArguments(result.row.map { Array($0.databaseValues) } ?? []))
        return try body(statement)
    }
}
