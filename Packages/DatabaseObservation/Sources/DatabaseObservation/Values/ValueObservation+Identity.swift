import SQLiteDriver

/// What makes two observations of a database the same.
struct ObservationIdentity: Hashable, Sendable {
    private let id: any Hashable & Sendable
    private let type: ObjectIdentifier

    init(_ id: any Hashable & Sendable, _ type: Any.Type) {
        self.id = id
        self.type = ObjectIdentifier(type)
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.type == rhs.type && AnyHashable(lhs.id) == AnyHashable(rhs.id)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(AnyHashable(id))
    }
}

/// The observation that others share, and its identity.
struct SharedSource<Value: Sendable>: Sendable {
    let identity: ObservationIdentity
    let start: @Sendable (_ reader: any DatabaseReader, _ sink: ValueSink<Value>, _ isImmediate: Bool) -> AnyDatabaseCancellable
}

extension ValueReducers {
    /// Delivers the values of an observation that others may share.
    public struct Identified<Base: ValueReducer>: ValueReducer {
        let base: Base

        /// True: the value is what was fetched.
        public static var _isIdentity: Bool { true }

        /// Fetches a value from the database.
        public func _fetch(_ db: Database) throws -> Base.Value {
            var base = base
            guard let value = try base._value(base._fetch(db)) else {
                throw DatabaseError(resultCode: .SQLITE_ERROR, message: "an observation has no first value")
            }
            return value
        }

        /// Returns the value.
        public func _value(_ fetched: Base.Value) -> Base.Value? { fetched }
    }
}

extension ValueObservation {
    /// Returns an observation that shares its fetches with others of the same identity.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try playerNames(db) }
    ///     .identified(by: "playerNames")
    /// ```
    ///
    /// Observations that are identified by equal values, have the same type of values, and observe the same database share one fetch
    /// after each change. Make sure that they fetch the same: the closure of one of them runs. What follows, such as ``map(_:)`` and the
    /// scheduler, is each observation's own.
    ///
    /// An observation that starts while others have a value already gets that value, without a fetch. With `.immediate`, an observation
    /// shares nothing, as it does not wait for a fetch that others have begun.
    ///
    /// - Parameter id: the identity.
    public func identified(by id: some Hashable & Sendable) -> ValueObservation<ValueReducers.Identified<Reducer>> {
        let base = self
        let makeReducer = makeReducer
        var observation = ValueObservation<ValueReducers.Identified<Reducer>>(tracking: tracking) {
            ValueReducers.Identified(base: makeReducer())
        }
        observation.requiresWriteAccess = requiresWriteAccess
        observation.source = SharedSource<Reducer.Value>(identity: ObservationIdentity(id, Reducer.Value.self)) {
            reader, sink, isImmediate in
            base.observe(reader, sink, isImmediate: isImmediate)
        }
        return observation
    }

    /// Starts the observation with the fetches of those that are the same.
    func observe(
        _ reader: some DatabaseReader, _ database: ObservedDatabase, sharing source: SharedSource<Reducer.Fetched>,
        _ sink: ValueSink<Reducer.Value>, isImmediate: Bool
    ) -> AnyDatabaseCancellable {
        let broadcast = database.sharedObservations.withLock { all in
            if let broadcast = all[source.identity]?.object as? ValueBroadcast<Reducer.Fetched> { return broadcast }
            all = all.filter { $0.value.object != nil }
            let broadcast = ValueBroadcast<Reducer.Fetched>(isKeptRunning: false) { [weak database] sink, isImmediate in
                withExtendedLifetime(database) { source.start(reader, sink, isImmediate) }
            }
            all[source.identity] = WeakReference(broadcast)
            return broadcast
        }
        let observer = SharedFetchObserver(self, sink)
        observer.start(broadcast, isImmediate: isImmediate)
        return AnyDatabaseCancellable { observer.cancel() }
    }
}
