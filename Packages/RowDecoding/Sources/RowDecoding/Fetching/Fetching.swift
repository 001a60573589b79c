import ValueConversion

// What all fetches share, whatever they make of a row. The loops are inlined into the program, where the closure that makes
// the element is specialised.

extension Database {
    /// The statement of a fetch: one that is kept for the next time.
    @usableFromInline
    func fetchStatement(_ sql: String) throws -> Statement {
        try cachedStatement(sql: sql)
    }
}

@inlinable
func fetchAll<Element>(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
    _ element: (Row) throws -> Element
) throws -> [Element] {
    var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    var elements: [Element] = []
    do {
        while let row = try iteration.next() {
            elements.append(try element(row))
        }
    } catch {
        iteration.stop()
        throw error
    }
    return elements
}

@inlinable
func fetchSet<Element: Hashable>(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
    _ element: (Row) throws -> Element
) throws -> Set<Element> {
    var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    var elements: Set<Element> = []
    do {
        while let row = try iteration.next() {
            elements.insert(try element(row))
        }
    } catch {
        iteration.stop()
        throw error
    }
    return elements
}

@inlinable
func fetchOne<Element>(
    _ statement: Statement, _ arguments: StatementArguments?, _ adapter: (any RowAdapter)?,
    _ element: (Row) throws -> Element?
) throws -> Element? {
    var iteration = try RowIteration(statement, arguments: arguments, adapter: adapter)
    defer { iteration.stop() }
    guard let row = try iteration.next() else { return nil }
    return try element(row)
}

/// The first element of a statement's results: for layers that bind the arguments themselves.
///
/// - Parameters:
///   - statement: a statement whose parameters have their values.
///   - element: makes the element of the first row.
/// - Returns: nil when there is no row.
/// - Throws: ``DatabaseError``, or the closure's error.
@inlinable
public func _fetchFirst<Element>(_ statement: Statement, _ element: (Row) throws -> Element) throws -> Element? {
    try fetchOne(statement, nil, nil) { try element($0) }
}
