import RowDecoding

/// A value that is either constant, or computed for a connection when the query is generated.
struct Deferred<Value: Sendable>: Sendable {
    private enum Storage {
        case value(Value)
        case make(@Sendable (Database) throws -> Value)
    }

    private let storage: Storage

    init(_ value: Value) {
        storage = .value(value)
    }

    init(_ make: @escaping @Sendable (Database) throws -> Value) {
        storage = .make(make)
    }

    func resolve(_ db: Database) throws -> Value {
        switch storage {
        case .value(let value): value
        case .make(let make): try make(db)
        }
    }

    /// Whether the value does not depend on the connection.
    var isConstant: Bool {
        if case .value = storage { true } else { false }
    }

    /// The value, if it does not depend on the connection.
    var constant: Value? {
        if case .value(let value) = storage { value } else { nil }
    }
}

extension Deferred where Value: RangeReplaceableCollection {
    /// Concatenates two values.
    static func + (lhs: Deferred, rhs: Deferred) -> Deferred {
        if let left = lhs.constant, let right = rhs.constant { return Deferred(left + right) }
        return Deferred { try lhs.resolve($0) + rhs.resolve($0) }
    }
}

extension Deferred where Value: Collection {
    /// Whether the value is constant and empty.
    var isConstantlyEmpty: Bool { constant?.isEmpty == true }
}
