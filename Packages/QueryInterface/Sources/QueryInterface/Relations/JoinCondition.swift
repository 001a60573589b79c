import RowDecoding

/// The condition that joins the rows of two tables.
enum JoinCondition: Sendable, Equatable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
    /// A foreign key of one of the tables.
    case foreignKey(ForeignKeyRequest, originIsLeft: Bool)
    /// A closure that returns an expression on the columns of both tables, or nil to join every row with every row.
    case closure(Predicate?)
    /// The expression that the closure has returned for a query.
    case expression(Expression)

    /// A closure that returns an expression on the columns of two tables.
    final class Predicate: Sendable, Equatable {
        let makeExpression: @Sendable () -> Expression

        init(_ makeExpression: @escaping @Sendable () -> Expression) {
            self.makeExpression = makeExpression
        }

        static func == (lhs: Predicate, rhs: Predicate) -> Bool { lhs === rhs }
    }

    /// An expression on the columns of two tables.
    final class Expression: Sendable, Equatable {
        /// The aliases of the tables in this join.
        let left: TableAliasBase
        let right: TableAliasBase
        let expression: SQLExpression

        init(left: TableAliasBase, right: TableAliasBase, _ expression: SQLExpression) {
            (self.left, self.right, self.expression) = (left, right, expression)
        }

        var reversed: Expression { Expression(left: right, right: left, expression) }

        static func == (lhs: Expression, rhs: Expression) -> Bool { lhs === rhs }
    }

    /// The condition for one query, for which it calls the closure.
    var computed: JoinCondition {
        if case .closure(let predicate?) = self { .expression(predicate.makeExpression()) } else { self }
    }

    /// Whether a closure makes the condition of each query.
    var isClosure: Bool {
        if case .closure(_?) = self { true } else { false }
    }

    /// The expression that a closure has returned.
    var expression: Expression? {
        if case .expression(let expression) = self { expression } else { nil }
    }

    /// Returns the pairs of columns that must be equal, or nil if the condition is not a foreign key.
    ///
    /// - Throws: ``DatabaseError`` when the schema does not define exactly one such foreign key.
    func columns(_ db: Database) throws -> [(left: String, right: String)]? {
        guard case .foreignKey(let request, let originIsLeft) = self else { return nil }
        return try request.mapping(db).map { pair in
            originIsLeft ? (left: pair.origin, right: pair.destination) : (left: pair.destination, right: pair.origin)
        }
    }

    /// The table on the left, or nil if the condition is not a foreign key.
    var leftTable: String? {
        guard case .foreignKey(let request, let originIsLeft) = self else { return nil }
        return originIsLeft ? request.origin : request.destination
    }

    /// The condition with left and right exchanged.
    var reversed: JoinCondition {
        switch self {
        case .foreignKey(let request, let originIsLeft):
            .foreignKey(request, originIsLeft: !originIsLeft)
        case .closure(let predicate):
            .closure(predicate.map { predicate in Predicate { predicate.makeExpression().reversed } })
        case .expression(let expression):
            .expression(expression.reversed)
        }
    }
}

/// A foreign key between two tables, whose columns the schema may have to complete.
///
/// It is an object, because each request with the association copies it.
final class ForeignKeyRequest: Sendable, Equatable {
    let origin: String
    let destination: String
    let key: ForeignKey?

    /// The description in the shape of a query. Most associations are constants, and each query describes them again.
    let words: [UInt64]

    init(origin: String, destination: String, key: ForeignKey?) {
        (self.origin, self.destination, self.key) = (origin, destination, key)
        var shape = SQLShape()
        shape.append(origin)
        shape.append(destination)
        shape.append(key?.originColumns) { $0.append($1) }
        shape.append(key?.destinationColumns) { $0.append($1) }
        words = shape.words
    }

    static func == (lhs: ForeignKeyRequest, rhs: ForeignKeyRequest) -> Bool {
        lhs === rhs || (lhs.origin == rhs.origin && lhs.destination == rhs.destination && lhs.key == rhs.key)
    }

    /// Returns the columns of the foreign key with the columns that they refer to.
    ///
    /// - Throws: ``DatabaseError`` when the schema does not define exactly one such foreign key.
    func mapping(_ db: Database) throws -> [(origin: String, destination: String)] {
        if let key, let columns = key.destinationColumns {
            return try pairs(key.originColumns, columns)
        }
        let originTable = try TableReference(origin, in: db)
        let destinationTable = try TableReference(destination, in: db)
        let candidates = try db.foreignKeys(on: originTable.name, in: originTable.schema).filter { foreignKey in
            foreignKey.destinationTable.isEqualIgnoringASCIICase(to: destinationTable.name)
        }
        if let key {
            let columns = Set(key.originColumns.map(SchemaName.init))
            if let declared = candidates.first(where: { Set($0.originColumns.map(SchemaName.init)) == columns }) {
                return declared.mapping
            }
            return try pairs(key.originColumns, destinationTable.primaryKey(db).columns)
        }
        guard let foreignKey = candidates.first else {
            throw DatabaseError.misuse(
                "no foreign key of \(origin) refers to \(destination)",
                advice: "Declare a foreign key in the table, or give the association its columns with using: ForeignKey([…]).")
        }
        guard candidates.count == 1 else {
            let keys = candidates.map { "(\($0.originColumns.joined(separator: ", ")))" }.joined(separator: " and ")
            throw DatabaseError.misuse(
                "several foreign keys of \(origin) refer to \(destination): \(keys)",
                advice: "Say which one the association follows with using: ForeignKey([…]).")
        }
        return foreignKey.mapping
    }

    private func pairs(_ origins: [String], _ destinations: [String]) throws -> [(origin: String, destination: String)] {
        guard origins.count == destinations.count, !origins.isEmpty else {
            throw DatabaseError.misuse(
                "a foreign key of \(origin) has \(origins.count.counted("column")) (\(origins.joined(separator: ", "))), "
                    + "but refers to \(destinations.count) of \(destination) (\(destinations.joined(separator: ", ")))")
        }
        return zip(origins, destinations).map { (origin: $0, destination: $1) }
    }
}

/// The columns with which one table refers to another.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self, using: ForeignKey(["authorId"]))
///     static let translator = belongsTo(
///         Author.self, key: "translator",
///         using: ForeignKey(["translatorId"], to: ["id"]))
/// }
/// ```
public struct ForeignKey: Sendable, Equatable {
    let originColumns: [String]
    let destinationColumns: [String]?

    /// Creates a foreign key from the names of its columns.
    ///
    /// - Parameters:
    ///   - originColumns: the columns of the table that refers to the other table.
    ///   - destinationColumns: the columns that they refer to. By default, the destination columns of the schema's foreign key with the
    ///     same columns, or else the primary key.
    public init(_ originColumns: [String], to destinationColumns: [String]? = nil) {
        self.originColumns = originColumns
        self.destinationColumns = destinationColumns
    }

    /// Creates a foreign key from its columns.
    ///
    /// - Parameters:
    ///   - originColumns: the columns of the table that refers to the other table.
    ///   - destinationColumns: the columns that they refer to. By default, the destination columns of the schema's foreign key with the
    ///     same columns, or else the primary key.
    public init(_ originColumns: [any NamedColumn], to destinationColumns: [any NamedColumn]? = nil) {
        self.init(originColumns.map(\.name), to: destinationColumns?.map(\.name))
    }
}
