import ValueConversion

/// A sequence that produces its elements one by one, and may throw an error instead of an element.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// while let player = try players.next() {
///     print(player.name)
/// }
/// ```
///
/// Cursors have the methods of sequences. Methods that return cursors are lazy; methods that return values consume the cursor.
///
/// ```swift
/// let players = try Player.fetchCursor(db, sql: "SELECT * FROM player")
/// let names = players.filter { $0.score > 1000 }.map { $0.name }.prefix(10)
/// let best = try Array(names)
/// ```
///
/// A cursor over a query's results belongs to the database access in which it was created, and must not be used after that access. It ends
/// with the first error: further calls of ``next()`` throw an error of SQLite again, and return nil after a decoding error.
public protocol Cursor<Element>: AnyObject {
    /// The type of the elements.
    associatedtype Element

    /// Returns the next element, or nil after the last one.
    ///
    /// - Throws: an error when the cursor can't produce the element.
    func next() throws -> Element?

    /// Calls a closure with each remaining element. The methods that consume a cursor call it. Implement it in a cursor that can visit its
    /// elements faster than by calling ``next()``.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls a closure with each remaining element.
    ///
    /// - Throws: the error of the cursor, or of the closure. After an error of the closure, the remaining elements can still be read.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }
}
