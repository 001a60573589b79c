import RowDecoding

/// The identity of an observation of a database.
struct ObservationIdentity: Hashable, Sendable {
    private let id: any Hashable & Sendable
    /// The types of the identity and of the values. As `AnyHashable`, 1 and 1.0 are equal.
    private let types: [ObjectIdentifier]

    init(_ id: any Hashable & Sendable, _ type: Any.Type) {
        self.id = id
        types = [ObjectIdentifier(Swift.type(of: id)), ObjectIdentifier(type)]
    }

    static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.types == rhs.types && AnyHashable(lhs.id) == AnyHashable(rhs.id)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(types)
        hasher.combine(AnyHashable(id))
    }
}

/// The observation whose fetches are shared, and its identity.
struct SharedSource<Value: Sendable>: Sendable {
    let identity: Identity
    let start:
        @Sendable (_ reader: any DatabaseReader, _ requiresWriteAccess: Bool, _ sink: ValueSink<Value>, _ isImmediate: Bool)
            -> StartedObservation

    enum Identity: Sendable {
        case known(ObservationIdentity)
        /// Found in the database when the observation starts; nil for an observation that does not share its fetches.
        case found(@Sendable (Database) throws -> ObservationIdentity?)
    }
}

extension ValueReducers {
    /// Delivers the values of an observation whose fetches others may share.
    public struct Identified<Base: ValueReducer>: ValueReducer {
        /// The type that the other reducer delivers.
        public typealias Fetched = Base.Value
        /// The type that the other reducer delivers.
        public typealias Value = Base.Value

        let base: any Reducing<Base.Fetched, Base.Value>
    }
}

extension ValueReducers.Identified: Reducing {
    var isIdentity: Bool { true }

    func fetch(_ db: Database) throws -> Base.Value {
        var base = base
        guard let value = try base.value(base.fetch(db)) else {
            throw DatabaseError(resultCode: .SQLITE_ERROR, message: "the observation has no first value")
        }
        return value
    }

    func value(_ fetched: Base.Value) -> Base.Value? { fetched }
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
    /// Observations that are identified by equal values of one type, have the same type of values, and observe the same database share one
    /// fetch after each change. Make sure that they fetch the same: only one of their closures runs. Later steps, such as ``map(_:)`` and
    /// the scheduler, belong to each observation.
    ///
    /// An observation that starts when others already have a value gets that value, without a fetch, unless a commit may have changed it
    /// since: the first value contains everything that this queue or pool has committed before the observation began. With `.immediate`, an
    /// observation does not share fetches, because it does not wait for a fetch that others have begun.
    ///
    /// - Parameter id: the identity.
    public func identified(by id: some Hashable & Sendable) -> ValueObservation<ValueReducers.Identified<Reducer>> {
        sharing(.known(ObservationIdentity(id, Reducer.Value.self)))
    }

    /// Returns an observation that shares its fetches with others of the same identity, which is found in the database.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try playerNames(db) }
    ///     .identified { db in try sqlOfPlayerNames(db) }
    /// ```
    ///
    /// Use it instead of the other `identified(by:)` for identities that depend on the schema, such as the SQL of a request.
    ///
    /// - Parameter id: returns the identity, in a read before the first fetch, or nil for an observation that does not share fetches. Its
    ///   error ends the observation. It is not called with `.immediate` or for snapshots, which never share fetches.
    public func identified<ID: Hashable & Sendable>(
        by id: @escaping @Sendable (Database) throws -> ID?
    ) -> ValueObservation<ValueReducers.Identified<Reducer>> {
        sharing(.found { db in try id(db).map { ObservationIdentity($0, Reducer.Value.self) } })
    }

    private func sharing(_ identity: SharedSource<Reducer.Value>.Identity) -> ValueObservation<ValueReducers.Identified<Reducer>> {
        let base = self
        let source = SharedSource<Reducer.Value>(identity: identity) { reader, requiresWriteAccess, sink, isImmediate in
            changed(base) { $0.requiresWriteAccess = requiresWriteAccess }.observe(reader, sink, isImmediate: isImmediate)
        }
        return ValueObservation<ValueReducers.Identified<Reducer>>(
            requiresWriteAccess: requiresWriteAccess, tracking: tracking, source: source
        ) {
            [makeReducer] in ValueReducers.Identified<Reducer>(base: makeReducer())
        }
    }

    /// Starts the observation with the fetches of observations with the same identity.
    ///
    /// - Parameter database: the database in which the identity is looked up; nil for separate fetches.
    func observe(
        _ reader: some DatabaseReader, sharing source: SharedSource<Reducer.Fetched>, in database: ObservedDatabase?,
        _ sink: ValueSink<Reducer.Value>, isImmediate: Bool
    ) -> StartedObservation {
        let observer = SharedFetchObserver(self, sink)
        let subscribe = { @Sendable [requiresWriteAccess] (identity: ObservationIdentity?) in
            let broadcast = ValueBroadcast<Reducer.Fetched>.shared(by: identity, in: database) { sink, isImmediate in
                source.start(reader, requiresWriteAccess, sink, isImmediate)
            }
            observer.subscribe(to: broadcast, isImmediate: isImmediate)
        }
        observer.willStart()
        switch source.identity {
        case .found(let find) where database != nil:
            // The fetches inherit the task-local values and the priority of this task, but not its cancellation.
            let task = Task {
                do {
                    subscribe(try await reader.access(AccessRequest(.read, .observation)) { db in try find(db) })
                } catch {
                    // If the observation was cancelled, it has ended already.
                    observer.fail(error)
                }
            }
            return observer.started { task.cancel() }
        case .known(let identity): subscribe(identity)
        case .found: subscribe(nil)
        }
        return observer.started()
    }
}

extension ValueBroadcast {
    /// Returns the broadcast of an identity's fetches, or a new one without an identity or a database.
    fileprivate static func shared(
        by identity: ObservationIdentity?, in database: ObservedDatabase?, start: @escaping Start
    ) -> ValueBroadcast {
        guard let identity, let database else { return ValueBroadcast(of: database, isKeptRunning: false, start: start) }
        return database.sharedObservations.withLock { all in
            if let broadcast = all[identity]?.object as? ValueBroadcast { return broadcast }
            all = all.filter { $0.value.object != nil }
            let broadcast = ValueBroadcast(of: database, isKeptRunning: false, start: start)
            all[identity] = WeakReference(broadcast)
            return broadcast
        }
    }
}
