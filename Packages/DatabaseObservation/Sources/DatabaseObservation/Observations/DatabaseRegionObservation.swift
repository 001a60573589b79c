import RowDecoding

/// An observation of the transactions that change a part of the database.
///
/// ```swift
/// let observation = DatabaseRegionObservation(tracking: .fullDatabase)
/// let cancellable = observation.start(in: pool) { error in
///     print("not observed: \(error)")
/// } onChange: { db in
///     print("a transaction has changed the database")
/// }
/// ```
///
/// Unlike a ``ValueObservation``, it reports each transaction, on the connection that has committed it, before another transaction can
/// write.
///
/// The regions are determined with the schema at the start. If a view that a request reads is redefined, start another observation.
public struct DatabaseRegionObservation: Sendable {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates an observation of regions and requests.
    public init(tracking regions: any DatabaseRegionConvertible & Sendable...) {
        self.init(tracking: regions)
    }

    /// Creates an observation of regions and requests.
    public init(tracking regions: [any DatabaseRegionConvertible & Sendable]) {
        region = { try DatabaseRegion.union(of: regions, $0) }
    }

    /// Waits for the writer, and starts the observation. All later transactions are observed.
    ///
    /// - Parameters:
    ///   - writer: the database.
    ///   - onError: called if the regions can't be determined, or when the database is closed. The observation has then ended.
    ///   - onChange: called after the commit of each transaction that has changed the region, on the thread of the writer. It may read and
    ///     write. After commits of other processes, it is called in a separate access.
    /// - Returns: an object that ends the observation when it is cancelled or released.
    public func start(
        in writer: some DatabaseWriter, onError: @escaping @Sendable (any Error) -> Void, onChange: @escaping @Sendable (Database) -> Void
    ) -> AnyDatabaseCancellable {
        guard let (database, base) = ObservedDatabase.observed(through: writer) else { return AnyDatabaseCancellable {} }
        let observer = RegionObserver(database, base, onError, onChange)
        do {
            try writer.reentrantAccess(.observationWrite) { db in
                database.add(observer, region: try region(db), of: base, db)
            }
        } catch {
            observer.fail(error)
        }
        return AnyDatabaseCancellable { observer.cancel() }
    }
}

/// A ``DatabaseRegionObservation`` that has started.
private final class RegionObserver: DatabaseChangeListener {
    private struct Callbacks {
        let writer: any DatabaseWriter
        let onError: @Sendable (any Error) -> Void
        let onChange: @Sendable (Database) -> Void
    }

    private let database: ObservedDatabase
    /// Nil when the observation has ended.
    private let callbacks: Guarded<Callbacks?>

    init(
        _ database: ObservedDatabase, _ writer: any DatabaseWriter, _ onError: @escaping @Sendable (any Error) -> Void,
        _ onChange: @escaping @Sendable (Database) -> Void
    ) {
        self.database = database
        callbacks = Guarded(Callbacks(writer: writer, onError: onError, onChange: onChange))
    }

    func databaseDidChange(at commit: Int, _ cause: ChangeCause) {
        guard let callbacks = callbacks.withLock({ $0 }) else { return }
        switch cause {
        case .beginning:
            break
        case .writer(let db):
            callbacks.onChange(db)
        case .others:
            callbacks.writer.schedule(.observationWrite) { [self] result in
                if let db = try? result.get() { self.callbacks.withLock({ $0 })?.onChange(db) }
            }
        }
    }

    func databaseDidClose() { fail(DatabaseError.closedWhileObserved) }

    func fail(_ error: any Error) { end()?.onError(error) }

    func cancel() { _ = end() }

    private func end() -> Callbacks? {
        let ended = callbacks.withLock { $0.take() }
        if ended != nil { database.remove(self, isSearching: false) }
        return ended
    }
}

extension DatabaseError {
    static var closedWhileObserved: DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database was closed while it was observed")
    }
}
