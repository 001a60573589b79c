import ValueConversion

// Single values of all elements that a cursor has left. What ends early leaves the rest.

extension Cursor {
    /// Whether the cursor has no more elements. If it has, the next one is consumed.
    public var isEmpty: Bool {
        get throws { try next() == nil }
    }

    /// Whether an element satisfies a predicate. The elements up to that one are consumed.
    ///
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func contains(where predicate: (Element) throws -> Bool) throws -> Bool {
        try first(where: predicate) != nil
    }

    /// The first element that satisfies a predicate, or nil. The elements up to that one are consumed.
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
    ///   - initialResult: the result for no elements.
    ///   - nextPartialResult: makes a new result of the one so far and an element.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        _ initialResult: Result, _ nextPartialResult: (Result, Element) throws -> Result
    ) throws -> Result {
        var result = initialResult
        while let element = try next() {
            result = try nextPartialResult(result, element)
        }
        return result
    }

    /// Combines all elements, changing the result in place.
    ///
    /// - Parameters:
    ///   - initialResult: the result for no elements.
    ///   - updateAccumulatingResult: adds an element to the result so far.
    /// - Throws: the error of the cursor, or of the closure.
    @inlinable
    public func reduce<Result>(
        into initialResult: Result, _ updateAccumulatingResult: (inout Result, Element) throws -> Void
    ) throws -> Result {
        var result = initialResult
        while let element = try next() {
            try updateAccumulatingResult(&result, element)
        }
        return result
    }

    /// The least element, or nil when there are none. Of several, it is the first.
    ///
    /// A cursor of rows is to be mapped first, as all its elements are one object.
    ///
    /// - Parameter areInIncreasingOrder: whether its first argument is less than its second one.
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func min(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(element, result) { result = element }
        }
        return result
    }

    /// The greatest element, or nil when there are none. Of several, it is the first.
    ///
    /// A cursor of rows is to be mapped first, as all its elements are one object.
    ///
    /// - Parameter areInIncreasingOrder: whether its first argument is less than its second one.
    /// - Throws: the error of the cursor, or of the predicate.
    @inlinable
    public func max(by areInIncreasingOrder: (Element, Element) throws -> Bool) throws -> Element? {
        guard var result = try next() else { return nil }
        while let element = try next() {
            if try areInIncreasingOrder(result, element) { result = element }
        }
        return result
    }
}

extension Cursor where Element: Equatable {
    /// Whether an element is equal to a given one. The elements up to that one are consumed.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func contains(_ element: Element) throws -> Bool {
        try contains { $0 == element }
    }
}

extension Cursor where Element: Comparable {
    /// The least element, or nil when there are none. Of several, it is the first.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func min() throws -> Element? {
        try min(by: <)
    }

    /// The greatest element, or nil when there are none. Of several, it is the first.
    ///
    /// - Throws: the error of the cursor.
    @inlinable
    public func max() throws -> Element? {
        try max(by: <)
    }
}

extension Cursor where Element: StringProtocol {
    /// All texts in one.
    ///
    /// ```swift
    /// let names = try String.fetchCursor(db, sql: "SELECT name FROM player").joined(separator: ", ")
    /// ```
    ///
    /// - Parameter separator: is put between the texts.
    /// - Throws: the error of the cursor.
    public func joined(separator: String = "") throws -> String {
        guard let first = try next() else { return "" }
        return try reduce(into: String(first)) { text, element in
            text += separator
            text += element
        }
    }
}
