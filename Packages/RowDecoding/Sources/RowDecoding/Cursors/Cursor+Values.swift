import ValueConversion

// Methods that consume a cursor and return one value. Methods that stop early leave the remaining elements in the cursor.

extension Cursor {
    /// Whether the cursor has no more elements. Reading this property consumes the next element, if there is one.
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Returns whether an element satisfies a predicate. Consumes the elements up to that one.
    ///
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// Returns the first element that satisfies a predicate, or nil. Consumes the elements up to that one.
    ///
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func first(where predicate: (Element) throws -> Bool) throws -> Element? {
        while let element = try next() {
            if try predicate(element) { return element }
        }
        return nil
    }

    /// Combines all elements.
    ///
    /// ```swift
    /// let total = try Int.fetchCursor(db, sql: "SELECT score FROM player").reduce(0, +)
    /// ```
    ///
    /// - Parameters:
    ///   - initialResult: the result when there are no elements.
    ///   - nextPartialResult: combines the result so far with an element.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        try forEach { result = try nextPartialResult(result, $0) }
        return result
    }

    /// Combines all elements, changing the result in place.
    ///
    /// - Parameters:
    ///   - initialResult: the result when there are no elements.
    ///   - updateAccumulatingResult: adds an element to the result so far.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        try forEach { try updateAccumulatingResult(&result, $0) }
        return result
    }

    /// Returns the least element, or nil when there are none. Of several equal elements, it returns the first.
    ///
    /// Copy the rows of a ``RowCursor`` first, because it reuses one row object.
    ///
    /// - Parameter areInIncreasingOrder: returns whether its first argument is less than its second one.
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder($0, result) { result = $0 } }
        return result
    }

    /// Returns the greatest element, or nil when there are none. Of several equal elements, it returns the first.
    ///
    /// Copy the rows of a ``RowCursor`` first, because it reuses one row object.
    ///
    /// - Parameter areInIncreasingOrder: returns whether its first argument is less than its second one.
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        try forEach { if try areInIncreasingOrder(result, $0) { result = $0 } }
        return result
    }
}

extension Cursor where Element: Equatable {
    /// Returns whether the cursor contains an element. Consumes the elements up to that one.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func contains(_ element: Element) throws -> Bool {
        try contains { $0 == element }
    }
}

extension Cursor where Element: Comparable {
    /// Returns the least element, or nil when there are none. Of several equal elements, it returns the first.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func min() throws -> Element? {
        try min(by: <)
    }

    /// Returns the greatest element, or nil when there are none. Of several equal elements, it returns the first.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func max() throws -> Element? {
        try max(by: <)
    }
}

extension Cursor where Element: StringProtocol {
    /// Returns the concatenation of all strings.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player")
    ///     .joined(separator: ", ")
    /// ```
    ///
    /// - Parameter separator: a string to insert between the strings.
    /// - Throws: the error of the cursor.
    public func joined(separator: String = "") throws -> String {
        guard let first = try next() else { return "" }
        return try reduce(into: String(first)) { text, element in
            text += separator
            text += element
        }
    }
}
