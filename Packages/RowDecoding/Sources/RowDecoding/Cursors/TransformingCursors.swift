import ValueConversion

// Cursors let go of the one that they are based on at their end, and at an error: then nothing that is theirs keeps a query
// running.

/// The elements of a cursor, transformed: what ``Cursor/map(_:)`` returns.
public final class MapCursor<Base: Cursor, Element>: Cursor {
    @usableFromInline var base: Base?
    @usableFromInline let transform: (Base.Element) throws -> Element

    @inlinable
    init(_ base: Base, _ transform: @escaping (Base.Element) throws -> Element) {
        self.base = base
        self.transform = transform
    }

    /// The next transformed element, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the closure. There are no more elements after it.
    @inlinable
    public func next() throws -> Element? {
        guard let base else { return nil }
        do {
            if let element = try base.next() { return try transform(element) }
        } catch {
            self.base = nil
            throw error
        }
        self.base = nil
        return nil
    }
}

/// Those elements of a cursor that a predicate accepts: what ``Cursor/filter(_:)`` returns.
public final class FilterCursor<Base: Cursor>: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element

    @usableFromInline var base: Base?
    @usableFromInline let isIncluded: (Element) throws -> Bool

    @inlinable
    init(_ base: Base, _ isIncluded: @escaping (Element) throws -> Bool) {
        self.base = base
        self.isIncluded = isIncluded
    }

    /// The next element that the predicate accepts, or nil after the last one.
    ///
    /// - Throws: the error of the cursor, or of the predicate. There are no more elements after it.
    @inlinable
    public func next() throws -> Element? {
        guard let base else { return nil }
        do {
            while let element = try base.next() {
                if try isIncluded(element) { return element }
            }
        } catch {
            self.base = nil
            throw error
        }
        self.base = nil
        return nil
    }
}

/// The elements of the cursors that a cursor produces, one after the other: what ``Cursor/joined()`` and ``Cursor/flatMap(_:)``
/// return.
public final class FlattenCursor<Base: Cursor>: Cursor where Base.Element: Cursor {
    /// What the cursor produces.
    public typealias Element = Base.Element.Element

    @usableFromInline var base: Base?
    @usableFromInline var segment: Base.Element?

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    /// The next element, or nil after the last one of the last cursor.
    ///
    /// - Throws: the error of one of the cursors. There are no more elements after it.
    @inlinable
    public func next() throws -> Element? {
        do {
            while true {
                if let segment {
                    if let element = try segment.next() { return element }
                    self.segment = nil
                }
                guard let base else { return nil }
                segment = try base.next()
                if segment == nil { self.base = nil }
            }
        } catch {
            segment = nil
            self.base = nil
            throw error
        }
    }
}

/// The elements of a cursor with their numbers: what ``Cursor/enumerated()`` returns.
public final class EnumeratedCursor<Base: Cursor>: Cursor {
    /// A number, from 0, and an element.
    public typealias Element = (Int, Base.Element)

    @usableFromInline let base: Base
    @usableFromInline var count = 0

    @inlinable
    init(_ base: Base) {
        self.base = base
    }

    /// The next element with its number, or nil after the last one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func next() throws -> (Int, Base.Element)? {
        guard let element = try base.next() else { return nil }
        defer { count += 1 }
        return (count, element)
    }
}

extension Cursor {
    /// A cursor of transformed elements.
    ///
    /// ```swift
    /// let names = try Player.fetchCursor(db, sql: "SELECT * FROM player").map { $0.name }
    /// ```
    ///
    /// - Parameter transform: makes an element of one of this cursor. An error that it throws ends the new cursor.
    @inlinable
    public func map<Mapped>(_ transform: @escaping (Element) throws -> Mapped) -> MapCursor<Self, Mapped> {
        MapCursor(self, transform)
    }

    /// A cursor of the elements that a predicate accepts.
    ///
    /// - Parameter isIncluded: says whether an element is produced. An error that it throws ends the new cursor.
    @inlinable
    public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> FilterCursor<Self> {
        FilterCursor(self, isIncluded)
    }

    /// A cursor of those transformed elements that are not nil.
    ///
    /// - Parameter transform: makes an element of one of this cursor, or nil. An error that it throws ends the new cursor.
    @inlinable
    public func compactMap<Mapped>(
        _ transform: @escaping (Element) throws -> Mapped?
    ) -> MapCursor<FilterCursor<MapCursor<Self, Mapped?>>, Mapped> {
        map(transform).filter { $0 != nil }.map { $0! }
    }

    /// A cursor of the elements of the sequences that a closure makes of this cursor's elements.
    @inlinable
    public func flatMap<Segment: Sequence>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, AnyCursor<Segment.Element>>> {
        FlattenCursor(map { AnyCursor(try transform($0)) })
    }

    /// A cursor of the elements of the cursors that a closure makes of this cursor's elements.
    @inlinable
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<Self, Segment>> {
        FlattenCursor(map(transform))
    }

    /// A cursor of numbers and elements: 0 with the first one, 1 with the second one, and so on.
    @inlinable
    public func enumerated() -> EnumeratedCursor<Self> {
        EnumeratedCursor(self)
    }
}

extension Cursor where Element: Cursor {
    /// A cursor of the elements of this cursor's cursors, one after the other.
    @inlinable
    public func joined() -> FlattenCursor<Self> {
        FlattenCursor(self)
    }
}

extension Cursor where Element: Sequence {
    /// A cursor of the elements of this cursor's sequences, one after the other.
    @inlinable
    public func joined() -> FlattenCursor<MapCursor<Self, AnyCursor<Element.Element>>> {
        flatMap { $0 }
    }
}

extension Sequence {
    /// A cursor of the elements of the cursors that a closure makes of this sequence's elements.
    ///
    /// ```swift
    /// let players = teamIDs.flatMap { id in
    ///     try Player.fetchCursor(db, sql: "SELECT * FROM player WHERE teamID = ?", arguments: [id])
    /// }
    /// ```
    @inlinable
    public func flatMap<Segment: Cursor>(
        _ transform: @escaping (Element) throws -> Segment
    ) -> FlattenCursor<MapCursor<AnyCursor<Element>, Segment>> {
        AnyCursor(self).flatMap(transform)
    }
}
