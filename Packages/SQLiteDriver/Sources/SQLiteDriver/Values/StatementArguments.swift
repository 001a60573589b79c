/// The arguments of a statement, by position, by name, or both.
///
/// ```swift
/// try db.execute(sql: "INSERT INTO player VALUES (?, ?)", arguments: ["Arthur", 1000])
/// try db.execute(
///     sql: "INSERT INTO player VALUES (:name, :score)",
///     arguments: ["name": "Arthur", "score": 1000])
/// ```
///
/// Names are written without the `:`, `@` or `$` of the SQL. A named parameter takes the argument of its name. The other
/// parameters, and named ones without such an argument, take the positional arguments in order.
///
/// A value that SQLite can't store, such as a `UInt64` over `Int64.max`, is kept as an error, which is thrown when the arguments
/// are set on a statement.
///
/// Source: <https://www.sqlite.org/lang_expr.html#varparam>
public struct StatementArguments: Sendable {
    /// A value, or the error that explains why it can't be stored.
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

        /// Converts a value of any type, or a nil optional of any type.
        init(any value: Any) {
            if let binding = value as? any StatementBinding {
                self.init(binding)
            } else if let optional = value as? any OptionalValue, optional.isNil {
                self = .value(.null)
            } else {
                self = .failure(Self.error("a value of type \(type(of: value)) can't be an argument"))
            }
        }

        static func error(_ message: String) -> DatabaseError {
            DatabaseError(code: .SQLITE_MISMATCH, message: message, advice: "Use values whose types conform to StatementBinding.")
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

/// An optional of any type. A nil of a type such as `(any StatementBinding)?` does not conform to `StatementBinding`.
package protocol OptionalValue {
    static var wrappedType: Any.Type { get }

    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    package static var wrappedType: Any.Type { Wrapped.self }

    package var isNil: Bool {
        if case .none = self { true } else { false }
    }
}

extension [(name: String, value: StatementArguments.Argument)] {
    /// Sets a named argument, and replaces the one with the same name.
    ///
    /// - Returns: the replaced argument.
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
    /// Creates empty arguments.
    public init() {
        contents = .values([])
    }

    /// Creates positional arguments.
    public init(_ sequence: some Sequence<(any StatementBinding)?>) {
        contents = .values(sequence.map { Argument($0) })
    }

    /// Creates positional arguments from database values.
    ///
    /// Each fetch of a request creates such arguments: this initializer avoids the generic conversion below.
    public init(_ values: [DatabaseValue]) {
        contents = .values(values.map { .value($0) })
    }

    /// Creates positional arguments from values of one type.
    public init<Value: StatementBinding>(_ sequence: some Sequence<Value>) {
        contents = .values(sequence.map { Argument($0) })
    }

    /// Creates named arguments. If a name occurs more than once, the last value wins.
    public init(_ sequence: some Sequence<(String, (any StatementBinding)?)>) {
        var namedValues: [(name: String, value: Argument)] = []
        for (name, value) in sequence {
            namedValues.set(Argument(value), named: name)
        }
        contents = Contents(named: namedValues, others: [])
    }

    /// Creates named arguments.
    public init(_ dictionary: [String: (any StatementBinding)?]) {
        contents = Contents(named: dictionary.map { (name: $0.key, value: Argument($0.value)) }, others: [])
    }

    /// Creates positional arguments from values of any types.
    ///
    /// A value that can't be an argument is kept as an error, which is thrown when the arguments are set on a statement. The initializer
    /// is not failable: where optional arguments are expected, nil would mean the previous arguments of the statement. To test for nil, use
    /// `StatementArguments(validating: array)`.
    ///
    /// - Parameter array: values that conform to ``StatementBinding``. A nil optional is NULL.
    @_disfavoredOverload
    public init(_ array: [Any]) {
        contents = .values(array.map { Argument(any: $0) })
    }

    /// Creates named arguments from values of any types.
    ///
    /// A value that can't be an argument, or a key that is not a `String`, is kept as an error, which is thrown when the arguments are set
    /// on a statement.
    ///
    /// - Parameter dictionary: values that conform to ``StatementBinding``. A nil optional is NULL.
    @_disfavoredOverload
    public init(_ dictionary: [AnyHashable: Any]) {
        var namedValues: [(name: String, value: Argument)] = []
        var others: [Argument] = []
        for (key, element) in dictionary {
            if let name = key as? String {
                namedValues.set(Argument(any: element), named: name)
            } else {
                others.append(.failure(Argument.error("a key of type \(type(of: key.base)) is not the name of an argument")))
            }
        }
        contents = Contents(named: namedValues, others: others)
    }

    /// Creates positional arguments from values of any types, or returns nil if one of them can't be an argument.
    ///
    /// ```swift
    /// let values: [Any] = ["Arthur", 5]
    /// // Nil if one of the values is of another kind.
    /// let arguments = StatementArguments(validating: values)
    /// ```
    ///
    /// - Parameter array: values that conform to ``StatementBinding``. A nil optional is NULL.
    public init?(validating array: [Any]) {
        self.init(array)
        guard isValid else { return nil }
    }

    /// Creates named arguments from values of any types, or returns nil if one of them can't be an argument, or if a key is not a `String`.
    ///
    /// - Parameter dictionary: values that conform to ``StatementBinding``. A nil optional is NULL.
    public init?(validating dictionary: [AnyHashable: Any]) {
        self.init(dictionary)
        guard isValid else { return nil }
    }

    private var isValid: Bool {
        (values + namedValues.map(\.value)).allSatisfy { if case .value = $0 { true } else { false } }
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    /// Creates positional arguments: `["Arthur", 1000, nil]`.
    public init(arrayLiteral elements: (any StatementBinding)?...) {
        contents = Contents(literal: elements)
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    /// Creates named arguments: `["name": "Arthur", "score": 1000]`. If a name occurs more than once, the last value wins.
    public init(dictionaryLiteral elements: (String, (any StatementBinding)?)...) {
        self.init(elements)
    }
}

// MARK: - Combining arguments

extension StatementArguments {
    /// Appends arguments. Positional arguments come after the existing ones; named arguments replace those with the same name.
    ///
    /// - Returns: the named arguments that were replaced.
    @discardableResult
    public mutating func append(contentsOf arguments: StatementArguments) -> [String: DatabaseValue] {
        var replaced: [String: DatabaseValue] = [:]
        var namedValues = namedValues
        var values = values
        // This releases the second reference to the arrays, so that they can grow in place.
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

    /// Returns the arguments of both sides.
    ///
    /// - Precondition: no name has arguments on both sides. With `&+`, the right side wins.
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        changed(lhs) { $0 += rhs }
    }

    /// Returns the arguments of both sides. The right side's named arguments replace the left side's arguments with the same names.
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        changed(lhs) { $0.append(contentsOf: rhs) }
    }

    /// Appends arguments.
    ///
    /// - Precondition: no name has arguments on both sides. With ``append(contentsOf:)``, the new arguments win.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        for (name, _) in rhs.namedValues where lhs.argument(named: name) != nil {
            fatalError("Two values for the statement argument \(name): use &+ or append(contentsOf:) to let the last one win.")
        }
        lhs.append(contentsOf: rhs)
    }
}

// MARK: - Equality and description

extension StatementArguments: Equatable {
    /// Returns whether both sides bind the same values. The order of named arguments does not matter.
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
        case .failure(let error): "(\((error as? DatabaseError)?.expandedDescription ?? "\(error)"))"
        }
    }
}

extension StatementArguments: CustomStringConvertible {
    /// The names, and the values as ``DatabaseValue/description`` shows them: `["name": "Arthur", 1000]`.
    public var description: String { list(\.description) }

    /// The names, and the values as SQL literals. Like SQLite, they distinguish 1, 1.0 and '1': equal arguments may have different
    /// descriptions.
    package var sqlLiterals: String {
        list { (try? $0.get().sqlLiteral) ?? $0.description }
    }

    private func list(_ text: (Argument) -> String) -> String {
        let named = namedValues.sorted { $0.name < $1.name }.map { "\(String(reflecting: $0.name)): \(text($0.value))" }
        return "[" + (named + values.map(text)).joined(separator: ", ") + "]"
    }
}

extension StatementArguments: CustomReflectable {
    /// Reflects the arguments as an array `values` and a dictionary `namedValues`.
    ///
    /// An element is a ``DatabaseValue``, or the error of a value that can't be an argument.
    public var customMirror: Mirror {
        func content(_ argument: Argument) -> Any {
            switch argument {
            case .value(let value): value
            case .failure(let error): error
            }
        }
        let named = Dictionary(namedValues.map { ($0.name, content($0.value)) }, uniquingKeysWith: { $1 })
        return Mirror(self, children: ["values": values.map(content), "namedValues": named])
    }
}
