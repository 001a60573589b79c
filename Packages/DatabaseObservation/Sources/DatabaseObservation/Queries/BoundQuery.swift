import RowDecoding

/// A query with its database: a value to give to a view model or a handler, which a test replaces by rows or an error.
///
/// ```swift
/// struct Leaderboard {
///     var bestPlayers: @Sendable (_ score: Int64) -> BoundQuery<[Player]>
///
///     func names(above score: Int64) async throws -> [String] {
///         try await bestPlayers(score).fetch().map(\.name)
///     }
/// }
///
/// // In the program:
/// let leaderboard = Leaderboard { score in
///     SQLQuery<Player, [Player]>(
///         "SELECT * FROM player WHERE score > :score", arguments: ["score": score]
///     ).bound(to: pool)
/// }
///
/// // In tests, without a database:
/// let empty = Leaderboard { _ in .constant([]) }
/// let broken = Leaderboard { _ in .failing(CancellationError()) }
/// ```
public struct BoundQuery<Output: Sendable>: Sendable {
    private let fetchOutput: @Sendable () async throws -> Output
    private let observe: @Sendable () -> AsyncValueObservation<Output>

    fileprivate init<RowDecoder>(_ query: SQLQuery<RowDecoder, Output>, _ reader: any DatabaseReader) {
        fetchOutput = { try await reader.read { db in try query.fetch(db) } }
        observe = { ValueObservation.tracking { db in try query.fetch(db) }.values(in: reader) }
    }

    private init(_ outputs: [Output], _ error: (any Error)?) {
        fetchOutput = {
            guard let output = outputs.first else { throw error ?? CancellationError() }
            return output
        }
        observe = {
            AsyncValueObservation(bufferingPolicy: .unbounded) { onError, onChange in
                for output in outputs { onChange(output) {} }
                if let error { onError(error) }
                return AnyDatabaseCancellable {}
            }
        }
    }

    /// Fetches the rows, the row or nil, or the only row, in a read.
    ///
    /// - Throws: the errors of ``SQLQuery/fetch(_:)``, and of the access; the error of a query that replaces another.
    public func fetch() async throws -> Output { try await fetchOutput() }

    /// Returns what ``fetch()`` returns, now and after each change of the database.
    ///
    /// ```swift
    /// let names = SQLQuery<String, [String]>("SELECT name FROM player").bound(to: pool)
    /// for try await state in names.values() {
    ///     print(state.count)
    /// }
    /// ```
    ///
    /// The sequence ends with an error, or when the loop is left. The sequence of a query that replaces another has its outputs, and then
    /// stays open, as if nothing changed.
    public func values() -> AsyncValueObservation<Output> { observe() }

    /// Returns a query that returns a value, and needs no database.
    ///
    /// - Parameter output: the rows, the row, or nil.
    public static func constant(_ output: Output) -> BoundQuery { BoundQuery([output], nil) }

    /// Returns a query whose ``values()`` are the outputs, one after the other, and that needs no database.
    ///
    /// - Parameter outputs: the outputs. ``fetch()`` returns the first one.
    public static func changing(_ outputs: Output...) -> BoundQuery { BoundQuery(outputs, nil) }

    /// Returns a query that throws an error, and needs no database.
    public static func failing(_ error: any Error) -> BoundQuery { BoundQuery([], error) }
}

extension SQLQuery {
    /// Returns the query with a database: a value that runs by itself.
    ///
    /// ```swift
    /// let names = SQLQuery<String, [String]>("SELECT name FROM player").bound(to: pool)
    /// print(try await names.fetch())
    /// ```
    public func bound(to reader: any DatabaseReader) -> BoundQuery<Output> { BoundQuery(self, reader) }
}

/// A command with its database: a value to give to a view model or a handler, which a test replaces by a result or an error.
///
/// ```swift
/// struct Shop {
///     var rename: @Sendable (Int64, String) -> BoundCommand<Int>
/// }
///
/// let shop = Shop { id, name in
///     SQLCommand<Int>(
///         "UPDATE player SET name = :name WHERE id = :id",
///         arguments: ["name": name, "id": id]
///     ).bound(to: pool)
/// }
/// let count = try await shop.rename(1, "Arthur").execute()
///
/// // In tests, without a database:
/// let test = Shop { _, _ in .constant(1) }
/// ```
public struct BoundCommand<Output: Sendable>: Sendable {
    private let run: @Sendable () async throws -> Output

    fileprivate init(run: @escaping @Sendable () async throws -> Output) { self.run = run }

    /// Runs the statement in a transaction of its own.
    ///
    /// - Returns: the number of changed rows, or the rows that the statement returns.
    /// - Throws: the errors of ``SQLCommand/execute(_:)``, and of the access; the error of a command that replaces another.
    @discardableResult
    public func execute() async throws -> Output { try await run() }

    /// Returns a command that returns a value, and needs no database.
    public static func constant(_ output: Output) -> BoundCommand { BoundCommand { output } }

    /// Returns a command that throws an error, and needs no database.
    public static func failing(_ error: any Error) -> BoundCommand { BoundCommand { throw error } }
}

extension SQLCommand {
    /// Returns the command with a database: a value that runs by itself, in a transaction of its own.
    public func bound(to writer: any DatabaseWriter) -> BoundCommand<Output> {
        BoundCommand { try await writer.write { db in try self.execute(db) } }
    }
}
