import Foundation
@testable import QueryInterface
import Testing

/// What names mean in expressions, and which values a column encodes there.
@Suite struct ExpressionScopeTests {
    private typealias Author = ColumnValueTests.Author
    private typealias Book = ColumnValueTests.Book
    private typealias Reader = ColumnValueTests.Reader

    /// A program's function, whose node holds the structure that makes the node.
    private struct Hexadecimal: SQLSpecificExpressible {
        let text: SQLExpression

        var sqlExpression: SQLExpression { SQLExpression(Call(function: self)) }

        private struct Call: SQLExpressionNode {
            let function: Hexadecimal

            func render(to renderer: inout SQLRenderer) throws {
                renderer.append("hex(")
                try renderer.append(function.text)
                renderer.append(")")
            }
        }
    }

    private func sql(_ request: some FetchRequest) throws -> String {
        try withDatabase(ColumnValueTests.schema) { try request.sql($0) }
    }

    @Test
    func `A node can hold the structure that makes it, and what it holds counts as nested`() throws {
        #expect(try sql(Table<Row>("book").filter(Hexadecimal(text: Column("id").sqlExpression) == 1)).hasSuffix(#"hex("id") = 1"#))
        var text = Column("id").sqlExpression
        for _ in 0..<3_000 { text = Hexadecimal(text: text).sqlExpression }
        let deep = text
        let error = #expect(throws: DatabaseError.self) { try sql(Table<Row>("book").filter(deep)) }
        #expect(error?.resultCode == .SQLITE_TOOBIG)
    }

    @Test
    func `An alias with a record type encodes the values of a table without one`() throws {
        let author = TableAlias<Author>()
        let rows = Table<Row>("author").aliased(author)
        let expected = #"SELECT "author".* FROM "author" WHERE "author"."born" > 864000"#
        #expect(try sql(rows.filter(author[Column("born") > ColumnValueTests.date])) == expected)
        #expect(try sql(rows.filter(author[Column("born")] > ColumnValueTests.date)) == expected)
    }

    @Test
    func `A value is encoded for the first column whose record type encodes it`() throws {
        let (reader, book) = (TableAlias<Reader>(), TableAlias<Book>())
        let association = Reader.hasMany(Book.self, using: ForeignKey(["authorId"]))
        let request = Reader.aliased(reader).joining(required: association.aliased(book))
            .filter(coalesce([reader[Column("born")], book[Column("published")], ColumnValueTests.date.sqlExpression]) == nil)
        #expect(try sql(request).hasSuffix(#"WHERE coalesce("author"."born", "book"."published", 10) IS NULL"#))
    }

    @Test
    func `The table of a condition's alias has the associations that the request joins to it`() throws {
        let association = Book.association(to: Table<Row>("author")) { book, author in
            book[Book.author.columns.id] == author[Column("id")]
        }
        let request = Book.joining(required: Book.author.forKey("author")).joining(required: association.forKey("other"))
        #expect(try sql(request).hasSuffix(#"JOIN "author" AS "author2" ON "author1"."id" = "author2"."id""#))
    }

    @Test
    func `Long chains that grow by other chains are chains`() throws {
        let conditions = (0..<20_000).map { Column("id") == $0 }
        let all = stride(from: 1, to: conditions.count - 1, by: 2).reduce(conditions[0]) { $0 || (conditions[$1] || conditions[$1 + 1]) }
        let text = try withDatabase("") { db in try SQL(all).build(db).sql }
        #expect(text.utf8.count { $0 == UInt8(ascii: "?") } == 19_999)
        // The groups of a long chain remain in another one of the same precedence.
        let bits = (0..<1_300).map { SQLExpression(value: .success($0.databaseValue)) }
        let chain = bits.dropFirst().reduce(bits[0]) { $0 | $1 }
        try withDatabase("") { db throws in
            let request = SQLRequest<Int>("SELECT \([chain, 2_047.sqlExpression, 1_023.sqlExpression].joined(operator: .bitwiseAnd))")
            #expect(try request.fetchOne(db) == 1_023)
        }
    }

    @Test
    func `Conditions of long chains get a collation, and give the rows that they select, on a small stack`() throws {
        try onSmallStack {
            let chain = (1..<30_000).reduce(Column("id") == 0) { $0 || Column("id") == $1 }
            try withDatabase(ColumnValueTests.schema) { db throws in
                let text = try SQL(chain.collating(.nocase)).build(db).sql
                #expect(text.contains(#""id" COLLATE NOCASE = ?"#))
            }
            #expect(chain.collated(by: "NOCASE").containsAggregate == false)
        }
    }

    @Test
    func `Nested selections and orderings are limited`() throws {
        var selection = Column("id").sqlSelection
        var ordering = Column("id").desc
        for _ in 0..<3_000 {
            selection = Book.author.columns[selection]
            ordering = Book.author.columns[ordering]
        }
        let (deepSelection, deepOrdering) = (selection, ordering)
        #expect(throws: DatabaseError.self) { try sql(Book.joining(required: Book.author).select(deepSelection, as: Row.self)) }
        #expect(throws: DatabaseError.self) { try sql(Book.joining(required: Book.author).order(deepOrdering)) }
    }
}
