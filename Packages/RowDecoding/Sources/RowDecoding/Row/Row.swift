import ValueConversion

/// A row of a query's results.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT name, score FROM player")
/// while let row = try rows.next() {
///     let name = try row.decode(String.self, forKey: "name")       // by name
///     let score = try row.decodeIfPresent(Int.self, atIndex: 1)    // by index
/// }
/// ```
///
/// These methods throw when a column is missing, or when its value has no conversion to the type that is asked for. The subscripts,
/// `row["name"] as String`, stop the program instead: they are for tests, and for columns that the program's own SQL is sure of.
///
/// A cursor uses one row for all the results of its query. To keep a row, copy it: ``copy()``. A row that was kept without
/// being copied can't be read once its cursor has moved on: the program stops.
///
/// Rows are also made of values, for tests among others:
///
/// ```swift
/// let row: Row = ["name": "Arthur", "score": 1000]
/// ```
public final class Row {
    /// The core, which the columns own.
    @usableFromInline let core: UnsafeMutablePointer<RowCore>

    /// The values of a copied row, in the order of the statement's columns; nil for a row that reads from a statement.
    @usableFromInline let values: RowValues?

    /// The columns. Fetching copies of rows is a matter of allocations: what they can share is in this one object.
    let columns: RowColumns

    /// Rows that requests with associations have fetched for this one.
    var prefetched: PrefetchedRowsStorage?

    // MARK: - Making rows

    /// Makes a row that will read from a statement.
    init(layout: RowLayout?) {
        columns = RowColumns(layout: layout)
        core = columns.core.pointer
        values = nil
    }

    /// Makes a row of values.
    init(values: RowValues, columns: RowColumns) {
        core = columns.core.pointer
        self.values = values
        self.columns = columns
    }

    /// Makes a row of values.
    convenience init(values: [DatabaseValue], columns: RowColumns) {
        self.init(values: RowValues.make(count: values.count) { values[$0] }, columns: columns)
    }

    /// Makes a row without columns.
    public convenience init() {
        self.init(values: [DatabaseValue](), columns: RowColumns(layout: nil))
    }

    /// A row with the same columns, values, scopes and prefetched rows, that can be kept for ever.
    ///
    /// The copies that one fetch leaves share what layers keep for all of them, such as the state of decoders: like all rows, they
    /// must be used on one thread at a time.
    ///
    /// - Returns: a copy, or this row itself when it is one.
    /// - Complexity: O(n) in the number of columns of the query, and in the size of their values.
    public func copy() -> Row {
        if values != nil { return self }
        let columns = columnsOfCopies
        return Row(values: copyValues(count: columns.baseNames.count), columns: columns)
    }

    /// A copy that presents the same values by another layout, without prefetched rows.
    func copy(layout: RowLayout?) -> Row {
        let shared = values == nil ? columnsOfCopies : columns
        return Row(
            values: values ?? copyValues(count: shared.baseNames.count),
            columns: RowColumns(layout: layout, baseNames: shared.baseNames, origin: shared.origin))
    }

    /// A copy without prefetched rows that shares nothing that can change with any other row, so that it can go to another
    /// thread alone.
    func copyForTransfer() -> sending Row {
        let shared = values == nil ? columnsOfCopies : columns
        // All that is shared are the values, which never change.
        nonisolated(unsafe) let copy = Row(
            values: values ?? copyValues(count: shared.baseNames.count), columns: shared.duplicate())
        return copy
    }

    /// The values of all columns of the statement.
    private func copyValues(count: Int) -> RowValues {
        let handle = liveStatement.sqliteStatement
        return RowValues.make(count: count) {
            DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: $0))
        }
    }

    /// The columns that the copies of this row share with those of the rows after it.
    private var columnsOfCopies: RowColumns {
        core.pointee.columnsOfCopies ?? makeColumnsOfCopies(liveStatement)
    }

    private func makeColumnsOfCopies(_ statement: Statement) -> RowColumns {
        let publicArguments = statement.database.configuration.publicStatementArguments
        let origin = RowOrigin(
            sql: statement.sql, arguments: publicArguments ? statement.arguments : nil, publicArguments: publicArguments)
        let columns = RowColumns(layout: layout, baseNames: statement.columnNames, origin: origin)
        core.pointee.columnsOfCopies = columns
        return columns
    }

    // MARK: - The current row of a statement

    /// The columns of the row and of its scopes, where an adapter has changed them.
    var layout: RowLayout? { columns.layout }

    /// The statement to read from; stops the program when this row is no more.
    var liveStatement: Statement {
        guard let statement = core.pointee.statement else {
            fatalError(
                "A row was used after its cursor had moved on, or outside its database access. "
                    + "Keep a copy of it: row.copy().")
        }
        checkThread(statement)
        return statement._withUnsafeGuaranteedRef { $0 }
    }

    /// Stops the program unless this is the thread of the run that the row belongs to.
    @inlinable
    @inline(__always)
    func checkThread(_ statement: Unmanaged<Statement>) {
        if !statement._withUnsafeGuaranteedRef({ $0.isRunningOnCurrentThread }) { stopForThread() }
    }

    @inline(never)
    @usableFromInline
    func stopForThread() -> Never {
        fatalError(
            "A row was used on another thread than that of its database access. Give the other thread what was read from it, "
                + "such as a record.")
    }

    /// Makes the row read from a statement that has started a run.
    func attach(to statement: Statement) {
        core.pointee.statement = Unmanaged.passUnretained(statement)
        core.pointee.directColumnCount = layout == nil ? statement.columnCount : 0
        core.pointee.position = 0
        core.pointee.columnsOfCopies = nil
    }

    /// Makes the row one that can't be read any more.
    func detach() {
        core.pointee.statement = nil
        core.pointee.directColumnCount = 0
        core.pointee.forgetHints()
        for row in core.pointee.scopeRows { row?.detach() }
        core.pointee.scopeRows = []
    }

    /// Goes on with what a row before it in the same run has made for all rows.
    func takeOver(from row: Row) {
        core.pointee.columnsOfCopies = row.core.pointee.columnsOfCopies
        core.pointee.attachments = row.core.pointee.attachments
    }

    /// Forgets where the columns are, and what layers keep: the statement may have other columns than before.
    func forgetColumns() {
        core.pointee.forgetHints()
        core.pointee.attachments = nil
    }

    /// The query that the row comes from, for error messages; nil for a row that is made of values.
    var origin: RowOrigin? {
        core.pointee.statement?._withUnsafeGuaranteedRef {
            RowOrigin(
                sql: $0.sql, arguments: $0.arguments,
                publicArguments: $0.database.configuration.publicStatementArguments)
        } ?? columns.origin
    }

    // MARK: - Attachments

    /// What the layers above keep with the rows of a fetch, from one row to the next.
    ///
    /// All rows of a fetch have the same columns. A row that reads from a statement shares its attachments with those before and after
    /// it, of which there is one at a time. Copied rows of one fetch share another one; while one of them is being decoded, others
    /// may be. A scope's row shares its attachments with that scope's rows of the same fetch.
    @inlinable
    public var attachments: Attachments {
        if let attachments = core.pointee.attachments { return attachments }
        return makeAttachments()
    }

    /// What the row keeps for a key, if that is the one that was used last: see
    /// ``Attachments/recentValue(for:)``.
    @inlinable
    @inline(__always)
    public func recentAttachment<Key: AttachmentKey>(for key: Key.Type) -> Key.Value? {
        core.pointee.attachments?.recentValue(for: key)
    }

    @inline(never)
    @usableFromInline
    func makeAttachments() -> Attachments {
        let attachments = Attachments()
        core.pointee.attachments = attachments
        return attachments
    }

    // MARK: - Scopes

    /// The row of a scope, or nil when there is none of that name.
    func scopeRow(named name: String) -> Row? {
        columns.scopeNames.firstIndex(of: name).map { scopeRow(at: $0) }
    }

    /// The row of a scope.
    ///
    /// One object serves for the scope in all rows of a statement, as long as nobody keeps it: see ``releaseKeptScopes()``.
    func scopeRow(at index: Int) -> Row {
        if let values {
            let row = Row(values: values, columns: columns.scope(at: index))
            if let prefetched { row.prefetched = prefetched.scope(named: columns.scopeNames[index]) }
            return row
        }
        if index < core.pointee.scopeRows.count, let row = core.pointee.scopeRows[index] {
            row.core.pointee.position = 0
            return row
        }
        return makeScopeRow(at: index)
    }

    private func makeScopeRow(at index: Int) -> Row {
        let statement = liveStatement
        guard let scopes = layout?.scopes else { fatalError("The row has no scopes.") }
        if core.pointee.scopeRows.isEmpty {
            core.pointee.scopeRows = Array(repeating: nil, count: scopes.count)
        }
        let row = Row(layout: scopes[index].layout)
        row.attach(to: statement)
        core.pointee.scopeRows[index] = row
        return row
    }

    /// Before the row moves on: lets go of the scopes' rows that someone keeps, which can't be read any more.
    func releaseKeptScopes() {
        if core.pointee.scopeRows.isEmpty { return }
        core.pointee.scopeRows.withUnsafeMutableBufferPointer { rows in
            for index in rows.indices {
                if isKnownUniquelyReferenced(&rows[index]) {
                    rows[index]?.releaseKeptScopes()
                } else {
                    rows[index]?.detach()
                    rows[index] = nil
                }
            }
        }
    }
}
