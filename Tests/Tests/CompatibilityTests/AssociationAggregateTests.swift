import Strata
import Testing

@Suite("Aggregates of associations as GRDB's users write them")
struct AssociationAggregateTests {
    /// The values of one annotation, for the teams in order.
    private func values(_ aggregate: any SQLSelectable, key: String? = nil) throws -> [DatabaseValue] {
        try makeDatabase().read { db throws in
            let rows = try Team.annotated(with: aggregate).orderByPrimaryKey().asRequest(of: Row.self).fetchAll(db)
            if let key { #expect(rows.allSatisfy { Array($0.columnNames) == ["id", "name", key] }) }
            return rows.map { $0.databaseValues.last! }
        }
    }

    private func values(_ values: any DatabaseValueConvertible...) -> [DatabaseValue] { values.map(\.databaseValue) }

    @Test
    func `Closures and key paths name the columns of the associated records`() throws {
        #expect(try values(Team.players.average { $0.score }, key: "averagePlayerScore") == values(20.0, 20.0))
        #expect(try values(Team.players.average(\.score), key: "averagePlayerScore") == values(20.0, 20.0))
        #expect(try values(Team.players.max(\.score), key: "maxPlayerScore") == values(30, 20))
        #expect(try values(Team.players.min(\.score), key: "minPlayerScore") == values(10, 20))
        #expect(try values(Team.players.min { -$0.score }) == values(-30, -20))
        #expect(try values(Team.players.sum(\.score), key: "playerScoreSum") == values(40, 20))
        #expect(try values(Team.players.sum { $0.score * $0.score }) == values(1000, 400))
        #expect(try values(Team.players.total { $0.score * 2 }) == values(80.0, 40.0))
        #expect(try values(Team.players.max { length($0.name) }.forKey("longest"), key: "longest") == values(7, 5))
    }

    @Test
    func `Functions and operators take aggregates`() throws {
        #expect(try values(abs(Team.players.min { -$0.score })) == values(30, 20))
        #expect(try values(length(Team.players.max(\.name))) == values(7, 5))
        #expect(try values(cast(Team.players.average(\.score), as: .integer), key: "averagePlayerScore") == values(20, 20))
        #expect(try values(cast(Team.players.max(\.score), as: .text)) == values("30", "20"))
        #expect(try values(Team.players.filter { $0.score > 20 }.max(\.score) ?? 0) == values(30, 0))
        #expect(try values(Team.players.max(\.score) * 2 + 1 - Team.players.count) == values(59, 40))
        #expect(try values(100 / Team.players.max(\.score) % 2) == values(1, 1))
        #expect(try values(-Team.players.count) == values(-2, -1))
    }

    @Test
    func `Aggregates may come in an array`() throws {
        let aggregates = [Team.players.count, Team.players.max(\.score)]
        try makeDatabase().read { db throws in
            for request in [Team.annotated(with: aggregates), Team.all().annotated(with: aggregates)] {
                let row = try #require(try request.orderByPrimaryKey().asRequest(of: Row.self).fetchOne(db))
                #expect(row == ["id": 1, "name": "Reds", "playerCount": 2, "maxPlayerScore": 30])
            }
            let row = try #require(try Table<Team>("team").annotated(with: aggregates).asRequest(of: Row.self).fetchOne(db))
            #expect(Array(row.columnNames) == ["id", "name", "playerCount", "maxPlayerScore"])
        }
    }

    @Test
    func `Conditions on aggregates accept Booleans and columns`() throws {
        let isActive = true
        try makeDatabase().read { db throws in
            func names(_ request: QueryInterfaceRequest<Team>) throws -> [String] {
                try request.order(\.name).fetchAll(db).map(\.name)
            }
            #expect(try names(Team.having(Team.players.count > 1 && isActive)) == ["Reds"])
            #expect(try names(Team.having(!isActive || Team.players.isEmpty)) == [])
            #expect(try names(Team.having(Team.players.count == Column("id"))) == [])
            #expect(try names(Team.having(Team.players.max(\.score) > 20 || Column("name") == "Blues")) == ["Blues", "Reds"])
            #expect(try names(Team.filter(!(Team.players.min(\.score) < 15))) == ["Blues"])
        }
    }

    @Test
    func `count takes every kind of argument`() throws {
        try makeDatabase().read { db throws in
            func value(_ expression: SQLExpression) throws -> Int? {
                try Player.select(expression, as: Int.self).fetchOne(db)
            }
            let name: SQL = "name"
            let some: any SQLExpressible = Column("teamId")
            #expect(try value(count(Column("id"))) == 3)
            #expect(try value(count(Column("score") + 1)) == 3)
            #expect(try value(count(name)) == 3)
            #expect(try value(count(some)) == 3)
            #expect(try value(count(1)) == 3)
            #expect(try value(count("x".databaseValue)) == 3)
            #expect(try value(count(.allColumns)) == 3)
            #expect(try value(count(distinct: Column("teamId"))) == 2)
            #expect(try value(count(distinct: Column("score") / 100)) == 1)
            #expect(try value(count(distinct: name)) == 3)
            #expect(try value(count(distinct: some)) == 2)
            #expect(try value(count(distinct: "x")) == 1)
            #expect(try Player.select({ count(distinct: $0.teamId) }, as: Int.self).fetchOne(db) == 2)
        }
    }
}
