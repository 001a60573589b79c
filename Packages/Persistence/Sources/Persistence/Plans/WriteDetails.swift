import QueryInterface

/// The clauses that a statement has besides the record's values: the assignments of an upsert, and the columns to read back.
///
/// An object serves one call of a persistence method, or one batch.
@usableFromInline
final class WriteDetails {
    /// The target and the assignments of an upsert.
    struct Upsert {
        /// The columns of the unique key whose conflict makes the upsert an update; empty for any unique key of the table.
        let target: [String]
        /// The columns that take the values of the record, unless the program assigns other values to them.
        let strategy: UpsertUpdateStrategy
        /// The program's assignments.
        let assignments: [ColumnAssignment]
        /// The condition for updating the row; nil for none.
        let condition: SQLExpression?
        /// The alias by which the assignments refer to the row that could not be inserted.
        let excluded: TableAliasBase

        /// Whether an existing row can be left alone.
        var isConditional: Bool { condition != nil || strategy.isForChanges }
    }

    let upsert: Upsert?

    /// The columns to read back from the row; nil for none.
    let selection: [SQLSelection]?

    /// The plan that wrote the previous record.
    private var plan: RecordPlan?
    /// The type whose plan it is. A collection can hold objects of several types, which have their own plans.
    private var planType: ObjectIdentifier?
    /// The arguments that follow the record's values.
    var arguments = StatementArguments()

    /// The result that was read back.
    var result: Result?

    /// The column with the version that the row must have for an update, which increments it; nil for none.
    let versionColumn: String?

    /// Whether to find out what an upsert did.
    let notesOutcome: Bool

    /// What the upsert of the last record did, if that was asked for.
    @usableFromInline var outcome = UpsertOutcome.unchanged

    /// The names of the columns, and the row, which is nil if nothing was written.
    struct Result {
        let columnNames: [String]
        let row: Row?
    }

    init(upsert: Upsert? = nil, selection: [SQLSelection]? = nil, versionColumn: String? = nil, notesOutcome: Bool = false) {
        self.upsert = upsert
        self.selection = selection
        self.versionColumn = versionColumn
        self.notesOutcome = notesOutcome
    }

    @usableFromInline
    convenience init(selection: [any SQLSelectable]) {
        self.init(selection: selection.map(\.sqlSelection))
    }

    @usableFromInline
    convenience init<Record>(
        upsert record: Record.Type, target: [String], _ strategy: UpsertUpdateStrategy,
        _ doUpdate: ((TableAlias<Record>) -> [ColumnAssignment])?, where condition: ((TableAlias<Record>) -> any SQLExpressible)?,
        selection: [any SQLSelectable]? = nil, notesOutcome: Bool = false
    ) {
        // SQLite's name for the row that could not be inserted.
        let excluded = TableAlias<Record>(name: "excluded")
        self.init(
            upsert: Upsert(
                target: target, strategy: strategy, assignments: doUpdate?(excluded) ?? [],
                condition: condition?(excluded).sqlExpression, excluded: excluded),
            selection: selection?.map(\.sqlSelection), notesOutcome: notesOutcome)
    }

    /// Whether the upsert has no target, strategy, assignments, condition or selection, so that all records of a type share one plan.
    ///
    /// A property that is added to ``Upsert`` must be looked at here, too, or upserts that differ in it share the plan.
    var isPlainUpsert: Bool {
        guard let upsert, selection == nil else { return false }
        return upsert.target.isEmpty && upsert.assignments.isEmpty && upsert.strategy == .allColumns && upsert.condition == nil
    }

    func plan(of plans: RecordPlans) -> RecordPlan? {
        planType == ObjectIdentifier(plans.state.pointee.recordType) ? plan : nil
    }

    func setPlan(_ plan: RecordPlan, of plans: RecordPlans) {
        self.plan = plan
        planType = ObjectIdentifier(plans.state.pointee.recordType)
    }

    // MARK: - What was read back

    /// The record that was read back, or nil if nothing was written.
    func record<Record: FetchableRecord>(_ type: Record.Type) throws -> Record? {
        try result?.row.map { try Record(row: $0) }
    }

    /// Calls a function with a statement that returns what was read back.
    ///
    /// This statement only reads: what is written does not depend on whether the program runs it, or how often.
    func fetch<Value>(_ db: Database, _ body: (Statement) throws -> Value) throws -> Value {
        guard let result else { throw DatabaseError.misuse("a callback did not call its closure") }
        let hasRow = result.row != nil
        let columns = result.columnNames.map { "\(hasRow ? "?" : "NULL") AS \($0.quotedDatabaseIdentifier)" }
        let statement = try db.reusedStatement(sql: "SELECT \(columns.joined(separator: ", "))\(hasRow ? "" : " WHERE 0")")
        try statement.setArguments(StatementArguments(result.row.map { Array($0.databaseValues) } ?? []))
        return try body(statement)
    }
}
