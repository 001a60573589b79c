import QueryInterface

/// The columns and values that a record writes to the database.
///
/// ```swift
/// func encode(to container: inout PersistenceContainer) {
///     container["id"] = id
///     container["name"] = name
///     container[Columns.score] = score
/// }
/// ```
///
/// Column names ignore ASCII case, as in SQLite: `name` and `Name` are one column. If a column is set twice, the last value wins.
///
/// For a value that SQLite can't store, such as a `UInt64` over `Int64.max`, the container keeps an error, and writing the record
/// throws it.
public struct PersistenceContainer {
    @usableFromInline var contents: ContainerStorage

    /// Makes an empty container.
    @inlinable
    public init() {
        contents = ContainerStorage()
    }

    @inlinable
    init(contents: ContainerStorage) {
        self.contents = contents
    }

    /// Whether errors about the record may show values: ``Configuration/publicStatementArguments``; false if no connection is known.
    package var showsValues: Bool { contents.state.pointee.showsValues }

    /// State that upper layers keep with a container while it is used for one record after another.
    @inlinable
    package var attachments: Attachments { contents.attachments }

    /// Sets a column.
    ///
    /// - Parameters:
    ///   - value: the value; nil is NULL.
    ///   - column: the column's name.
    @inlinable
    @inline(__always)
    public mutating func set<Value: StatementBinding>(_ value: Value?, forColumn column: String) {
        if contents.state.pointee.partialEncoding == nil || !leavesOut(column) { setKept(value, forColumn: column) }
    }

    /// Sets a column whose value the statement needs.
    @inlinable
    mutating func setKept<Value: StatementBinding>(_ value: Value?, forColumn column: String) {
        do {
            if isUnique(), try contents.setExpected(value, slot: contents.expectedSlot(forColumn: column)) { return }
            setUnexpected(value, forColumn: column)
        } catch {
            contents.set(column, .failure(error))
        }
    }

    /// Sets a column whose place the caller keeps from record to record, so that the column's name is rarely made and compared.
    ///
    /// - Parameters:
    ///   - value: the value; nil is NULL.
    ///   - place: the place of the column in previous records, which is updated.
    ///   - column: returns the column's name.
    @inlinable
    package mutating func set<Value: StatementBinding>(_ value: Value?, at place: inout ColumnPlace, column: () -> String) {
        do {
            if isUnique(), try contents.setExpected(value, slot: contents.expectedSlot(at: place)) { return }
        } catch {
            // The value is set again by its name, which keeps the error.
        }
        setAndLocate(value, forColumn: column(), &place)
    }

    /// Sets a column that has another place than in previous records.
    @inline(never)
    @inlinable
    mutating func setAndLocate<Value: StatementBinding>(_ value: Value?, forColumn column: String, _ place: inout ColumnPlace) {
        let position = contents.state.pointee.position
        set(value, forColumn: column)
        let layout = contents.state.pointee.layout
        place = ColumnPlace()
        if layout != 0, contents.state.pointee.position == position &+ 1 { (place.layout, place.position) = (layout, position) }
    }

    /// Sets an unexpected column, or a column of a container that shares its memory.
    @inline(never)
    @inlinable
    mutating func setUnexpected<Value: StatementBinding>(_ value: Value?, forColumn column: String) {
        if !isUnique() { contents = contents.copy() }
        contents.set(column, Result { try value?.bindingValue() ?? .null })
    }

    /// The value of a column, or nil if it was not set, is NULL, or can't be converted to the type.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        get { databaseValue(forColumn: column).flatMap { Value.fromDatabaseValue($0) } }
        set { set(newValue, forColumn: column) }
    }

    /// The value of a column, or nil if it was not set, is NULL, or can't be converted to the type.
    @inlinable
    public subscript<Value: DatabaseValueConvertible>(_ column: some NamedColumn) -> Value? {
        get { self[column.name] }
        set { set(newValue, forColumn: column.name) }
    }

    /// The value of a column, or nil if it was not set.
    @_disfavoredOverload
    public subscript(_ column: String) -> (any DatabaseValueConvertible)? {
        get { databaseValue(forColumn: column) }
        set { setAny(newValue, forColumn: column) }
    }

    /// The value of a column, or nil if it was not set.
    @_disfavoredOverload
    public subscript(_ column: some NamedColumn) -> (any DatabaseValueConvertible)? {
        get { databaseValue(forColumn: column.name) }
        set { setAny(newValue, forColumn: column.name) }
    }

    /// The columns that were set again: the position of each, and the name of its later value, which may differ by case.
    package var repeatedColumns: [(position: Int, name: String)] { contents.state.pointee.repeatedColumns }

    /// The number of ``repeatedColumns``.
    @inlinable
    package var repetitionCount: Int { contents.state.pointee.repetitionCount }

    private mutating func setAny(_ value: (any DatabaseValueConvertible)?, forColumn column: String) {
        if let value {
            func set(_ value: some DatabaseValueConvertible) { self.set(value, forColumn: column) }
            set(value)
        } else {
            set(DatabaseValue?.none, forColumn: column)
        }
    }

    /// The stored value of a column, or nil if it was not set.
    public func databaseValue(forColumn column: String) -> DatabaseValue? {
        contents.completeValues()
        return contents.index(of: column).map { contents.state.pointee.slots[$0].value }
    }
}

/// The place of a column in the containers of one layout.
@usableFromInline
package struct ColumnPlace {
    /// The number of the layout; one that no layout has, if the place is not known.
    @usableFromInline var layout = -1
    @usableFromInline var position = 0

    /// Makes a place that is not known.
    @inlinable
    package init() {}
}

extension PersistenceContainer: RandomAccessCollection {
    /// The position of a column.
    public typealias Index = Int

    /// The first position.
    public var startIndex: Int { 0 }

    /// The position after the last column.
    @inlinable
    public var endIndex: Int { contents.state.pointee.position }

    /// The name and the value of a column, in the order in which the columns were set.
    public subscript(position: Int) -> (String, DatabaseValue) {
        precondition(indices.contains(position), "The container has no column at this position.")
        contents.completeValues()
        let slot = contents.state.pointee.slots[position]
        return (slot.name, slot.value)
    }
}
