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
/// A function is added to each connection that is to know it, best where the connection is prepared, or to ``DatabaseRegistry`` for all
/// connections. One whose name and
/// argument count are those of another, built-in ones included, takes its place.
///
/// Source: <https://www.sqlite.org/appfunc.html>
public final class DatabaseFunction: Identifiable, Sendable {
    /// What tells functions apart: their names, whatever the case of ASCII letters, and their argument counts.
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

    /// The number of arguments, nil for a function that takes any number.
    public let argumentCount: Int?

    /// Whether equal arguments always give equal results.
    public let isPure: Bool

    let body: Body

    /// Makes a function of the values of one row.
    ///
    /// ```swift
    /// let power = DatabaseFunction("power", argumentCount: 2, pure: true) { values in
    ///     guard case .double(let base) = values[0].storage, case .int64(let exponent) = values[1].storage else { return nil }
    ///     return (0..<exponent).reduce(1.0) { product, _ in product * base }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes in UTF-8.
    ///   - argumentCount: the number of arguments, from 0 to 127; nil for a function that takes any number. Functions of one
    ///     name and several argument counts exist side by side. SQLite refuses to compile a call with a wrong number.
    ///   - pure: whether equal arguments always give equal results. Only pure functions can be used in indexes, generated
    ///     columns and `CHECK` constraints, and SQLite may call them less often.
    ///   - function: returns the result, nil for NULL. What it throws fails the statement: the code and the message of a
    ///     ``DatabaseError`` are kept, another error becomes `SQLITE_ERROR` with its description as the message.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([DatabaseValue]) throws -> (any StatementBinding)?
    ) {
        self.name = name
        self.argumentCount = argumentCount
        isPure = pure
        body = .scalar(function)
    }

    /// Makes a function of the values of many rows.
    ///
    /// ```swift
    /// let longest = DatabaseFunction("longest", argumentCount: 1, pure: true, aggregate: Longest.self)
    /// // SELECT team, longest(name) FROM player GROUP BY team
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL, at most 255 bytes in UTF-8.
    ///   - argumentCount: the number of arguments, from 0 to 127; nil for a function that takes any number.
    ///   - pure: whether equal rows always give equal results.
    ///   - aggregate: a type of which each group of rows gets a value of its own.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, aggregate: any DatabaseAggregate.Type
    ) {
        self.name = name
        self.argumentCount = argumentCount
        isPure = pure
        // The type is only asked for values, where the connection is used: it is not shared.
        nonisolated(unsafe) let aggregate = aggregate
        body = .aggregate { aggregate.init() }
    }

    /// What tells the function apart from others.
    public var id: ID { ID(name: SchemaName(name), argumentCount: argumentCount) }
}

extension DatabaseFunction: CustomStringConvertible {
    /// The name with the number of arguments: `initials/1`.
    public var description: String { "\(name)/\(argumentCount.map(String.init) ?? "*")" }
}
