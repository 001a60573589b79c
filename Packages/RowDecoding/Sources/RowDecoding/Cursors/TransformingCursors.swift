import ValueConversion

// These cursors release their base cursor at the end, and after an error of their closure, so that they don't keep a query running. They
// keep it after an error of the base cursor, which may throw it again.

/// The elements of a cursor, transformed. ``Cursor/map(_:)`` returns it.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline let transform: (Base.Element) throws -> Element

    @inlinable
    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    /// Returns the next transformed element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the closure. After an error of the closure, the cursor has ended.
    @inlinable
    public func next() throws -> Element? {
        guard let element = try base?.next() else {
            base = nil
            return nil
        }
        do {
            return try transform(element)
        } catch {
            base = nil
            throw error
        }
    }

    /// Calls a closure with each remaining transformed element.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        guard let base else { return }
        try base.forEach { element in
            let transformed: Element
            do {
                transformed = try transform(element)
            } catch {
                self.base = nil
                throw error
            }
            try body(transformed)
        }
        self.base = nil
    }
}

/// The elements of a cursor that satisfy a predicate. ``Cursor/filter(_:)`` returns it.
public final class FilterCursor<Base: Cursor>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline let isIncluded: (Base.Element) throws -> Bool

    @inlinable
    init(_ base: Base, _ isIncluded: @escaping (Base.Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// Returns the next element that satisfies the predicate, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the predicate. After an error of the predicate, the cursor has ended.
    @inlinable
    public func next() throws -> Base.Element? {
        while let element = try base?.next() {
            if try includes(element) { return element }
        }
        base = nil
        return nil
    }

    /// Calls a closure with each remaining element that satisfies the predicate.
    @inlinable
    public func forEach(_ body: (Base.Element) throws -> Void) throws {
        guard let base else { return }
        try base.forEach { if try includes($0) { try body($0) } }
        self.base = nil
    }

    @inlinable
    func includes(_ element: Base.Element) throws -> Bool {
        do {
            return try isIncluded(element)
        } catch {
            base = nil
            throw error
        }
    }
}

/// The elements of the cursors that a cursor produces, one after the other. ``Cursor/joined()`` and ``Cursor/flatMap(_:)`` return it.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline var segment: Base.Element?

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    /// Returns the next element, or nil after the last one of the last cursor.
    ///
    /// - Throws: the error of one of the cursors.
    @inlinable
    public func next() throws -> Base.Element.Element? {
        while true {
            do {
                if let element = try segment?.next() { return element }
            } catch {
                // No other cursor follows a cursor that has failed.
                base = nil
                throw error
            }
            segment = try base?.next()
            if segment == nil {
                base = nil
                return nil
            }
        }
    }
}

/// The numbered elements of a cursor. ``Cursor/enumerated()`` returns it.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    @usableFromInline let base: Base
    @usableFromInline var count = 0

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    /// Returns the next element with its number, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { count += 1 }
        return (count, element)
    }

    /// Calls a closure with each remaining element and its number.
    @inlinable
    public func forEach(_ body: ((Int, Base.Element)) throws -> Void) throws {
        try base.forEach { element in
            defer { count += 1 }
            try body((count, element))
        }
    }
}

extension Cursor {
    /// Returns a cursor of transformed elements.
    ///
    /// ```swift
    /// let names = try Player.fetchCursor(db, sql: "SELECT * FROM player").map { $0.name }
    /// ```
    ///
    /// - Parameter transform: transforms an element. An error that it throws ends the new cursor.
    @inlinable
    public func map<Mapped>(_ transform: @escaping (Element) throws -> Mapped) -> MapCursor<Self, Mapped> {
        MapCursor(self, transform)
    }

    /// Returns a cursor of the elements that satisfy a predicate.
    ///
    /// - Parameter isIncluded: returns whether an element is included. An error that it throws ends the new cursor.
    @inlinable
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// Returns a cursor of the transformed elements that are not nil.
    ///
    /// - Parameter transform: transforms an element, or returns nil. An error that it throws ends the new cursor.
    @inlinable
    public func compactMap<Mapped>(
        _ transform: @escaping (Element) throws -> Mapped?
    ) -> MapCursor<FilterCursor<MapCursor<Self, Mapped?>>, Mapped> {
        map(transform).filter { $0 != nil }.map { $0! }
    }

    /// Returns a cursor of the elements of the sequences that a closure returns for this cursor's elements.
    @inlinable
    public func flatMap<Segment: Sequence>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<Segment.Element>>> {
        FlattenCursor(map { AnyCursor(try transform($0)) })
    }

    /// Returns a cursor of the elements of the cursors that a closure returns for this cursor's elements.
    @inlinable
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, Segment>> {
        FlattenCursor(map(transform))
    }

    /// Returns a cursor of numbers and elements: 0 with the first one, 1 with the second one, and so on.
    @inlinable
    public func enumerated() -> EnumeratedCursor<Self> {
        EnumeratedCursor(self)
    }
}

extension Cursor where Element: Cursor {
    /// Returns a cursor of the elements of this cursor's cursors, one after the other.
    @inlinable
    public func joined() -> FlattenCursor<Self> {
        FlattenCursor(self)
    }
}

extension Cursor where Element: Sequence {
    /// Returns a cursor of the elements of this cursor's sequences, one after the other.
    @inlinable
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap { $0 }
    }
}

extension Sequence {
    /// Returns a cursor of the elements of the cursors that a closure returns for this sequence's elements.
    ///
    /// ```swift
    /// let players = teamIDs.flatMap { id in
    ///     try Player.fetchCursor(
    ///         db, sql: "SELECT * FROM player WHERE teamID = ?", arguments: [id])
    /// }
    /// ```
    @inlinable
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<AnyCursor<Element>, Segment>> {
        AnyCursor(self).flatMap(transform)
    }
}
