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
/// These methods throw when a column is missing, or when its value can't be converted to the requested type. The subscripts, such as
/// `row["name"] as String`, stop the program instead: use them in tests, and for columns that your SQL certainly selects.
///
/// A cursor reuses one row object for all results of its query. To keep a row, copy it with ``copy()``. Reading a row that was not copied
/// stops the program once the cursor has advanced.
///
/// You can also create rows from values, for example in tests:
///
/// ```swift
/// let row: Row = ["name": "Arthur", "score": 1000]
/// ```
public final class Row {
    /// The row's core. ``columns`` owns its memory.
    @usableFromInline let core: UnsafeMutablePointer<RowCore>

    /// The values of a copied row, in the order of the statement's columns; nil for a row that reads from a statement.
    @usableFromInline let values: RowValues?

    /// The columns. Allocations dominate the cost of copying rows, so copies share everything they can in this one object.
    let columns: RowColumns

    /// The rows that requests with associations have prefetched for this row.
    var prefetched: PrefetchedRowsStorage?

    // MARK: - Making rows

    /// Creates a row that reads from a statement once it is attached to one.
    ///
    /// - Parameters:
    ///   - layout: the columns and the scopes as an adapter presents them.
    ///   - path: the names of the scopes that lead to the row.
    init(layout: RowLayout?, path: [String] = []) {
        columns = RowColumns(layout: layout, path: path)
        core = columns.core.pointer
        values = nil
    }

    /// Creates a row from values.
    init(values: RowValues, columns: RowColumns) {
        core = columns.core.pointer
        self.values = values
        self.columns = columns
    }

    /// Creates a row from values.
    convenience init(values: [DatabaseValue], columns: RowColumns) {
        self.init(values: RowValues.make(count: values.count) { values[$0] }, columns: columns)
    }

    /// Creates a row without columns.
    public convenience init() {
        self.init(values: [DatabaseValue](), columns: RowColumns(layout: nil))
    }

    /// Returns a row with the same columns, values, scopes and prefetched rows, which remains valid after its cursor has advanced.
    ///
    /// The copies of one fetch share the state that layers attach to the fetch, such as decoders. Like all rows, use them on one thread at
    /// a time.
    ///
    /// - Returns: a copy, or this row itself when it already is a copy.
    /// - Complexity: O(n) in the number of columns of the query, and in the size of their values.
    public func copy() -> Row {
        if values != nil { return self }
        let columns = columnsOfCopies
        return Row(values: copyValues(count: columns.baseNames.count), columns: columns)
    }

    /// Returns a copy that presents the same values with another layout, without prefetched rows.
    func copy(layout: RowLayout?) -> Row {
        let shared = values == nil ? columnsOfCopies : columns
        return Row(
            values: values ?? copyValues(count: shared.baseNames.count),
            columns: RowColumns(
                layout: layout, baseNames: shared.baseNames, origin: shared.origin, path: layout == nil ? [] : columns.path))
    }

    /// Returns a copy that shares no mutable state with other rows, so that it can be sent to another thread. The copy has no prefetched
    /// rows.
    func copyForTransfer() -> sending Row {
        let shared = values == nil ? columnsOfCopies : columns
        // The copy shares only the values, which never change.
        nonisolated(unsafe) let copy = Row(
            values: values ?? copyValues(count: shared.baseNames.count), columns: shared.duplicate())
        return copy
    }

    /// Returns the values of all columns of the statement.
    private func copyValues(count: Int) -> RowValues {
        let handle = liveStatement.handle
        return RowValues.make(count: count) {
            DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: $0))
        }
    }

    /// The columns, which copies of this row and of the following rows share.
    private var columnsOfCopies: RowColumns {
        core.pointee.columnsOfCopies ?? makeColumnsOfCopies(liveStatement)
    }

    private func makeColumnsOfCopies(_ statement: Statement) -> RowColumns {
        let publicArguments = statement.database.configuration.publicStatementArguments
        let origin = RowOrigin(
            sql: statement.sql, arguments: publicArguments ? statement.arguments : nil, publicArguments: publicArguments)
        let columns = RowColumns(layout: layout, baseNames: statement.columnNames, origin: origin, path: columns.path)
        core.pointee.columnsOfCopies = columns
        return columns
    }

    // MARK: - The current row of a statement

    /// The columns of the row and of its scopes as an adapter presents them; nil without an adapter.
    var layout: RowLayout? { columns.layout }

    /// The statement to read from. Stops the program when this row is no longer valid.
    var liveStatement: Statement {
        guard let statement = core.pointee.statement else {
            fatalError(
                "A row was used after its cursor had advanced, or outside its database access. "
                    + "Keep a copy of it: row.copy().")
        }
        checkThread(statement)
        return statement._withUnsafeGuaranteedRef { $0 }
    }

    /// Stops the program unless the current thread runs the row's statement.
    @inlinable
    @inline(__always)
    func checkThread(_ statement: Unmanaged<Statement>) {
        if !statement._withUnsafeGuaranteedRef({ $0.isRunningOnCurrentThread }) { stopForThread() }
    }

    /// Returns the value of a column of the row's statement, or nil when it can't be converted to the type.
    ///
    /// - Parameters:
    ///   - index: the index of a column of the statement.
    ///   - statement: the row's statement, whose thread the caller has checked.
    @inlinable
    @inline(__always)
    func checkedValue<Value: DatabaseValueConvertible>(at index: Int, of statement: Unmanaged<Statement>) -> Value? {
        statement._withUnsafeGuaranteedRef { Value._fromColumn(of: $0, atUncheckedIndex: index) }
    }

    @inline(never)
    @usableFromInline
    func stopForThread() -> Never {
        fatalError(
            "A row was used on another thread than its database access. Pass the other thread the values that were read from the row, "
                + "such as a record.")
    }

    /// Makes the row read from a statement that has started a run.
    func attach(to statement: Statement) {
        core.pointee.statement = Unmanaged.passUnretained(statement)
        core.pointee.directColumnCount = layout == nil ? statement.columnCount : 0
        core.pointee.position = 0
        core.pointee.columnsOfCopies = nil
    }

    /// Invalidates the row: it can't be read until it is attached to a statement again.
    func detach() {
        core.pointee.statement = nil
        core.pointee.directColumnCount = 0
        core.pointee.forgetHints()
        for row in core.pointee.scopeRows { row?.detach() }
        core.pointee.scopeRows = []
    }

    /// Takes over the state that an earlier row of the same run has created for all rows.
    func takeOver(from row: Row) {
        core.pointee.columnsOfCopies = row.core.pointee.columnsOfCopies
        core.pointee.attachments = row.core.pointee.attachments
    }

    /// Forgets the positions of columns and the attachments, because the statement's columns may have changed.
    func forgetColumns() {
        core.pointee.forgetHints()
        core.pointee.attachments = nil
    }

    /// The names of the scopes, and the keys of the prefetched associations, that lead from a row of the query to this row. Empty for a row
    /// of the query itself.
    package var path: [String] { columns.path }

    /// The query that the row comes from, for error messages; nil for a row created from values.
    var origin: RowOrigin? {
        core.pointee.statement?._withUnsafeGuaranteedRef {
            RowOrigin(
                sql: $0.sql, arguments: $0.arguments,
                publicArguments: $0.database.configuration.publicStatementArguments)
        } ?? columns.origin
    }

    // MARK: - Attachments

    /// State that upper layers keep from one row of a fetch to the next.
    ///
    /// All rows of a fetch have the same columns. A row that reads from a statement shares its attachments with the rows before and after
    /// it; only one of these rows is valid at a time. The copies of one fetch share other attachments, and several copies may be decoded at
    /// the same time, one within another. A scope's row shares its attachments with that scope's rows of the same fetch.
    @inlinable
    package var attachments: Attachments {
        if let attachments = core.pointee.attachments { return attachments }
        return makeAttachments()
    }

    /// Returns the attachment of a key if it was used last: see ``Attachments/recentValue(for:)``.
    @inlinable
    @inline(__always)
    package func recentAttachment<Key: AttachmentKey>(for key: Key.Type) -> Key.Value? {
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

    /// Returns the row of a scope, or nil when no scope has that name.
    func scopeRow(named name: String) -> Row? {
        columns.scopeNames.firstIndex(of: name).map { scopeRow(at: $0) }
    }

    /// Returns the row of a scope.
    ///
    /// All rows of a statement reuse one object for the scope, unless the caller keeps it: see ``releaseKeptScopes()``.
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
        let row = Row(layout: scopes[index].layout, path: columns.path + [scopes[index].name])
        row.attach(to: statement)
        core.pointee.scopeRows[index] = row
        return row
    }

    /// Invalidates and releases the rows of scopes that callers have kept. It is called before the cursor moves to the next row.
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
