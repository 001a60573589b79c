import ValueConversion

// The loops of all fetches. They are inlined into the program, so that the compiler specialises them for the closure that creates an
// element from a row.

extension Database {
    /// Returns the cached statement of a fetch.
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
    do {
        // The row is released before the run ends. A row that is still in use is replaced by a new row, which looks up its columns again.
        guard let result = try iteration.next().map(element) else { return nil }
        try iteration.finish()
        return result
    } catch {
        iteration.stop()
        throw error
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
    try fetchOne(statement, nil, nil) { try element($0) }
}
