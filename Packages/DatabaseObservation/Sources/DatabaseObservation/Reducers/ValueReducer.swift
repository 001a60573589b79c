/// A transformation of fetched values into the values that an observation delivers.
///
/// Programs don't implement this protocol: they get reducers from ``ValueObservation/tracking(_:)`` and from the methods that change
/// an observation, such as ``ValueObservation/map(_:)``. The name appears in the types of observations:
///
/// ```swift
/// let count: ValueObservation<ValueReducers.Fetch<Int>> =
///     ValueObservation.tracking { db in try countPlayers(db) }
/// ```
public protocol ValueReducer<Value>: Sendable {
    /// The type that the observation fetches from the database.
    associatedtype Fetched: Sendable

    /// The type that the observation delivers.
    associatedtype Value: Sendable
}

/// The requirements of reducers.
///
/// They are not in ``ValueReducer``, where programs would see them.
protocol Reducing<Fetched, Value>: ValueReducer {
    /// Whether ``value(_:)`` returns the fetched value itself.
    var isIdentity: Bool { get }

    /// Fetches from the database.
    func fetch(_ db: Database) throws -> Fetched

    /// Returns the value to deliver, or nil for none. It is called once for each fetch, in their order, outside database accesses.
    mutating func value(_ fetched: Fetched) throws -> Value?
}

extension Reducing {
    var isIdentity: Bool { false }
}

/// The reducers of observations.
public enum ValueReducers {
    /// Delivers the values that a closure fetches.
    public struct Fetch<Value: Sendable>: ValueReducer {
        /// The type that the closure fetches.
        public typealias Fetched = Value

        let fetch: @Sendable (Database) throws -> Value
    }

    /// Transforms the values of another reducer.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        /// The type that the other reducer fetches.
        public typealias Fetched = Base.Fetched

        var base: any Reducing<Base.Fetched, Base.Value>
        let transform: @Sendable (Base.Value) throws -> Value
    }

    /// Skips values that equal the previous one.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        /// The type that the other reducer fetches.
        public typealias Fetched = Base.Fetched
        /// The type that the other reducer delivers.
        public typealias Value = Base.Value

        var base: any Reducing<Base.Fetched, Base.Value>
        let predicate: @Sendable (Base.Value, Base.Value) -> Bool
        var previous: Base.Value?
    }

    /// Calls a closure with each value.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        /// The type that the other reducer fetches.
        public typealias Fetched = Base.Fetched
        /// The type that the other reducer delivers.
        public typealias Value = Base.Value

        var base: any Reducing<Base.Fetched, Base.Value>
        let didReceiveValue: @Sendable (Base.Value) -> Void
    }
}

extension ValueReducers.Fetch: Reducing {
    var isIdentity: Bool { true }
    func fetch(_ db: Database) throws -> Value { try fetch(db) }
    func value(_ fetched: Value) -> Value? { fetched }
}

extension ValueReducers.Map: Reducing {
    func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }
    mutating func value(_ fetched: Base.Fetched) throws -> Value? { try base.value(fetched).map(transform) }
}

extension ValueReducers.RemoveDuplicates: Reducing {
    func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    mutating func value(_ fetched: Base.Fetched) throws -> Base.Value? {
        guard let value = try base.value(fetched) else { return nil }
        if let previous, predicate(previous, value) { return nil }
        previous = value
        return value
    }
}

extension ValueReducers.Trace: Reducing {
    func fetch(_ db: Database) throws -> Base.Fetched { try base.fetch(db) }

    mutating func value(_ fetched: Base.Fetched) throws -> Base.Value? {
        let value = try base.value(fetched)
        if let value { didReceiveValue(value) }
        return value
    }
}
