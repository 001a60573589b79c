import ValueConversion

/// A type-erased cursor, which wraps another cursor, a sequence, or a closure.
///
/// ```swift
/// let numbers = AnyCursor([1, 2, 3])
/// ```
public final class AnyCursor<Element>: Cursor {
    /// Produces the next element. It is nil after the last element, so that the closure releases what it captures.
    private var produce: (() throws -> Element?)?

    /// Visits the remaining elements of a wrapped cursor.
    private var visit: (((Element) throws -> Void) throws -> Void)?

    /// Creates a cursor from a closure.
    ///
    /// - Parameter next: returns the next element, or nil after the last one. It is not called again after nil, or after it has
    ///   thrown an error.
    public init(_ next: @escaping () throws -> Element?) {
        produce = next
    }

    /// Creates a cursor that wraps another cursor.
    public convenience init<Base: Cursor>(_ base: Base) where Base.Element == Element {
        self.init { try base.next() }
        visit = { try base.forEach($0) }
    }

    /// Creates a cursor over a sequence's elements.
    public convenience init<Base: Sequence>(_ sequence: Base) where Base.Element == Element {
        self.init(iterator: sequence.makeIterator())
    }

    /// Creates a cursor over the remaining elements of an iterator.
    public convenience init<Base: IteratorProtocol>(iterator: Base) where Base.Element == Element {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// Returns the next element, or nil after the last one.
    ///
    /// - Throws: the error of the wrapped cursor or closure.
    public func next() throws -> Element? {
        do {
            if let element = try produce?() { return element }
        } catch {
            // A wrapped cursor may throw its error again.
            if visit == nil { produce = nil }
            throw error
        }
        produce = nil
        visit = nil
        return nil
    }

    /// Calls a closure with each remaining element.
    public func forEach(_ body: (Element) throws -> Void) throws {
        guard let visit else {
            while let element = try next() { try body(element) }
            return
        }
        try visit(body)
        produce = nil
        self.visit = nil
    }
}
