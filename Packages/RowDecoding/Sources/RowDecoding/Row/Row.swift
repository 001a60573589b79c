import Foundation
import ValueConversion

/// A row of a query's results.
///
/// ```swift
/// let rows = try Row.fetchCursor(db, sql: "SELECT name, score FROM player")
/// while let row = try rows.next() {
///     let name: String = row["name"]   // by name
///     let score: Int? = row[1]         // by index
/// }
/// ```
///
/// The subscripts stop the program when a column is missing, or when its value has no conversion to the type that is asked for.
/// Each has a twin that throws instead: `try row.decode(Int.self, forKey: "score")`.
///
/// A cursor uses one row for all the results of its query. To keep a row, copy it: ``copy()``. A row that was kept without
/// being copied can't be read once its cursor has moved on: the program stops.
public final class Row {
    @usableFromInline let core: UnsafeMutablePointer<RowCore>

    /// Whether the core is this row's own, and not the one that all copied rows share.
    private let ownsCore: Bool

    /// The columns of the row and of its scopes, where an adapter has changed them.
    @usableFromInline let layout: RowLayout?

    /// The values of a copied row, in the order of the statement's columns.
    let values: [DatabaseValue]?

    /// The names of a copied row's columns, in the order of the statement's columns.
    let baseNames: [String]

    /// Rows that requests with associations have fetched for this one.
    public internal(set) var prefetched: PrefetchedRowsStorage?

    /// What the layers above keep with the rows of a statement, from one row to the next.
    ///
    /// Copied rows share none of it.
    public lazy var storage = TypedStorage()

    private lazy var scopeRows: [String: Row] = [:]

    // MARK: - Making rows

    /// Makes a row that will read from a statement.
    @usableFromInline
    init(layout: RowLayout?) {
        core = .allocate(capacity: 1)
        core.initialize(to: RowCore())
        ownsCore = true
        self.layout = layout
        values = nil
        baseNames = []
    }

    /// Makes a row of values.
    init(values: [DatabaseValue], names: [String], layout: RowLayout?, prefetched: PrefetchedRowsStorage? = nil) {
        core = Self.coreOfCopies
        ownsCore = false
        self.layout = layout
        self.values = values
        self.baseNames = names
        self.prefetched = prefetched
    }

    /// The core of all rows that have their own values. Without a statement and without hints, it is never written.
    nonisolated(unsafe) private static let coreOfCopies: UnsafeMutablePointer<RowCore> = {
        let core = UnsafeMutablePointer<RowCore>.allocate(capacity: 1)
        core.initialize(to: RowCore())
        return core
    }()

    /// Makes a row without columns.
    public convenience init() {
        self.init(values: [], names: [], layout: nil)
    }

    deinit {
        if ownsCore {
            core.pointee.forgetHints()
            core.deinitialize(count: 1)
            core.deallocate()
        }
    }

    /// A row with the same columns, values, scopes and prefetched rows, that can be kept for ever.
    public func copy() -> Row {
        if values != nil { return self }
        let statement = liveStatement
        let values = (0..<statement.columnCount).map {
            DatabaseValue(sqliteStatement: statement.sqliteStatement, index: CInt($0))
        }
        return Row(values: values, names: statement.columnNames, layout: layout, prefetched: prefetched)
    }

    // MARK: - The current row of a statement

    /// The statement to read from; stops the program when this row is no more.
    var liveStatement: Statement {
        guard let statement = core.pointee.statement else {
            fatalError(
                "A row was used after its cursor had moved on, or outside its database access. "
                    + "Keep a copy of it: row.copy().")
        }
        return statement._withUnsafeGuaranteedRef { $0 }
    }

    /// Makes the row read from a statement that has started a run.
    func attach(to statement: Statement) {
        core.pointee.statement = Unmanaged.passUnretained(statement)
        core.pointee.directColumnCount = layout == nil ? statement.columnCount : 0
        core.pointee.position = 0
    }

    /// Makes the row one that can't be read any more.
    func detach() {
        core.pointee.statement = nil
        core.pointee.directColumnCount = 0
        core.pointee.forgetHints()
        for row in scopeRows.values { row.detach() }
    }

    /// Notices that the statement has other columns than before.
    func columnsDidChange(of statement: Statement) {
        core.pointee.forgetHints()
        core.pointee.directColumnCount = layout == nil ? statement.columnCount : 0
        storage.removeAll()
    }

    // MARK: - Columns

    /// The number of columns.
    public var count: Int {
        if let layout { return layout.columns.count }
        return values?.count ?? liveStatement.columnCount
    }

    /// The names of the columns, in order; several columns may share one.
    public var columnNames: [String] {
        if let layout { return layout.columns.map(\.name) }
        return values == nil ? liveStatement.columnNames : baseNames
    }

    /// The index of the leftmost column of a name, whatever the case of its ASCII letters, or nil.
    ///
    /// - Complexity: O(n) in the number of columns.
    public func index(ofColumn name: String) -> Int? {
        columnNames.firstIndex { $0.isEqualIgnoringASCIICase(to: name) }
    }

    /// Whether the row has a column of a name, whatever the case of its ASCII letters.
    public func hasColumn(_ name: String) -> Bool {
        index(ofColumn: name) != nil
    }

    /// The column of the statement, or of the copied values, that is at an index of this row.
    func baseIndex(at index: Int) -> Int {
        layout.map { $0.columns[index].baseIndex } ?? index
    }

    /// The column of the statement that has a name.
    ///
    /// - Returns: its index in the statement, or ``ColumnHint/missing``.
    @inlinable
    func baseIndex(ofColumn name: String) -> Int {
        let column = core.pointee.hintedColumn(name)
        return column == ColumnHint.unknown ? searchBaseIndex(ofColumn: name) : column
    }

    @inline(never)
    @usableFromInline
    func searchBaseIndex(ofColumn name: String) -> Int {
        let atEnd = core.pointee.position == core.pointee.hintCount
        if core.pointee.statement != nil, !atEnd {
            let column = core.pointee.rememberedColumn(name)
            if column != ColumnHint.unknown { return column }
            core.pointee.position = core.pointee.hintCount
        }
        let column = index(ofColumn: name).map { baseIndex(at: $0) } ?? ColumnHint.missing
        if core.pointee.statement != nil {
            core.pointee.remember(name, column: column)
        }
        return column
    }

    // MARK: - Database values

    /// The value in a column of the statement, or among the copied values.
    func databaseValue(atBase index: Int) -> DatabaseValue {
        if let values { return values[index] }
        return liveStatement.databaseValue(at: index)
    }

    /// The values of all columns, in order.
    public var databaseValues: [DatabaseValue] {
        (0..<count).map { databaseValue(atBase: baseIndex(at: $0)) }
    }

    /// Whether a column is NULL.
    ///
    /// - Parameter index: the column's index, from 0, under ``count``.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        return isNull(atBase: baseIndex(at: index))
    }

    func isNull(atBase index: Int) -> Bool {
        if let values { return values[index].isNull }
        return liveStatement.isNull(at: index)
    }

    /// Whether a column of the row, or of one of its scopes, is not NULL: false tells a row of an outer join that is not there.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) } || scopes.contains { $0.row.containsNonNullValue }
    }

    func checkIndex(_ index: Int) {
        if index < 0 || index >= count {
            fatalError("Column \(index) is out of range: the row has \(count) columns: \(self)")
        }
    }

    // MARK: - Scopes

    /// The row of a scope, or nil when there is none of that name.
    func scopeRow(named name: String) -> Row? {
        guard let scope = layout?.scopes.first(where: { $0.name == name })?.layout else { return nil }
        if let values {
            return Row(values: values, names: baseNames, layout: scope, prefetched: prefetched?.scopes[name])
        }
        let statement = liveStatement
        if let row = scopeRows[name], row.core.pointee.statement != nil {
            row.prefetched = prefetched?.scopes[name]
            row.core.pointee.position = 0
            return row
        }
        let row = Row(layout: scope)
        row.attach(to: statement)
        row.prefetched = prefetched?.scopes[name]
        scopeRows[name] = row
        return row
    }

    /// Lets go of the scopes' rows that someone keeps: the row moves on.
    func releaseKeptScopes() {
        guard layout != nil else { return }
        for (name, row) in scopeRows {
            var row = row
            scopeRows[name] = nil
            row.releaseKeptScopes()
            if isKnownUniquelyReferenced(&row) {
                scopeRows[name] = row
            } else {
                row.detach()
            }
        }
    }

    /// The SQL that the row comes from, and its arguments, for error messages.
    var origin: (sql: String, arguments: StatementArguments, isPublic: Bool)? {
        core.pointee.statement?._withUnsafeGuaranteedRef {
            ($0.sql, $0.arguments, $0.database.configuration.publicStatementArguments)
        }
    }
}

/// Rows that requests with associations fetch for each row of a query: by the key of the association, for the row and for its
/// scopes.
public final class PrefetchedRowsStorage {
    /// The rows of each association of the row itself.
    public var rows: [String: [Row]] = [:]

    /// The same for the row's scopes.
    public var scopes: [String: PrefetchedRowsStorage] = [:]

    /// Makes a storage without rows.
    public init() {}
}

// MARK: - Description

extension Row: CustomStringConvertible {
    /// The columns with their values: `[name:'Arthur' score:1000]`.
    public var description: String {
        guard values != nil || core.pointee.statement != nil else { return "[a row that is no more]" }
        return "[" + zip(columnNames, databaseValues).map { "\($0):\($1)" }.joined(separator: " ") + "]"
    }
}
