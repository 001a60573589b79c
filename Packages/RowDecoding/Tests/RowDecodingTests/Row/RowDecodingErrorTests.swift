import Foundation
import RowDecoding
import Testing

struct RowDecodingErrorTests {
    private func error(_ body: () throws -> Void) throws -> RowDecodingError {
        try #require(#expect(throws: RowDecodingError.self, performing: body))
    }

    @Test
    func `An error names the type, the column, the storage class, the columns and the SQL, and shows no value`() throws {
        try withDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ? AS name, 'a lot' AS score")
            let rows = try Row.fetchCursor(statement, arguments: ["Arthur"])
            let row = try #require(try rows.next())
            for row in [row, row.copy()] {
                let error = try error { _ = try row.decode(Int.self, forKey: "score") }
                #expect(error.column == "score")
                #expect(error.columnIndex == 1)
                #expect(error.value == "a lot".databaseValue)
                #expect(error.typeName == "Int")
                #expect(error.sql == "SELECT ? AS name, 'a lot' AS score")
                #expect(
                    error.description == """
                        could not decode Int from column 1 "score": its value is TEXT - columns: [name score] \
                        - SQL: `SELECT ? AS name, 'a lot' AS score`
                        """)
                #expect(String(reflecting: error) == error.description)
                #expect(error.rowDescription == #"[name:"Arthur" score:"a lot"]"#)
            }
        }
    }

    @Test
    func `Values and arguments are shown when they are public, also by copies and scopes`() throws {
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        let queue = try DatabaseQueue(configuration: configuration)
        let sql = "SELECT ? AS name, x'0102' AS photo"
        try queue.read { db in
            let statement = try db.makeStatement(sql: sql)
            let rows = try Row.fetchCursor(
                statement, arguments: ["Arthur"], adapter: ScopeAdapter(["player": SuffixRowAdapter(fromIndex: 0)]))
            let row = try #require(try rows.next())
            let scope = try #require(row.scopes["player"])
            let (inScope, outside) = (#" of "player""#, "")
            for (row, place) in [
                (row, outside), (row.copy(), outside), (scope, inScope), (scope.copy(), inScope), (row.unscoped, outside),
                (row.unadapted, outside),
            ] {
                let error = try error { _ = try row.decode(Int.self, atIndex: 0) }
                #expect(error.arguments == ["Arthur"])
                #expect(
                    error.description == """
                        could not decode Int from column 0 "name"\(place): its value is "Arthur" - row: [name:"Arthur" photo:Data(2 bytes)] \
                        - SQL: `\(sql)` with arguments ["Arthur"]
                        """)
            }
        }
    }

    @Test
    func `The values of a row that was not fetched are private`() throws {
        let row: Row = ["name": "Arthur"]
        #expect(
            try error { _ = try row.decode(Int.self, atIndex: 0) }.description
                == #"could not decode Int from column 0 "name": its value is TEXT - columns: [name]"#)
    }

    @Test
    func `An error names the scopes and the association of its row`() throws {
        try withDatabase { db throws in
            let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 1).addingScopes(["league": SuffixRowAdapter(fromIndex: 2)])])
            let rows = try Row.fetchCursor(db, sql: "SELECT 1 AS id, 2 AS id, NULL AS id", adapter: adapter)
            let row = try #require(try rows.next())
            let copy = row.copy()
            copy.setPrefetchedRows([["id": nil]], forKey: "players", inScope: ["team"])
            for row in [row, copy] {
                let league = try #require(row.scopesTree["league"])
                for league in [league, league.copy(), league.unscoped] {
                    let error = try error { _ = try league.decode(Int.self, forKey: "id") }
                    #expect(error.scopes == ["team", "league"])
                    #expect(error.description.hasPrefix(#"could not decode Int from column 0 "id" of "team.league": "#))
                }
                let missing = try error { _ = try league.unadapted.decode(Int.self, forKey: "name") }
                #expect(missing.scopes == [])
                #expect(try error { _ = try row.scopes["team"]!.decode(Int.self, forKey: "name") }.scopes == ["team"])
                #expect(try error { _ = try row.decode(Int.self, forKey: "name") }.scopes == [])
            }
            let player = try #require(copy.prefetchedRows["players"]?.first)
            #expect(try error { _ = try player.decode(Int.self, forKey: "id") }.scopes == ["team", "players"])
        }
    }

    @Test
    func `Errors name the missing value, column, scope or key`() throws {
        let row: Row = ["name": nil]
        #expect(
            try error { _ = try row.decode(String.self, forKey: "name") }.description
                == #"could not decode String from column 0 "name": its value is NULL - columns: [name]"#)
        #expect(
            try error { _ = try row.decode(String.self, forKey: "team") }.description
                == #"could not decode String from "team": there is no such column - columns: [name]"#)
        #expect(
            try error { _ = try row.decode(String.self, atIndex: 1) }.description
                == "could not decode String from column 1: the row has 1 column - columns: [name]")
        #expect(
            try error { _ = try row.decode(Team.self, forKey: "team") }.description
                == #"could not decode Team from "team": there is no such scope; the row has no scopes - columns: [name]"#)
        row.setPrefetchedRows([], forKey: "books")
        #expect(
            try error { _ = try row.decode([Team].self, forKey: "teams") }.description
                == #"could not decode Array<Team> from "teams": no rows were prefetched for this key; the row has the prefetched rows books "#
                + "- columns: [name]")
    }

    @Test
    func `An error of a missing name lists the scopes and the prefetched rows, and the most similar name`() throws {
        try withDatabase { db throws in
            let adapter = ScopeAdapter([
                "customer": SuffixRowAdapter(fromIndex: 1).addingScopes(["country": SuffixRowAdapter(fromIndex: 2)])
            ])
            let fetched = try Row.fetchOne(db, sql: "SELECT 1 AS id, 2 AS total_amount, 3 AS code", adapter: adapter)
            let row = try #require(fetched?.copy())
            row.setPrefetchedRows([], forKey: "invoiceLines")
            row.setPrefetchedRows([], forKey: "payments", inScope: ["customer"])
            let lists = "the row has the scopes country, customer and the prefetched rows invoiceLines, payments"
            for (name, hint) in [
                ("lines", "invoiceLines"), ("InvoiceLine", "invoiceLines"), ("payment", "payments"), ("clients", nil),
                ("customers", "customer"), ("totalAmount", "total_amount"), ("codes", "code"),
                (String(repeating: "lines", count: 100), nil),
            ] {
                let end = "\(lists)\(hint.map { "; the most similar name is \"\($0)\"" } ?? "") - columns: [id total_amount code]"
                let column = try error { _ = try row.decode(String.self, forKey: name) }
                #expect(column.description.contains("there is no such column; \(end)"))
                let scope = try error { _ = try row.decode(Team.self, forKey: name) }
                #expect(scope.description.contains("there is no such scope; \(end)"))
                let rows = try error { _ = try row.decode([Team].self, forKey: name) }
                #expect(rows.description.contains("no rows were prefetched for this key; \(end)"))
            }
            // The name exists, and has another kind.
            #expect(
                try error { _ = try row.decode([Team].self, forKey: "customer") }.description
                    .contains("no rows were prefetched for this key; \(lists) - columns"))
        }
    }

    @Test
    func `A long value does not hide the rest of the message`() throws {
        let text = String(repeating: "x", count: 1_000_000)
        var configuration = Configuration()
        configuration.publicStatementArguments = true
        try DatabaseQueue(configuration: configuration).read { db in
            let sql = "SELECT ?1 AS a, CAST(?1 AS BLOB) AS b, ?1 AS c, ?1 AS d"
            let row = try #require(try Row.fetchOne(db, sql: sql, arguments: [text]))
            for column in ["a", "b"] {
                let error = try error { _ = try row.decode(Int.self, forKey: column) }
                #expect(error.value == row[column])
                #expect(error.rowDescription.utf8.count < 3000)
                #expect(error.rowDescription.hasSuffix("…]"))
                #expect(error.description.contains("\(error.rowDescription) - SQL: `\(sql)`"))
            }
        }
        let columns = Row(Dictionary(uniqueKeysWithValues: (0..<1000).map { ("column\($0)", 0) }))
        #expect(try error { _ = try columns.decode(Date.self, atIndex: 1000) }.description.utf8.count < 1500)
    }

    @Test
    func `The subscripts stop the program with the sentence that their twins throw`() async throws {
        let byName = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row: Row = ["name": "Arthur"]
            let _: Int = row["name"]
        }
        #expect(byName?.message.contains(#"could not decode Int from column 0 "name": its value is TEXT - columns: [name]"#) == true)
        let byIndex = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row: Row = ["name": "Arthur"]
            let _: String = row[1]
        }
        #expect(byIndex?.message.contains("could not decode String from column 1: the row has 1 column") == true)
        let missing = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row: Row = ["name": "Arthur"]
            let _: Int = row["score"]
        }
        #expect(missing?.message.contains(#"could not decode Int from "score": there is no such column"#) == true)
        let scope = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let row: Row = ["name": "Arthur"]
            let _: Team = row["team"]
        }
        #expect(scope?.message.contains(#"could not decode Team from "team": there is no such scope"#) == true)
        let literal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let _: Row = ["id": UInt64.max]
        }
        #expect(literal?.message.contains(#"A row can't be created with the value of "id""#) == true)
    }
}
