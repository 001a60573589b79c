/// The arguments of a statement, by position, by name, or both.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try db.execute(sql: "INSERT INTO player VALUES (:name, :score)", arguments: ["name": "Arthur", "score": 1000])
/// ```
///
/// Names are given without the `:`, `@` or `$` that SQL puts before them. A parameter that has a name takes the argument of
/// that name; the others, and those whose name has no argument, take the positional arguments in their order.
///
/// A value that SQLite can't hold, such as a `UInt64` over `Int64.max`, is kept as an error, thrown when the arguments are
/// given to a statement.
///
/// Source: <https://www.sqlite.org/lang_expr.html#varparam>
public struct StatementArguments: Sendable {
    /// A value, or the error that stands for it.
    enum Argument: Sendable {
        case value(DatabaseValue)
        case failure(any Error)

        init(_ binding: (any StatementBinding)?) {
            do {
                self = .value(try binding?.bindingValue() ?? .null)
            } catch {
                self = .failure(error)
            }
        }

        func get() throws -> DatabaseValue {
            switch self {
            case .value(let value): return value
            case .failure(let error): throw error
            }
        }
    }

    var contents: Contents

    /// Whether there are no arguments.
    public var isEmpty: Bool { contents.isInOrder(count: 0) }

    func argument(named name: String) -> Argument? {
        namedValues.first { $0.name == name }?.value
    }
}

extension [(name: String, value: StatementArguments.Argument)] {
    /// Sets an argument, in place of the one of the same name.
    ///
    /// - Returns: the argument that was replaced.
    @discardableResult
    fileprivate mutating func set(
        _ value: StatementArguments.Argument, named name: String
    ) -> StatementArguments.Argument? {
        guard let index = firstIndex(where: { $0.name == name }) else {
            append((name, value))
            return nil
        }
        defer { self[index].value = value }
        return self[index].value
    }
}

// MARK: - Making arguments

extension StatementArguments {
    /// No arguments.
    public init() {
        contents = .values([])
    }

    /// Positional arguments.
    public init(_ sequence: some Sequence<(any StatementBinding)?>) {
        contents = .values(sequence.map { Argument($0) })
    }

    /// Positional arguments that are database values already.
    ///
    /// Requests make such arguments each time they are fetched: this one spares them the generic conversion below.
    public init(_ values: [DatabaseValue]) {
        contents = .values(values.map { .value($0) })
    }

    /// Positional arguments that share one type.
    public init<Value: StatementBinding>(_ sequence: some Sequence<Value>) {
        contents = .values(sequence.map { Argument($0) })
    }

    /// Named arguments. When a name comes twice, the last value wins.
    public init(_ sequence: some Sequence<(String, (any StatementBinding)?)>) {
        var namedValues: [(name: String, value: Argument)] = []
        for (name, value) in sequence {
            namedValues.set(Argument(value), named: name)
        }
        contents = Contents(named: namedValues, others: [])
    }

    /// Named arguments.
    public init(_ dictionary: [String: (any StatementBinding)?]) {
        contents = Contents(named: dictionary.map { (name: $0.key, value: Argument($0.value)) }, others: [])
    }

    /// Positional arguments, whatever their types.
    ///
    /// - Parameter array: values that conform to ``StatementBinding``; NULL stands for a nil optional.
    /// - Returns: nil when one of the values can't be an argument.
    public init?(_ array: [Any]) {
        var values: [Argument] = []
        for element in array {
            guard let binding = element as? any StatementBinding else { return nil }
            values.append(Argument(binding))
        }
        contents = .values(values)
    }

    /// Named arguments, whatever their types.
    ///
    /// - Parameter dictionary: values that conform to ``StatementBinding``; NULL stands for a nil optional.
    /// - Returns: nil when one of the values can't be an argument.
    public init?(_ dictionary: [AnyHashable: Any]) {
        var namedValues: [(name: String, value: Argument)] = []
        for (key, element) in dictionary {
            guard let name = key as? String, let binding = element as? any StatementBinding else { return nil }
            namedValues.set(Argument(binding), named: name)
        }
        contents = Contents(named: namedValues, others: [])
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Positional arguments: `["Arthur", 1000, nil]`.
    public init(arrayLiteral elements: (any StatementBinding)?...) {
        contents = Contents(literal: elements)
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Named arguments: `["name": "Arthur", "score": 1000]`. When a name comes twice, the last value wins.
    public init(dictionaryLiteral elements: (String, (any StatementBinding)?)...) {
        self.init(elements)
    }
}

// MARK: - Combining arguments

extension StatementArguments {
    /// Adds arguments: positional ones after those that are there, named ones over those of the same name.
    ///
    /// - Returns: the named arguments that were replaced.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        var namedValues = namedValues
        var values = values
        // Nobody else has the arrays from here on, if nobody had them before: they need not be copied to grow.
        contents = .values([])
        values.append(contentsOf: arguments.values)
        for (name, value) in arguments.namedValues {
            if case .value(let old)? = namedValues.set(value, named: name) {
                replaced[name] = old
            }
        }
        contents = Contents(named: namedValues, others: values)
        return replaced
    }

    /// The arguments of both sides.
    ///
    /// - Precondition: no name has arguments on both sides; `&+` lets the right side win.
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result += rhs
        return result
    }

    /// The arguments of both sides, where the right side's win over the left side's of the same name.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result.append(contentsOf: rhs)
        return result
    }

    /// Adds arguments.
    ///
    /// - Precondition: no name has arguments on both sides; ``append(contentsOf:)`` lets the new ones win.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        for (name, _) in rhs.namedValues where lhs.argument(named: name) != nil {
            fatalError("Two values for the statement argument \(name): use &+ or append(contentsOf:) to let the last one win.")
        }
        lhs.append(contentsOf: rhs)
    }
}

// MARK: - Equality and description

extension StatementArguments: Equatable {
    /// Whether both sides bind the same values. Named arguments have no order.
    public static func == (lhs: StatementArguments, rhs: StatementArguments) -> Bool {
        lhs.values == rhs.values
            && lhs.namedValues.count == rhs.namedValues.count
            && lhs.namedValues.allSatisfy { rhs.argument(named: $0.name) == $0.value }
    }
}

extension StatementArguments.Argument: Equatable {
    static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.value(let lhs), .value(let rhs)): lhs == rhs
        case (.failure(let lhs), .failure(let rhs)): "\(lhs)" == "\(rhs)"
        default: false
        }
    }
}

extension StatementArguments.Argument: CustomStringConvertible {
    var description: String {
        switch self {
        case .value(let value): value.description
        case .failure(let error): "(\(error))"
        }
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The values as SQL literals: `["name": 'Arthur', 1000]`.
    public var description: String {
        let named = namedValues.sorted { $0.name < $1.name }.map { "\"\($0.name)\": \($0.value)" }
        return "[" + (named + values.map(\.description)).joined(separator: ", ") + "]"
    }
}
