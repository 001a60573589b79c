/// The way from what an observation fetches to the value that it delivers.
///
/// Programs don't implement this protocol: they get reducers from ``ValueObservation/tracking(_:)`` and from the methods that change
/// an observation, such as ``ValueObservation/map(_:)``. The name appears in the types of observations:
///
/// ```swift
/// let count: ValueObservation<ValueReducers.Fetch<Int>> =
///     ValueObservation.tracking { db in try countPlayers(db) }
/// ```
public protocol ValueReducer<Value>: Sendable {
    /// What the observation fetches from the database.
    associatedtype Fetched: Sendable

    /// What the observation delivers.
    associatedtype Value: Sendable

    /// Whether `_value(_:)` returns the fetched value itself.
    static var _isIdentity: Bool { get }

    /// Fetches from the database.
    func _fetch(_ db: Database) throws -> Fetched

    /// Returns the value to deliver, or nil for none. It is called once for each fetch, in their order, outside database accesses.
    mutating func _value(_ fetched: Fetched) throws -> Value?
}

extension ValueReducer {
    /// Whether `_value(_:)` returns the fetched value itself.
    public static var _isIdentity: Bool { false }
}

/// The reducers of observations.
public enum ValueReducers {
    /// Delivers what a closure fetches.
    public struct Fetch<Value: Sendable>: ValueReducer {
        let fetch: @Sendable (Database) throws -> Value

        /// True: the value is what was fetched.
        public static var _isIdentity: Bool { true }

        /// Fetches from the database.
        public func _fetch(_ db: Database) throws -> Value { try fetch(db) }

        /// Returns the value to deliver, or nil for none.
        public func _value(_ fetched: Value) -> Value? { fetched }
    }

    /// Transforms the values of another reducer.
    public struct Map<Base: ValueReducer, Value: Sendable>: ValueReducer {
        var base: Base
        let transform: @Sendable (Base.Value) throws -> Value

        /// Fetches from the database.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the value to deliver, or nil for none.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Value? { try base._value(fetched).map(transform) }
    }

    /// Skips values that equal the previous one.
    public struct RemoveDuplicates<Base: ValueReducer>: ValueReducer {
        var base: Base
        let predicate: @Sendable (Base.Value, Base.Value) -> Bool
        var previous: Base.Value?

        /// Fetches from the database.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the value to deliver, or nil for none.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            guard let value = try base._value(fetched) else { return nil }
            if let previous, predicate(previous, value) { return nil }
            previous = value
            return value
        }
    }

    /// Calls a closure with each value.
    public struct Trace<Base: ValueReducer>: ValueReducer {
        var base: Base
        let didReceiveValue: @Sendable (Base.Value) -> Void

        /// Fetches from the database.
        public func _fetch(_ db: Database) throws -> Base.Fetched { try base._fetch(db) }

        /// Returns the value to deliver, or nil for none.
        public mutating func _value(_ fetched: Base.Fetched) throws -> Base.Value? {
            let value = try base._value(fetched)
            if let value { didReceiveValue(value) }
            return value
        }
    }
}
