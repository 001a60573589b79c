import RowDecoding

extension ValueReducers {
    /// Compares each list with the previous one.
    public struct Changes<Base: ValueReducer, Element: Sendable, ID: Hashable & Sendable>: ValueReducer where Base.Value == [Element] {
        /// The type that the other reducer fetches.
        public typealias Fetched = Base.Fetched
        /// The differences between two lists.
        public typealias Value = ListChanges<Element>

        var base: any Reducing<Base.Fetched, Base.Value>
        let id: @Sendable (Element) -> ID
        let isEqual: @Sendable (Element, Element) -> Bool
        var previous: [Element]?
    }
}

extension ValueReducers.Changes: Reducing {
    func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    /// Returns the changes, or nil if the lists are equal.
    mutating func value(_ fetched: Base.Fetched) throws -> ListChanges<Element>? {
        guard let elements = try base.value(fetched) else { return nil }
        let changes = ListChanges(from: previous ?? [], to: elements, id: id, isEqual: isEqual)
        defer { previous = elements }
        return previous != nil && changes.isEmpty ? nil : changes
    }
}

extension ValueObservation {
    /// Returns an observation of the differences between the fetched lists.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
    ///     .changes()
    /// for try await changes in observation.values(in: pool) {
    ///     for deletion in changes.deletions { print("\(deletion.element.name) has left") }
    ///     for insertion in changes.insertions {
    ///         print("\(insertion.element.name) has come")
    ///     }
    /// }
    /// ```
    ///
    /// The first value is the difference from an empty list. Equal lists don't cause a value. Each value is the difference from the
    /// previous list: a buffering policy that drops values, such as `.bufferingNewest`, breaks this chain.
    /// ``shared(in:scheduling:extent:)`` also breaks it, for subscribers that come later or are slow. To share the fetches of several
    /// observations of changes, call ``identified(by:)`` before.
    ///
    /// - Complexity: O(n) for each value, with n the length of the lists. The differences are computed outside database accesses.
    public func changes<Element: Identifiable & Equatable & Sendable>()
        -> ValueObservation<ValueReducers.Changes<Reducer, Element, Element.ID>> where Reducer.Value == [Element], Element.ID: Sendable
    {
        changes { $0.id }
    }

    /// Returns an observation of the differences between the fetched lists: see ``changes()``.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in try playerNames(db) }
    ///     .changes { name in name }
    /// ```
    ///
    /// - Parameter id: returns the identity of an element.
    public func changes<Element: Equatable & Sendable, ID: Hashable & Sendable>(
        by id: @escaping @Sendable (Element) -> ID
    ) -> ValueObservation<ValueReducers.Changes<Reducer, Element, ID>> where Reducer.Value == [Element] {
        reducing { ValueReducers.Changes(base: $0, id: id, isEqual: ==) }
    }
}
