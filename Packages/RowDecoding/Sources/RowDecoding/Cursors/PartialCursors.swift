import ValueConversion

/// The first elements of a cursor. ``Cursor/prefix(_:)`` returns it.
public final class PrefixCursor<Base: Cursor>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, maximumLength: Int) {
        self.base = maximumLength > 0 ? base : nil
        remaining = maximumLength
    }

    /// Returns the next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> Base.Element? {
        guard let base else { return nil }
        remaining -= 1
        // The last element may be a row, so the base cursor must live until the next call.
        guard remaining >= 0, let element = try base.next() else {
            self.base = nil
            return nil
        }
        return element
    }
}

/// The elements of a cursor up to the first one that does not satisfy a predicate. ``Cursor/prefix(while:)`` returns it.
public final class PrefixWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline let predicate: (Base.Element) throws -> Bool

    @inlinable
    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Returns the next element, or nil after the last one that satisfies the predicate.
    ///
    /// - Throws: the error of the cursor, or of the predicate. After an error of the predicate, the cursor has ended.
    @inlinable
    public func next() throws -> Base.Element? {
        guard let element = try base?.next() else {
            base = nil
            return nil
        }
        do {
            if try predicate(element) { return element }
        } catch {
            base = nil
            throw error
        }
        base = nil
        return nil
    }
}

/// The elements of a cursor without the first ones. ``Cursor/dropFirst(_:)`` returns it.
public final class DropFirstCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var remaining: Int

    @inlinable
    init(_ base: Base, count: Int) {
        self.base = base
        remaining = count
    }

    /// Returns the next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> Base.Element? {
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

/// The elements of a cursor, starting with the first one that does not satisfy a predicate. ``Cursor/drop(while:)`` returns it.
public final class DropWhileCursor<Base: Cursor>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline let predicate: (Base.Element) throws -> Bool
    @usableFromInline var isDropping = true

    @inlinable
    init(_ base: Base, _ predicate: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.predicate = predicate
    }

    /// Returns the next element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the predicate. After an error of the predicate, the cursor has ended.
    @inlinable
    public func next() throws -> Base.Element? {
        while let element = try base?.next() {
            do {
                if isDropping, try predicate(element) { continue }
            } catch {
                base = nil
                throw error
            }
            isDropping = false
            return element
        }
        base = nil
        return nil
    }
}

extension Cursor {
    /// Returns a cursor of the first elements.
    ///
    /// - Parameter maximumLength: the maximum number of elements; 0 when it is negative.
    @inlinable
    public func prefix(_ maximumLength: Int) -> PrefixCursor<Self> {
        PrefixCursor(self, maximumLength: maximumLength)
    }

    /// Returns a cursor of the elements up to the first one that does not satisfy a predicate, without that one.
    @inlinable
    public func prefix(while predicate: @escaping (Element) throws -> Bool) -> PrefixWhileCursor<Self> {
        PrefixWhileCursor(self, predicate)
    }

    /// Returns a cursor of all elements but the first ones.
    ///
    /// - Parameter count: the number of elements to skip, by default one; 0 when it is negative.
    @inlinable
    public func dropFirst(_ count: Int = 1) -> DropFirstCursor<Self> {
        DropFirstCursor(self, count: count)
    }

    /// Returns a cursor of the elements, starting with the first one that does not satisfy a predicate.
    @inlinable
    public func drop(while predicate: @escaping (Element) throws -> Bool) -> DropWhileCursor<Self> {
        DropWhileCursor(self, predicate)
    }

    /// Returns all elements but the last ones.
    ///
    /// Copy the rows of a ``RowCursor`` first, because it reuses one row object: `rows.map { $0.copy() }.dropLast()`.
    ///
    /// - Parameter count: the number of elements to skip, by default one; 0 when it is negative.
    /// - Throws: the error of the cursor.
    @inlinable
    public func dropLast(_ count: Int = 1) throws -> [Element] {
        var elements = try Array(self)
        elements.removeLast(Swift.min(Swift.max(count, 0), elements.count))
        return elements
    }

    /// Returns the last elements.
    ///
    /// Copy the rows of a ``RowCursor`` first, because it reuses one row object: `rows.map { $0.copy() }.suffix(10)`.
    ///
    /// - Parameter maximumLength: the maximum number of elements; 0 when it is negative.
    /// - Throws: the error of the cursor.
    /// - Complexity: O(n) in time, with memory for `maximumLength` elements.
    @inlinable
    public func suffix(_ maximumLength: Int) throws -> [Element] {
        guard maximumLength > 0 else {
            try forEach { _ in }
            return []
        }
        // A ring buffer: the newest element replaces the oldest.
        var ring: [Element] = []
        var start = 0
        try forEach { element in
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
