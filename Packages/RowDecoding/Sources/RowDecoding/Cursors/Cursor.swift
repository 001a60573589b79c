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
/// What sequences have, cursors have too: the methods that return cursors do nothing until elements are asked for, and those that
/// return values consume the cursor.
///
/// ```swift
/// let names = try players.filter { $0.score > 1000 }.map { $0.name }.prefix(10)
/// let best = try Array(names)
/// ```
///
/// A cursor over a query's results belongs to the database access in which it was made, and must not be used after it. Once
/// it has thrown an error, or come to its end, it has no more elements.
public protocol Cursor<Element>: AnyObject {
    /// What the cursor produces.
    associatedtype Element

    /// The next element, or nil after the last one.
    ///
    /// - Throws: whatever keeps the cursor from producing the element. From then on it returns nil.
    func next() throws -> Element?

    /// Calls a closure with each element that is left.
    func forEach(_ body: (Element) throws -> Void) throws
}

extension Cursor {
    /// Calls a closure with each element that is left.
    ///
    /// - Throws: the cursor's error, or the closure's, after which the elements that are left can still be had.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }
}
