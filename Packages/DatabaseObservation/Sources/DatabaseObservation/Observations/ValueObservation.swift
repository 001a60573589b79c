import RowDecoding

/// A value that is fetched from a database, and fetched again whenever the database has changed.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try countPlayers(db)
/// }
/// for try await count in observation.values(in: pool) {
///     print("\(count) players")
/// }
/// ```
///
/// An observation delivers a first value, and another value after each transaction that has changed what the closure reads.
/// While the observer is busy with a value, changes are coalesced: the next value is the state of the database after all of
/// them. Some states therefore have no value, but values come in the order of the commits, and the last value is the last state.
///
/// The value may equal the previous one, for example if a column was set to the same value: see ``removeDuplicates()``.
public struct ValueObservation<Reducer: ValueReducer>: Sendable {
    /// Whether the fetch runs in a writing transaction, so that it can write. False by default.
    ///
    /// The fetch then waits for the writer, even with a ``DatabasePool``. Its own changes do not cause another fetch.
    public var requiresWriteAccess = false

    let tracking: ObservationTracking
    var events = ObservationEvents()
    /// The observation that fetches for this observation, and for others with the same identity.
    var source: SharedSource<Reducer.Fetched>?
    let makeReducer: @Sendable () -> any Reducing<Reducer.Fetched, Reducer.Value>

    /// Returns the same observation with another reducer.
    func reducing<Other: Reducing>(
        _ transform: @escaping @Sendable (any Reducing<Reducer.Fetched, Reducer.Value>) -> Other
    ) -> ValueObservation<Other> where Other.Fetched == Reducer.Fetched {
        ValueObservation<Other>(requiresWriteAccess: requiresWriteAccess, tracking: tracking, events: events, source: source) {
            [makeReducer] in transform(makeReducer())
        }
    }
}

/// The way in which the observed region is determined.
enum ObservationTracking: Sendable {
    /// Each fetch determines the region that it reads.
    case everyFetch
    /// The first fetch determines the region of all fetches.
    case firstFetch
    /// The region was given.
    case region(@Sendable (Database) throws -> DatabaseRegion)

    /// Whether each fetch may read another region.
    var isDynamic: Bool { if case .everyFetch = self { true } else { false } }
}

// MARK: - Creating observations

extension ValueObservation {
    /// Creates an observation of the value that a closure fetches.
    ///
    /// ```swift
    /// let observation = ValueObservation.tracking { db in
    ///     try favouritePlayers(db)
    /// }
    /// ```
    ///
    /// Each fetch is recorded: the observation tracks the tables, columns and rows that the last fetch has read, even if they depend on the
    /// content of the database.
    ///
    /// - Parameter fetch: called once for the first value, and again after changes, in a read-only transaction.
    public static func tracking<Value>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(tracking: .everyFetch) { ValueReducers.Fetch(fetch: fetch) }
    }

    /// Creates an observation of the value that a closure fetches, from the same part of the database each time.
    ///
    /// Only the first fetch is recorded. If a later fetch reads other tables, columns or rows, their changes are missed.
    ///
    /// - Parameter fetch: called once for the first value, and again after changes, in a read-only transaction.
    public static func trackingConstantRegion<Value>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(tracking: .firstFetch) { ValueReducers.Fetch(fetch: fetch) }
    }

    /// Creates an observation of given parts of the database.
    ///
    /// ```swift
    /// let region = DatabaseRegion.fullDatabase
    /// let observation = ValueObservation.tracking(region: region) { db in
    ///     try countPlayers(db)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - region: a region, or a request, whose changes cause a fetch.
    ///   - otherRegions: more regions and requests.
    ///   - fetch: called once for the first value, and again after changes of the regions, in a read-only transaction.
    public static func tracking<Value>(
        region: any DatabaseRegionConvertible & Sendable, _ otherRegions: any DatabaseRegionConvertible & Sendable...,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        tracking(regions: [region] + otherRegions, fetch: fetch)
    }

    /// Creates an observation of given parts of the database.
    ///
    /// - Parameters:
    ///   - regions: regions and requests whose changes cause a fetch.
    ///   - fetch: called once for the first value, and again after changes of the regions, in a read-only transaction.
    public static func tracking<Value>(
        regions: [any DatabaseRegionConvertible & Sendable], fetch: @escaping @Sendable (Database) throws -> Value
    ) -> Self where Reducer == ValueReducers.Fetch<Value> {
        Self(tracking: .region { try DatabaseRegion.union(of: regions, $0) }) { ValueReducers.Fetch(fetch: fetch) }
    }
}

extension DatabaseRegion {
    /// Returns the union of regions.
    static func union(of regions: [any DatabaseRegionConvertible], _ db: Database) throws -> DatabaseRegion {
        try regions.reduce(into: DatabaseRegion()) { union, region in
            union.formUnion(try region.databaseRegion(db))
        }
    }
}
