import RowDecoding

/// A column that knows the Swift type of its values.
///
/// ```swift
/// enum State: String, DatabaseValueConvertible { case queued, failed }
///
/// struct Job: TableRecord {
///     enum Columns {
///         static let state = TypedColumn<State>("state")
///         static let priority = TypedColumn<Int64>("priority")
///     }
/// }
///
/// // SELECT * FROM "job" WHERE "state" = 'queued' AND "priority" > 3
/// Job.filter { $0.state == .queued && $0.priority > 3 }
/// ```
///
/// Comparisons, `contains` and ``set(to:)`` take values of the column's type, nil, columns of the same type, and expressions without a type,
/// such as `Column("score") + 1` and subqueries. A column of `Int64` also compares with an `Int`. The compiler refuses values of other types.
/// It has the functions, arithmetic, `like` and orderings of ``Column``, whose results have no type.
///
/// To compare the column with a value of another type, write `sqlExpression`: `$0.priority.sqlExpression == "high"`.
///
/// A column that may be NULL has the type of its other values: `TypedColumn<Date>("finishedAt") == nil`. In a condition of many terms,
/// write `State.queued` instead of `.queued` if the compiler does not find a mistake in time.
public struct TypedColumn<Value: DatabaseValueConvertible>: NamedColumn, Sendable {
    /// The name of the column.
    public let name: String

    /// The column's quoted name, qualified with its table if the query has several.
    public let sqlExpression: SQLExpression

    /// Creates a column with a name, without quotes.
    public init(_ name: String) {
        self.init(name, Column(name).sqlExpression)
    }

    /// Creates a column with the name of a coding key.
    public init(_ key: some CodingKey) {
        self.init(key.stringValue)
    }

    /// Creates a column that knows its table.
    ///
    /// ```swift
    /// struct Payment: TableRecord {
    ///     enum Columns {
    ///         static let id = TypedColumn<Int64>("id", of: Payment.self)
    ///     }
    /// }
    ///
    /// struct Invoice: TableRecord {
    ///     static let payments = hasMany(Payment.self)
    /// }
    ///
    /// // SELECT count("payment"."id") FROM "invoice"
    /// // LEFT JOIN "payment" ON "payment"."invoiceId" = "invoice"."id"
    /// let request = Invoice
    ///     .joining(optional: Invoice.payments)
    ///     .select(count(Payment.Columns.id))
    /// ```
    ///
    /// In a request with several tables, the column belongs to the first of these that has the table's name in the schema:
    ///
    /// - the table of the request or of the association whose clause contains the column;
    /// - another table of the request. If several of them have the name, the request throws ``DatabaseError`` when it runs: take the column
    ///   from the association that joins one of them, ``Association/columns``, or from a ``TableAlias``;
    /// - a table of an outer request, if a subquery contains the column.
    ///
    /// If there is none, as in a request of a common table expression, the column belongs to the table whose clause contains it, like a
    /// column without a table. The same applies to a column of another record type for the same table. A table alias decides for all
    /// columns of its expression.
    ///
    /// - Parameters:
    ///   - name: the name of the column, without quotes.
    ///   - record: the record type whose table has the column. Its `databaseTableName` is read when the column is created.
    public init(_ name: String, of record: any TableRecord.Type) {
        self.init(name, Column(name, of: record).sqlExpression)
    }

    /// Creates a column that knows its table, with the name of a coding key: see ``init(_:of:)-(String,_)``.
    ///
    /// - Parameters:
    ///   - key: the coding key.
    ///   - record: the record type whose table has the column.
    public init(_ key: some CodingKey, of record: any TableRecord.Type) {
        self.init(key.stringValue, of: record)
    }

    /// Creates a column of an aliased table.
    init(_ name: String, _ expression: SQLExpression) {
        self.name = name
        sqlExpression = expression
    }

    /// The same column with optional values, to fetch a column that may be NULL: `fetchColumns(db) { ($0.id, $0.finishedAt.optional) }`.
    public var optional: TypedColumn<Value?> { TypedColumn<Value?>(name, sqlExpression) }

    /// Returns an assignment of a value: `"score" = 1000`, or `"score" = NULL` for nil.
    public func set(to value: Value?) -> ColumnAssignment { ColumnAssignment(self, value?.sqlExpression ?? .null) }

    /// Returns an assignment of the value of a column of the same type: `"score" = "best"`.
    public func set(to column: TypedColumn<Value>) -> ColumnAssignment { ColumnAssignment(self, column.sqlExpression) }

    /// Returns an assignment of the value of an expression: `"score" = "best" + 1`.
    public func set(to expression: any SQLSpecificExpressible) -> ColumnAssignment { ColumnAssignment(self, expression.sqlExpression) }
}

extension TypedColumn<Int64> {
    /// Returns an assignment of a value: `"score" = 1000`.
    public func set(to value: Int) -> ColumnAssignment { set(to: Int64(value)) }
}
