import ValueConversion

/// The first elements of a cursor: what ``Cursor/prefix(_:)`` returns.
public final class PrefixCursor<Base: Cursor>: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element

    @usableFromInline var base: Base?
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, maximumLength: Int) {
        self.base = maximumLength > 0 ? base : nil
        remaining = maximumLength
    }

    /// The next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> Element? {
        guard let base else { return nil }
        remaining -= 1
        // The last element may be a row: what produces it must stay until another one is asked for.
        guard remaining >= 0, let element = try base.next() else {
            self.base = nil
            return nil
        }
        return element
    }
}

/// The elements of a cursor up to the first that a predicate refuses: what ``Cursor/prefix(while:)`` returns.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element

    @usableFromInline var base: Base?
    @usableFromInline let predicate: (Element) throws -> Bool

    @inlinable
    init(_ base: Base, _ predicate: @escaping (Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// The next element, or nil after the last one that the predicate accepts.
    ///
    /// - Throws: the error of the cursor, or of the predicate. There are no more elements after it.
    @inlinable
    public func next() throws -> Element? {
        guard let base else { return nil }
        do {
            if let element = try base.next(), try predicate(element) { return element }
        } catch {
            self.base = nil
            throw error
        }
        self.base = nil
        return nil
    }
}

/// The elements of a cursor without the first ones: what ``Cursor/dropFirst(_:)`` returns.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element

    @usableFromInline let base: Base
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, count: Int) {
        self.base = base
        remaining = count
    }

    /// The next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> Element? {
        while remaining > 0 {
            remaining -= 1
            if try base.next() == nil {
                remaining = 0
                return nil
            }
        }
        return try base.next()
    }
}

/// The elements of a cursor from the first on that a predicate refuses: what ``Cursor/drop(while:)`` returns.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element

    @usableFromInline var base: Base?
    @usableFromInline let predicate: (Element) throws -> Bool
    @usableFromInline var isDropping = true

    @inlinable
    init(_ base: Base, _ predicate: @escaping (Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// The next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the predicate. There are no more elements after it.
    @inlinable
    public func next() throws -> Element? {
        guard let base else { return nil }
        do {
            while let element = try base.next() {
                if isDropping, try predicate(element) { continue }
                isDropping = false
                return element
            }
        } catch {
            self.base = nil
            throw error
        }
        self.base = nil
        return nil
    }
}

extension Cursor {
    /// A cursor of the first elements.
    ///
    /// - Parameter maximumLength: how many elements at most; none when it is negative.
    @inlinable
    public func prefix(_ maximumLength: Int) -> PrefixCursor<Self> {
        PrefixCursor(self, maximumLength: maximumLength)
    }

    /// A cursor of the elements up to the first that a predicate refuses, without that one.
    @inlinable
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }

    /// A cursor of all elements but the first ones.
    ///
    /// - Parameter count: how many elements are left out; none when it is negative.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> DropFirstCursor<Self> {
        DropFirstCursor(self, count: count)
    }

    /// A cursor of the elements from the first on that a predicate refuses.
    @inlinable
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// All elements but the last ones.
    ///
    /// A cursor of rows is to be mapped first, as all its elements are one object: `rows.map { $0.copy() }.dropLast()`.
    ///
    /// - Parameter count: how many elements are left out; none when it is negative.
    /// - Throws: the error of the cursor.
    @inlinable
    public func dropLast(_ count: Int = 1) throws -> [Element] {
        var elements = try Array(self)
        elements.removeLast(Swift.min(Swift.max(count, 0), elements.count))
        return elements
    }

    /// The last elements.
    ///
    /// A cursor of rows is to be mapped first, as all its elements are one object: `rows.map { $0.copy() }.suffix(10)`.
    ///
    /// - Parameter maximumLength: how many elements at most; none when it is negative.
    /// - Throws: the error of the cursor.
    /// - Complexity: O(n) in time; the memory is that of `maximumLength` elements.
    @inlinable
    public func suffix(_ maximumLength: Int) throws -> [Element] {
        guard maximumLength > 0 else {
            try forEach { _ in }
            return []
        }
        // A ring: the oldest element makes room for the newest.
        var ring: [Element] = []
        var start = 0
        while let element = try next() {
            if ring.count < maximumLength {
                ring.append(element)
            } else {
                ring[start] = element
                start = (start + 1) % maximumLength
            }
        }
        return Array(ring[start...] + ring[..<start])
    }
}
