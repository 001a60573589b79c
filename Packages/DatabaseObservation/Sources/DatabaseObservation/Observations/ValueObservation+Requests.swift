import RowDecoding

extension ValueObservation {
    /// Creates an observation of all results of a request.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingAll(Player.order { $0.score.desc })
    /// for try await players in observation.values(in: pool) {
    ///     print(players)
    /// }
    /// ```
    ///
    /// Observations of equal requests on one database share one fetch after each change, like observations that are
    /// ``ValueObservation/identified(by:)`` equal values. Two requests are equal if they have the same type, and the same SQL and arguments
    /// when the observations start. Requests with associations that are prefetched or joined, or with a row adapter, don't share fetches:
    /// their SQL does not determine how their rows are decoded.
    ///
    /// The request is prepared in a read before the first fetch. If that fails, the error ends the observation.
    public static func trackingAll<Request: FetchRequest>(
        _ request: Request
    ) -> Self
    where Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.Identified<ValueReducers.Fetch<[Request.RowDecoder]>> {
        ValueObservation<ValueReducers.Fetch<[Request.RowDecoder]>>
            .tracking { try Request.RowDecoder.fetchAll($0, request) }
            .identified { try RequestIdentity(request, $0) }
    }

    /// Creates an observation of all values of a request.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingAll(
    ///     Player.select({ $0.name }, as: String.self))
    /// ```
    ///
    /// Observations of equal requests share their fetches, like observations of records.
    @_disfavoredOverload
    public static func trackingAll<Request: FetchRequest>(
        _ request: Request
    ) -> Self
    where
        Request.RowDecoder: DatabaseValueConvertible & Sendable,
        Reducer == ValueReducers.Identified<ValueReducers.Fetch<[Request.RowDecoder]>>
    {
        ValueObservation<ValueReducers.Fetch<[Request.RowDecoder]>>
            .tracking { try Request.RowDecoder.fetchAll($0, request) }
            .identified { try RequestIdentity(request, $0) }
    }

    /// Creates an observation of the first result of a request, or of nil if it has no results.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingOne(Player.filter(id: 1))
    /// ```
    ///
    /// Observations of equal requests share their fetches: see ``trackingAll(_:)``.
    public static func trackingOne<Request: FetchRequest>(
        _ request: Request
    ) -> Self
    where Request.RowDecoder: FetchableRecord & Sendable, Reducer == ValueReducers.Identified<ValueReducers.Fetch<Request.RowDecoder?>> {
        ValueObservation<ValueReducers.Fetch<Request.RowDecoder?>>
            .tracking { try Request.RowDecoder.fetchOne($0, request) }
            .identified { try RequestIdentity(request, forSingleResult: true, $0) }
    }

    /// Creates an observation of the first value of a request, or of nil if it has no values.
    ///
    /// Observations of equal requests share their fetches: see ``trackingAll(_:)``.
    @_disfavoredOverload
    public static func trackingOne<Request: FetchRequest>(
        _ request: Request
    ) -> Self
    where
        Request.RowDecoder: DatabaseValueConvertible & Sendable,
        Reducer == ValueReducers.Identified<ValueReducers.Fetch<Request.RowDecoder?>>
    {
        ValueObservation<ValueReducers.Fetch<Request.RowDecoder?>>
            .tracking { try Request.RowDecoder.fetchOne($0, request) }
            .identified { try RequestIdentity(request, forSingleResult: true, $0) }
    }

    /// Creates an observation of the number of results of a request.
    ///
    /// ```swift
    /// let observation = ValueObservation.trackingCount(Player.filter { $0.score > 1000 })
    /// ```
    ///
    /// Observations of equal requests share their fetches: see ``trackingAll(_:)``.
    public static func trackingCount(
        _ request: some FetchRequest
    ) -> Self where Reducer == ValueReducers.Identified<ValueReducers.Fetch<Int>> {
        ValueObservation<ValueReducers.Fetch<Int>>
            .tracking { try request.fetchCount($0) }
            .identified { try RequestIdentity(request, $0) }
    }
}

/// The identity of a request. The type of the results is a part of the observation's identity.
private struct RequestIdentity: Hashable, Sendable {
    let type: ObjectIdentifier
    // SQLite compares strings by their bytes, Swift by Unicode's rules.
    let sql: [UInt8]
    let arguments: [UInt8]

    /// Returns nil for a request that depends on more than its SQL.
    init?<Request: FetchRequest>(_ request: Request, forSingleResult: Bool = false, _ db: Database) throws {
        let prepared = try request.makePreparedRequest(db, forSingleResult: forSingleResult)
        guard prepared.adapter == nil, prepared.supplementaryFetch == nil else { return nil }
        type = ObjectIdentifier(Request.self)
        sql = Array(prepared.statement.sql.utf8)
        arguments = Array(prepared.statement.arguments.sqlLiterals.utf8)
    }
}
