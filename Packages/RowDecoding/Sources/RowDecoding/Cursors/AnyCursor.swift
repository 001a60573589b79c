import ValueConversion

/// A cursor that hides which one is behind it, or that is made of a sequence or a closure.
///
/// ```swift
/// let numbers = AnyCursor([1, 2, 3])
/// ```
public final class AnyCursor<Element>: Cursor {
    /// Produces the next element; nil once there are none, so that whatever it holds can go.
    private var produce: (() throws -> Element?)?

    /// Makes a cursor of a closure.
    ///
    /// - Parameter next: returns the next element, or nil after the last one. It is not called again after nil, or after it has
    ///   thrown an error.
    public init(_ next: @escaping () throws -> Element?) {
        produce = next
    }

    /// Makes a cursor that hides another one.
    public convenience init<Base: Cursor>(_ base: Base) where Base.Element == Element {
        self.init { try base.next() }
    }

    /// Makes a cursor of a sequence's elements.
    public convenience init<Base: Sequence>(_ sequence: Base) where Base.Element == Element {
        self.init(iterator: sequence.makeIterator())
    }

    /// Makes a cursor of the elements that an iterator has left.
    public convenience init<Base: IteratorProtocol>(iterator: Base) where Base.Element == Element {
        var iterator = iterator
        self.init { iterator.next() }
    }

    /// The next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor or the closure that is behind this one.
    public func next() throws -> Element? {
        guard let produce else { return nil }
        do {
            if let element = try produce() { return element }
            self.produce = nil
            return nil
        } catch {
            self.produce = nil
            throw error
        }
    }
}
