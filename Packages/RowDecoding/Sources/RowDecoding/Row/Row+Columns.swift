import ValueConversion

// The columns of a row, and their values as SQLite stores them.

extension Row {
    // MARK: - Names

    /// The number of columns.
    public var count: Int {
        if let layout { return layout.columns.count }
        return values?.count ?? liveStatement.columnCount
    }

    /// The names of the columns, in order; several columns may share a name.
    public var columnNames: [String] {
        if let layout {
            if values == nil { _ = liveStatement }
            return layout.columns.map(\.name)
        }
        return baseNames
    }

    /// The names of the statement's columns, or of the copied values.
    var baseNames: [String] {
        values == nil ? liveStatement.columnNames : columns.baseNames
    }

    /// Returns the index of the leftmost column with a name, or nil when there is none. The case of ASCII letters is ignored.
    ///
    /// - Complexity: O(n) in the number of columns.
    public func index(ofColumn name: String) -> Int? {
        let column = base(ofColumn: name)
        guard column.isFound else { return nil }
        return layout == nil ? column.baseIndex : searchIndex(ofColumn: name)
    }

    func searchIndex(ofColumn name: String) -> Int? {
        if let layout {
            return layout.columns.firstIndex { $0.name.isEqualIgnoringASCIICase(to: name) }
        }
        return baseNames.firstIndex { $0.isEqualIgnoringASCIICase(to: name) }
    }

    /// Returns whether the row has a column with a name. The case of ASCII letters is ignored.
    @inlinable
    public func hasColumn(_ name: String) -> Bool {
        base(ofColumn: name).isFound
    }

    /// Converts an index of this row to an index in the statement's columns, or in the copied values.
    func baseIndex(at index: Int) -> Int {
        guard let layout else { return index }
        return layout.columns[index].baseIndex
    }

    /// Returns the position of the column with a name in the statement, or ``ColumnPosition/missing``.
    @inlinable
    func base(ofColumn name: String) -> ColumnPosition {
        let column = core.pointee.hintedColumn(name)
        return column == .unknown ? searchBase(ofColumn: name) : column
    }

    @inline(never)
    @usableFromInline
    func searchBase(ofColumn name: String) -> ColumnPosition {
        // Copied rows share their hints, and can't know when the program moves to the next copy. So when the hint at the current position
        // does not match, all hints are searched: the first column that is read from the next copy usually matches the first hint.
        if values != nil || core.pointee.position != core.pointee.hints.count {
            let column = core.pointee.rememberedColumn(name)
            if column != .unknown { return column }
            core.pointee.position = core.pointee.hints.count
        }
        let column = position(ofColumn: name) ?? .missing
        if values != nil {
            // There may be many copied rows, each from its own fetch, so the number is limited. The 4 extra hints are for names of scopes
            // and associations, which are looked up, too.
            core.pointee.remember(name, column: column, limit: count + 4)
        } else if core.pointee.statement != nil {
            core.pointee.remember(name, column: column)
        }
        return column
    }

    // MARK: - Database values

    /// Returns the value of a column of the statement, or of the copied values.
    @inlinable
    func databaseValue(atBase index: Int) -> DatabaseValue {
        if let values { return values[index] }
        return liveDatabaseValue(at: index)
    }

    /// Returns the value of a column of this row, or nil when the index is out of range.
    @usableFromInline
    func databaseValue(atIndex index: Int) -> DatabaseValue? {
        index >= 0 && index < count ? databaseValue(atBase: baseIndex(at: index)) : nil
    }

    @usableFromInline
    func liveDatabaseValue(at index: Int) -> DatabaseValue {
        liveStatement.databaseValue(at: index)
    }

    /// The values of all columns, in order.
    public var databaseValues: [DatabaseValue] {
        if layout == nil, let values { return values.array }
        return (0..<count).map { databaseValue(atBase: baseIndex(at: $0)) }
    }

    // MARK: - NULL

    /// Returns whether a column is NULL.
    ///
    /// - Parameter index: the column's index, from 0. The program stops when it is out of range.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        return isNull(atBase: baseIndex(at: index))
    }

    private func isNull(atBase index: Int) -> Bool {
        if let values { return values[index].isNull }
        return liveStatement.isNull(at: index)
    }

    /// Whether any column of the row, or of one of its scopes, is not NULL. It is false for the missing row of an outer join.
    public var containsNonNullValue: Bool {
        for index in 0..<count where !isNull(atBase: baseIndex(at: index)) { return true }
        for index in columns.scopeNames.indices where scopeRow(at: index).containsNonNullValue { return true }
        return false
    }

    func checkIndex(_ index: Int) {
        if index < 0 || index >= count {
            fatalError("Column \(index) is out of range: the row has \(count.counted("column")) - \(errorDescription)")
        }
    }
}
