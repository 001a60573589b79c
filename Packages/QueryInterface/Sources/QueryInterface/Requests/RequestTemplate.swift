import RowDecoding

/// A request that is built once, and fetched with other values each time.
///
/// ```swift
/// let best = RequestTemplate { (score: Place<Int>) in
///     Player.filter { $0.score > score }.order { $0.name }
/// }
///
/// // SELECT * FROM "player" WHERE "score" > 1000 ORDER BY "name"
/// let players = try best(1000).fetchAll(db)
/// ```
///
/// The closure runs once, when the template is created. It gets places, one to six, and not values, so it can't branch on a value. A call
/// gives the places their values, and returns a ``TemplateRequest``. Each connection keeps the statement of a template until the schema
/// changes: fetching takes hardly longer than by a primary key, as no request is built or compared.
///
/// A template is `Sendable`, and is best kept in a static property:
///
/// ```swift
/// extension Player {
///     static let named = RequestTemplate { (name: Place<String?>) in
///         Player.filter(Column("name") == name)
///     }
/// }
///
/// // SELECT * FROM "player" WHERE "name" IS 'Arthur'
/// let arthurs = try Player.named("Arthur").fetchAll(db)
/// // SELECT * FROM "player" WHERE "name" IS NULL
/// let nameless = try Player.named(nil).fetchAll(db)
/// ```
///
/// A ``Place`` can be used where an expression can be: in conditions, in the arguments of functions, in SQL literals, and in subqueries and
/// associations. Limits, keys and the like have no places, because their SQL depends on the value: add them after the call, as in
/// `best(1000).limit(10)`. If closures such as those of `orderWhenConnected` make a part of the request, it is built anew for each fetch.
public struct RequestTemplate<Values, RowDecoder>: Sendable {
    @usableFromInline let template: Template

    private init(making request: (TemplateIdentity) throws -> QueryInterfaceRequest<RowDecoder>) rethrows {
        let identity = TemplateIdentity()
        template = Template(identity: identity, relation: try request(identity).relation)
    }
}

/// A value of a ``RequestTemplate`` that is given when the template is called.
///
/// The place of an optional, such as `Place<Int?>`, compares by `IS` and `IS NOT`, so that nil finds NULL.
public struct Place<Value: DatabaseValueConvertible>: SQLOperand, Sendable {
    /// The value as an expression.
    public let sqlExpression: SQLExpression

    fileprivate init(_ template: TemplateIdentity, _ index: Int) {
        sqlExpression = SQLExpression(
            .place(SQLNode.Placeholder(template: template, index: index, isOptional: Value.self is any OptionalValue.Type)))
    }
}

/// A request of a ``RequestTemplate``, with values for its places.
///
/// It is fetched, counted and observed as other requests. Its clauses, such as `limit(_:offset:)`, return a ``QueryInterfaceRequest``.
public struct TemplateRequest<RowDecoder>: FetchRequest, RequestSource, TypedRequest {
    private let template: Template
    private let values: PlaceArguments

    @usableFromInline
    init(_ template: Template, _ values: PlaceArguments) { (self.template, self.values) = (template, values) }

    /// Returns the request with its values.
    public func all() -> QueryInterfaceRequest<RowDecoder> { QueryInterfaceRequest(relation: template.relation(with: values)) }

    /// Returns the request with a clause or a joined table added.
    public func applying(_ change: RequestChange) -> QueryInterfaceRequest<RowDecoder> { all().applying(change) }

    /// Prepares the query, by the statement that the connection keeps for the template.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func makePreparedRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        PreparedRequest(try template.prepare(db, for: forSingleResult ? .firstRow : .rows, values)) { template.relation(with: values) }
    }

    /// Returns the number of rows of the request: see ``QueryInterfaceRequest/fetchCount(_:)``.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func fetchCount(_ db: Database) throws -> Int { try Int.fetchOne(template.prepare(db, for: .count, values).statement) ?? 0 }

    /// The query, as a subquery of another query.
    public var sqlSubquery: SQLSubquery { all().sqlSubquery }

    /// The query in parentheses, as an expression: its value is the value of the first row.
    public var sqlExpression: SQLExpression { all().sqlExpression }

    /// Returns the region of the database that the request reads: see ``QueryInterfaceRequest/databaseRegion(_:)``.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try all().databaseRegion(db) }
}

/// The relation of a template, with places.
@usableFromInline
final class Template: Sendable {
    private let identity: TemplateIdentity
    let relation: Relation

    fileprivate init(identity: TemplateIdentity, relation: Relation) {
        (self.identity, self.relation) = (identity, relation)
    }

    /// Returns the relation with the values of the places.
    func relation(with values: PlaceArguments) -> Relation {
        changed(relation) { $0.places.append(PlaceValues(of: identity, values)) }
    }

    /// Prepares a query, by the statement that the connection keeps for the template.
    func prepare(_ db: Database, for purpose: QueryPurpose, _ values: PlaceArguments) throws -> PreparedQuery {
        // Which rows a query reads depends on its values.
        if db.isRecordingAccesses { return try relation(with: values).prepare(db, for: purpose) }
        return try db.requestPlans.prepare(self, values, for: purpose, db)
    }
}

// MARK: - One to six places

extension RequestTemplate where Values: DatabaseValueConvertible {
    /// Creates a template with one place.
    ///
    /// - Parameter request: returns the request, with a place for the value. It runs once.
    /// - Throws: the error of the closure.
    public init(_ request: (Place<Values>) throws -> QueryInterfaceRequest<RowDecoder>) rethrows {
        try self.init(making: { try request(Place($0, 0)) })
    }

    /// Returns the request with a value for its place.
    @inlinable
    public func callAsFunction(_ value: Values) -> TemplateRequest<RowDecoder> {
        TemplateRequest(template, PlaceArguments(PlaceValue(value)))
    }
}

extension RequestTemplate {
    /// Creates a template with two places.
    ///
    /// - Parameter request: returns the request, with places for values. It runs once.
    /// - Throws: the error of the closure.
    public init<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(
        _ request: (Place<A>, Place<B>) throws -> QueryInterfaceRequest<RowDecoder>
    ) rethrows where Values == (A, B) {
        try self.init(making: { try request(Place($0, 0), Place($0, 1)) })
    }

    /// Returns the request with values for its places.
    @inlinable
    public func callAsFunction<A: DatabaseValueConvertible, B: DatabaseValueConvertible>(_ a: A, _ b: B) -> TemplateRequest<RowDecoder>
    where Values == (A, B) {
        TemplateRequest(template, PlaceArguments(PlaceValue(a), PlaceValue(b)))
    }

    /// Creates a template with three places.
    ///
    /// - Parameter request: returns the request, with places for values. It runs once.
    /// - Throws: the error of the closure.
    public init<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible>(
        _ request: (Place<A>, Place<B>, Place<C>) throws -> QueryInterfaceRequest<RowDecoder>
    ) rethrows where Values == (A, B, C) {
        try self.init(making: { try request(Place($0, 0), Place($0, 1), Place($0, 2)) })
    }

    /// Returns the request with values for its places.
    @inlinable
    public func callAsFunction<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible>(
        _ a: A, _ b: B, _ c: C
    ) -> TemplateRequest<RowDecoder>
    where Values == (A, B, C) {
        TemplateRequest(template, PlaceArguments(PlaceValue(a), PlaceValue(b), PlaceValue(c)))
    }

    /// Creates a template with four places.
    ///
    /// - Parameter request: returns the request, with places for values. It runs once.
    /// - Throws: the error of the closure.
    public init<A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible>(
        _ request: (Place<A>, Place<B>, Place<C>, Place<D>) throws -> QueryInterfaceRequest<RowDecoder>
    ) rethrows where Values == (A, B, C, D) {
        try self.init(making: { try request(Place($0, 0), Place($0, 1), Place($0, 2), Place($0, 3)) })
    }

    /// Returns the request with values for its places.
    @inlinable
    public func callAsFunction<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible
    >(_ a: A, _ b: B, _ c: C, _ d: D) -> TemplateRequest<RowDecoder>
    where Values == (A, B, C, D) {
        TemplateRequest(template, PlaceArguments(PlaceValue(a), PlaceValue(b), PlaceValue(c), PlaceValue(d)))
    }

    /// Creates a template with five places.
    ///
    /// - Parameter request: returns the request, with places for values. It runs once.
    /// - Throws: the error of the closure.
    public init<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible
    >(
        _ request: (Place<A>, Place<B>, Place<C>, Place<D>, Place<E>) throws -> QueryInterfaceRequest<RowDecoder>
    ) rethrows where Values == (A, B, C, D, E) {
        try self.init(making: { try request(Place($0, 0), Place($0, 1), Place($0, 2), Place($0, 3), Place($0, 4)) })
    }

    /// Returns the request with values for its places.
    @inlinable
    public func callAsFunction<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E) -> TemplateRequest<RowDecoder>
    where Values == (A, B, C, D, E) {
        TemplateRequest(template, PlaceArguments(PlaceValue(a), PlaceValue(b), PlaceValue(c), PlaceValue(d), PlaceValue(e)))
    }

    /// Creates a template with six places.
    ///
    /// - Parameter request: returns the request, with places for values. It runs once.
    /// - Throws: the error of the closure.
    public init<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible, F: DatabaseValueConvertible
    >(
        _ request: (Place<A>, Place<B>, Place<C>, Place<D>, Place<E>, Place<F>) throws -> QueryInterfaceRequest<RowDecoder>
    ) rethrows where Values == (A, B, C, D, E, F) {
        try self.init(making: { try request(Place($0, 0), Place($0, 1), Place($0, 2), Place($0, 3), Place($0, 4), Place($0, 5)) })
    }

    /// Returns the request with values for its places.
    @inlinable
    public func callAsFunction<
        A: DatabaseValueConvertible, B: DatabaseValueConvertible, C: DatabaseValueConvertible, D: DatabaseValueConvertible,
        E: DatabaseValueConvertible, F: DatabaseValueConvertible
    >(_ a: A, _ b: B, _ c: C, _ d: D, _ e: E, _ f: F) -> TemplateRequest<RowDecoder>
    where Values == (A, B, C, D, E, F) {
        TemplateRequest(template, PlaceArguments(PlaceValue(a), PlaceValue(b), PlaceValue(c), PlaceValue(d), PlaceValue(e), PlaceValue(f)))
    }
}

// MARK: - Comparisons with columns that know their types

/// Compares two values: `"score" = 1000`.
public func == <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two values: `"score" IS 1000`, or `"score" IS NULL` for nil.
public func == <Value>(lhs: TypedColumn<Value>, rhs: Place<Value?>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .equal, rhs.sqlExpression)
}

/// Compares two values: `"score" <> 1000`.
public func != <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two values: `"score" IS NOT 1000`, or `"score" IS NOT NULL` for nil.
public func != <Value>(lhs: TypedColumn<Value>, rhs: Place<Value?>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notEqual, rhs.sqlExpression)
}

/// Compares two values: `"score" IS 1000`.
public func === <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .identical, rhs.sqlExpression)
}

/// Compares two values: `"score" IS 1000`, or `"score" IS NULL` for nil.
public func === <Value>(lhs: TypedColumn<Value>, rhs: Place<Value?>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .identical, rhs.sqlExpression)
}

/// Compares two values: `"score" IS NOT 1000`.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notIdentical, rhs.sqlExpression)
}

/// Compares two values: `"score" IS NOT 1000`, or `"score" IS NOT NULL` for nil.
public func !== <Value>(lhs: TypedColumn<Value>, rhs: Place<Value?>) -> SQLExpression {
    .comparison(lhs.sqlExpression, .notIdentical, rhs.sqlExpression)
}

/// Compares two values: `"score" < 1000`.
public func < <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .less, rhs.sqlExpression)
}

/// Compares two values: `"score" <= 1000`.
public func <= <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .lessOrEqual, rhs.sqlExpression)
}

/// Compares two values: `"score" > 1000`.
public func > <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greater, rhs.sqlExpression)
}

/// Compares two values: `"score" >= 1000`.
public func >= <Value>(lhs: TypedColumn<Value>, rhs: Place<Value>) -> SQLExpression {
    .binary(lhs.sqlExpression, .greaterOrEqual, rhs.sqlExpression)
}
