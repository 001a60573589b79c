import ValueConversion

// The loops of all fetches. They are inlined into the program, so that the compiler specialises them for the type of the elements.

/// Creates the results of fetches from rows: one conformance for records, one for values, and one for rows.
@usableFromInline
protocol ElementDecoding {
    associatedtype Element

    /// Returns the element for a row.
    static func element(_ row: Row) throws -> Element

    /// Returns the result of `fetchOne` for the first row.
    static func firstElement(_ row: Row) throws -> Element?
}

/// Decodes records.
@usableFromInline
enum RecordDecoding<Record: FetchableRecord>: ElementDecoding {
    @inlinable
    static func element(_ row: Row) throws -> Record { try Record(row: row) }
}

/// Decodes values from the leftmost column.
@usableFromInline
enum ValueDecoding<Value: DatabaseValueConvertible>: ElementDecoding {
    @inlinable
    static func element(_ row: Row) throws -> Value { try row.decode(Value.self, atIndex: 0) }

    /// Returns the value, or nil when it is NULL. If the type is an optional, NULL becomes a nil of that type, and a result of nil means
    /// that there is no row.
    @inlinable
    @inline(__always)
    static func firstElement(_ row: Row) throws -> Value? {
        if Value.fromMissingColumn() != nil, Value.isOptional { return try element(row) }
        return try row.decode(Value?.self, atIndex: 0)
    }
}

/// Copies rows.
@usableFromInline
enum RowCopying: ElementDecoding {
    @inlinable
    static func element(_ row: Row) throws -> Row { row.copy() }
}

extension ElementDecoding {
    @inlinable
    static func firstElement(_ row: Row) throws -> Element? { try element(row) }

    // MARK: From statements

    @inlinable
    static func fetchAll(_ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?) throws -> [Element] {
        var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
        var elements: [Element] = []
        while let element = try iteration.next({ try element($0) }) { elements.append(element) }
        return elements
    }

    @inlinable
    static func fetchSet(
        _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?
    ) throws -> Set<Element> where Element: Hashable {
        var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
        var elements: Set<Element> = []
        while let element = try iteration.next({ try element($0) }) { elements.insert(element) }
        return elements
    }

    @inlinable
    static func fetchOne(_ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?) throws -> Element? {
        var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
        return try iteration.only { try firstElement($0) }
    }

    // MARK: From requests

    @inlinable
    static func fetchAll(_ db: Database, _ request: some FetchSource) throws -> [Element] {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) { return try rows.map { try element($0) } }
        return try fetchAll(prepared.statement, nil, prepared.adapter)
    }

    @inlinable
    static func fetchSet(_ db: Database, _ request: some FetchSource) throws -> Set<Element> where Element: Hashable {
        let prepared = try request.makePreparedRequest(db, forSingleResult: false)
        if let rows = try prepared.completeRows(db) { return try Set(rows.map { try element($0) }) }
        return try fetchSet(prepared.statement, nil, prepared.adapter)
    }

    @inlinable
    static func fetchOne(_ db: Database, _ request: some FetchSource) throws -> Element? {
        let prepared = try request.makePreparedRequest(db, forSingleResult: true)
        if let rows = try prepared.completeRows(db, onlyFirst: true) { return try rows.first.flatMap { try firstElement($0) } }
        return try fetchOne(prepared.statement, nil, prepared.adapter)
    }
}

extension Database {
    /// Returns the cached statement of a fetch.
    @usableFromInline
    func fetchStatement(_ sql: String) throws -> Statement {
        try reusedStatement(sql: sql)
    }
}

/// Fetches the first element of a statement's results. It serves layers that bind the arguments themselves.
///
/// - Parameters:
///   - statement: a statement whose arguments are bound.
///   - element: creates the element from the first row.
/// - Returns: the element, or nil when the statement returns no rows.
/// - Throws: ``DatabaseError``, or the closure's error.
@inlinable
package func fetchFirst<Element>(_ statement: Statement, _ element: (Row) throws -> Element) throws -> Element? {
    var iteration = try RowIteration(statement, arguments: nil, adapter: nil)
    return try iteration.only { try element($0) }
}
