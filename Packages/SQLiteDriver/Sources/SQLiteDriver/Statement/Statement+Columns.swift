import CSQLiteShims

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// MARK: - Names

extension Statement {
    /// The number of columns of the statement's rows; 0 for a statement without rows.
    ///
    /// While there is a current row, it is the row's number of columns. Otherwise it reflects the current schema, even if the schema
    /// has changed since the statement was prepared.
    @inlinable
    public var columnCount: Int {
        isRunningOnCurrentThread && hasBegun ? compiledColumnCount : columnCountOfNextRun
    }

    /// The names of the columns, in order. Several columns may have the same name. Like ``columnCount``, they reflect the current
    /// row or the current schema.
    public var columnNames: [String] {
        database.checkAccess()
        if !hasBegun {
            describe()
            if let names = state.pointee.description.columnNames { return names }
        }
        let count = repreparationCount
        if let known = state.pointee.namesOfRows, known.repreparationCount == count { return known.names }
        let names = (0..<compiledColumnCount).map { compiledColumnName(at: $0) }
        state.pointee.namesOfRows = (count, names)
        return names
    }

    /// Returns the name of a column.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    public func columnName(at index: Int) -> String {
        let names = columnNames
        guard names.indices.contains(index) else { stopForColumn(index) }
        return names[index]
    }

    /// Returns the index of the leftmost column with a name, ignoring the case of ASCII letters, or nil.
    ///
    /// - Complexity: O(n) in the number of columns.
    public func index(ofColumn name: String) -> Int? {
        columnNames.firstIndex { $0.isEqualIgnoringASCIICase(to: name) }
    }

    /// The number of columns of the statement as SQLite has last compiled it.
    @inlinable
    var compiledColumnCount: Int { Int(sqlite3_column_count(handle)) }

    func compiledColumnName(at index: Int) -> String {
        plan?.columnName(at: index) ?? sqlite3_column_name(handle, CInt(index)).map { String(cString: $0) } ?? ""
    }

    @inline(never)
    @usableFromInline
    var columnCountOfNextRun: Int {
        database.checkAccess()
        if hasBegun { return compiledColumnCount }
        describe()
        return state.pointee.description.columnNames?.count ?? compiledColumnCount
    }

    // MARK: - Values

    /// The storage class of a column of the current row.
    public enum ColumnStorage: CInt, Sendable {
        /// `SQLITE_INTEGER`.
        case integer = 1
        /// `SQLITE_FLOAT`.
        case real = 2
        /// `SQLITE_TEXT`.
        case text = 3
        /// `SQLITE_BLOB`.
        case blob = 4
        /// `SQLITE_NULL`.
        case null = 5
    }

    /// Returns the storage class of a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    @inlinable
    public func storage(at index: Int) -> ColumnStorage {
        checkColumn(index)
        return ColumnStorage(rawValue: sqlite3_column_type(handle, CInt(truncatingIfNeeded: index))) ?? .null
    }

    /// Returns whether a column of the current row is NULL.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    @inlinable
    public func isNull(at index: Int) -> Bool {
        checkColumn(index)
        return isNull(atUnchecked: index)
    }

    /// Returns a copy of the value of a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    public func databaseValue(at index: Int) -> DatabaseValue {
        checkColumn(index)
        return DatabaseValue(sqliteStatement: handle, index: CInt(truncatingIfNeeded: index))
    }

    /// Returns the integer in a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    /// - Returns: an INTEGER, or a REAL without its fraction; nil for NULL, other storage classes, and a REAL out of range.
    @inlinable
    public func int64(at index: Int) -> Int64? {
        checkColumn(index)
        return int64(atUnchecked: index)
    }

    /// Returns the number in a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    /// - Returns: a REAL, or the `Double` nearest to an INTEGER; nil for NULL and other storage classes.
    @inlinable
    public func double(at index: Int) -> Double? {
        checkColumn(index)
        return double(atUnchecked: index)
    }

    /// Returns the string in a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    /// - Returns: a TEXT, with invalid UTF-8 repaired, or a BLOB that is valid UTF-8; nil for NULL and other storage classes.
    @inlinable
    public func string(at index: Int) -> String? {
        checkColumn(index)
        return string(atUnchecked: index)
    }

    /// Returns a copy of the bytes in a column of the current row.
    ///
    /// - Parameter index: the column's index, from 0, less than ``columnCount``.
    /// - Returns: a BLOB, or the UTF-8 bytes of a TEXT; nil for NULL and other storage classes.
    @inlinable
    public func data(at index: Int) -> Data? {
        checkColumn(index)
        return data(atUnchecked: index)
    }

    /// Calls a closure with the bytes in a column of the current row, without copying them.
    ///
    /// - Parameters:
    ///   - index: the column's index, from 0, less than ``columnCount``.
    ///   - body: called with the bytes of a BLOB or a TEXT, or with nil. The bytes are valid only until it returns.
    public func withUnsafeBytes<Result>(
        at index: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        checkColumn(index)
        let value = unprotectedValue(atUnchecked: index)
        switch value.storage {
        case .blob: return try value.withUnsafeBlob { try body($0) }
        case .text: return try value.withUnsafeText { try body($0) }
        case .integer, .real, .null: return try body(nil)
        }
    }

    @inlinable
    func checkColumn(_ index: Int) {
        // A running statement is inside an access, because the end of the access resets it.
        if !isRunningOnCurrentThread { database.checkAccess() }
        if index < 0 || index >= compiledColumnCount {
            stopForColumn(index)
        }
    }

    @inline(never)
    @usableFromInline
    func stopForColumn(_ index: Int) -> Never {
        fatalError("Column \(index) is out of range: \(sql) has \(compiledColumnCount.counted("column")).")
    }
}

extension Int64 {
    /// Creates an integer from a real number without its fraction, or nil if it is out of range.
    @inlinable
    package init?(truncatingIfInRange real: Double) {
        // -2^63 is a Double; 2^63 is the first Double that is too large. NaN fails both comparisons.
        guard real >= -0x1p63, real < 0x1p63 else { return nil }
        self.init(real)
    }
}
