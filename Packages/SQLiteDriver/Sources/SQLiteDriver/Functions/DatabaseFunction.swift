/// An SQL function that is written in Swift.
///
/// ```swift
/// let initials = DatabaseFunction("initials", argumentCount: 1, pure: true) { values in
///     guard case .string(let name) = values[0].storage else { return nil }
///     return String(name.split(separator: " ").compactMap(\.first))
/// }
///
/// var configuration = Configuration()
/// configuration.prepareDatabase { db in
///     db.add(function: initials)
/// }
/// // SELECT initials(name) FROM player
/// ```
///
/// Add a function to each connection that uses it, best in ``Configuration/prepareDatabase(_:)``, or to ``DatabaseRegistry`` for
/// all connections. A function replaces the one with the same name and argument count, even if that one is built in.
///
/// Source: <https://www.sqlite.org/appfunc.html>
public final class DatabaseFunction: Identifiable, Sendable {
    /// The identity of a function: its name, regardless of the case of ASCII letters, and its argument count.
    public struct ID: Hashable, Sendable {
        let name: SchemaName
        let argumentCount: Int?
    }

    enum Body: Sendable {
        case scalar(@Sendable ([DatabaseValue]) throws -> (any StatementBinding)?)
        case aggregate(@Sendable () -> any DatabaseAggregate)
    }

    /// The name of the function in SQL.
    public let name: String

    /// The number of arguments; nil for a function that takes any number.
    public let argumentCount: Int?

    /// Whether equal arguments always give equal results.
    public let isPure: Bool

    let body: Body

    /// Creates a scalar function, which returns one value for each row.
    ///
    /// ```swift
    /// let power = DatabaseFunction("power", argumentCount: 2, pure: true) { values in
    ///     guard case .double(let base) = values[0].storage,
    ///         case .int64(let exponent) = values[1].storage
    ///     else { return nil }
    ///     return (0..<exponent).reduce(1.0) { product, _ in product * base }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes of UTF-8.
    ///   - argumentCount: the number of arguments, from 0 to 127; nil for any number. Functions with the same name and different
    ///     argument counts can exist side by side. SQLite does not compile a call with another number of arguments.
    ///   - pure: whether equal arguments always give equal results. Only pure functions can be used in indexes, generated columns
    ///     and `CHECK` constraints, and SQLite may call them less often.
    ///   - function: returns the result; nil for NULL. An error that it throws fails the statement: a ``DatabaseError`` keeps its
    ///     extended code and message, another error becomes `SQLITE_ERROR` with its description as the message. The error itself
    ///     is the ``DatabaseError/underlyingError`` of the statement's error.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any StatementBinding)?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        isPure = pure
        body = .scalar(function)
    }

    /// Creates an aggregate function, which returns one value for each group of rows.
    ///
    /// ```swift
    /// let longest = DatabaseFunction(
    ///     "longest", argumentCount: 1, pure: true, aggregate: Longest.self)
    /// // SELECT team, longest(name) FROM player GROUP BY team
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes of UTF-8.
    ///   - argumentCount: the number of arguments, from 0 to 127; nil for any number.
    ///   - pure: whether equal rows always give equal results.
    ///   - aggregate: a type whose instances are the states of the groups.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: any DatabaseAggregate.Type
    ) {
        self.name = name
        self.argumentCount = argumentCount
        isPure = pure
        // The metatype only creates instances, on the thread that uses the connection: threads don't share it.
        nonisolated(unsafe) let aggregate = aggregate
        body = .aggregate { aggregate.init() }
    }

    /// The identity of the function: its name and argument count.
    public var id: ID { ID(name: SchemaName(name), argumentCount: argumentCount) }
}

extension DatabaseFunction: CustomStringConvertible {
    /// The name and the number of arguments: `initials/1`.
    public var description: String { "\(name)/\(argumentCount.map(String.init) ?? "*")" }
}
