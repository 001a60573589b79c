import ValueConversion

/// A sequence of elements that are produced one by one, each of which may fail.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() {
///     print(player.name)
/// }
/// ```
///
/// A cursor over a query's results belongs to the database access in which it was made, and must not be used after it. Once
/// it has thrown an error, or come to its end, it has no more elements.
public protocol Cursor<Element>: AnyObject {
    /// What the cursor produces.
    associatedtype Element

    /// The next element, or nil after the last one.
    func next() throws -> Element?

    /// Calls a closure with each element that is left.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls a closure with each element that is left.
    ///
    /// - Throws: the cursor's error, or the closure's.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }
}

extension Array {
    /// Makes an array of the elements that a cursor has left.
    ///
    /// - Throws: the cursor's error.
    @inlinable
    public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
        self.init()
        while let element = try cursor.next() {
            append(element)
        }
    }
}

extension Set {
    /// Makes a set of the elements that a cursor has left.
    ///
    /// - Throws: the cursor's error.
    @inlinable
    public init<C: Cursor>(_ cursor: C) throws where C.Element == Element {
        self.init()
        while let element = try cursor.next() {
            insert(element)
        }
    }
}

/// A cursor over the results of a statement.
public protocol DatabaseCursor<Element>: Cursor {
    /// The statement whose results these are.
    var statement: Statement { get }
}

extension DatabaseCursor {
    /// The SQL of the query.
    public var sql: String { statement.sql }

    /// The arguments of the query.
    public var arguments: StatementArguments { statement.arguments }

    /// The number of columns of the query's results.
    public var columnCount: Int { statement.columnCount }

    /// The names of the columns of the query's results.
    public var columnNames: [String] { statement.columnNames }
}
