import Foundation
import QueryInterface
import Testing

/// An expression, its SQL, and its values in the rows of a table.
struct ExpressionSample: Sendable, CustomTestStringConvertible {
    let expression: SQLExpression
    let sql: String
    let values: [DatabaseValue]

    init(_ expression: some SQLExpressible, _ sql: String, _ values: [(any DatabaseValueConvertible)?]) {
        self.expression = expression.sqlExpression
        self.sql = sql
        self.values = values.map { $0?.databaseValue ?? .null }
    }

    var testDescription: String { sql }

    /// Runs `SELECT … FROM "player" ORDER BY "id"`: as it is, with values as literals, and with packed lists.
    func check(
        _ table: String = "player", createdBy creation: String = Player.createTable,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try withDatabase(creation) { db throws in
            let (sql, values) = try evaluate(expression, in: table, db)
            #expect(sql == self.sql, sourceLocation: sourceLocation)
            #expect(values == self.values, sourceLocation: sourceLocation)
            let literals = try evaluate(expression, in: table, db) { $0.writesLiterals = true }
            #expect(literals.values == self.values, "with literals: \(literals.sql)", sourceLocation: sourceLocation)
            let packed = try evaluate(expression, in: table, db) { $0.packsLists = true }
            #expect(packed.values == self.values, "with packed lists: \(packed.sql)", sourceLocation: sourceLocation)
        }
    }
}

/// The SQL of an expression with the values of its arguments, and its values in the rows of a table.
func evaluate(
    _ expression: some SQLSelectable, in table: String = "player", _ db: Database,
    _ configure: (inout SQLRenderer) -> Void = { _ in }
) throws -> (sql: String, values: [DatabaseValue]) {
    var renderer = SQLRenderer(database: db)
    configure(&renderer)
    renderer.append("SELECT ")
    try renderer.append(expression.sqlSelection)
    let end = " FROM \(table.quotedDatabaseIdentifier) ORDER BY \"id\""
    renderer.append(end)
    let statement = try db.makeStatement(sql: renderer.sql)
    try statement.setArguments(renderer.arguments)
    let sql = statement.expandedSQL.dropFirst("SELECT ".count).dropLast(end.count)
    return (String(sql), try DatabaseValue.fetchAll(statement))
}
