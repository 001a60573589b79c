import Foundation
import QueryInterface
import Testing

private let info = JSONColumn("info")
private let name = Column("name")

@Suite struct JSONExpressionTests {
    static let creation = """
        CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, info TEXT);
        INSERT INTO player VALUES
            (1, 'Arthur', '{"country":"France","tags":["a",2],"address":{"city":"Lyon"}}'), (2, 'Barbara', NULL)
        """

    private func check(_ samples: [ExpressionSample], sourceLocation: SourceLocation = #_sourceLocation) throws {
        for sample in samples { try sample.check(createdBy: Self.creation, sourceLocation: sourceLocation) }
    }

    @Test
    func `A JSON array contains a value`() throws {
        let tags = info.jsonRepresentation(atPath: "tags")
        let each = #" IN (SELECT "value" FROM json_each("info" -> 'tags'))"#
        try check([
            ExpressionSample(tags.contains("a"), "'a'" + each, [1, 0]),
            ExpressionSample(tags.contains(2), "2" + each, [1, 0]),
            ExpressionSample(tags.contains("2"), "'2'" + each, [0, 0]),
            ExpressionSample(!tags.contains("a"), "NOT 'a'" + each, [0, 1]),
            ExpressionSample(tags.contains(name == "x"), #"("name" = 'x')"# + each, [0, 0]),
        ])
        // Columns with the names of the columns of `json_each`.
        try withDatabase(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, value TEXT, json TEXT, path TEXT);
            INSERT INTO item VALUES (1, '["a",1]', '[2]', 'a'), (2, '["b"]', '["b","a"]', 'a'), (3, NULL, '{"x":3}', NULL)
            """
        ) { db throws in
            let item = Table("item")
            #expect(
                try item.filter(JSONColumn("value").contains("a")).sql(db)
                    == #"SELECT * FROM "item" WHERE 'a' IN (SELECT "value" FROM json_each("item"."value"))"#)
            func ids(_ condition: SQLExpression) throws -> [Int] {
                try item.filter(condition).select(Column("id"), as: Int.self).fetchAll(db)
            }
            #expect(try ids(JSONColumn("value").contains(Column("path"))) == [1])
            #expect(try ids(JSONColumn("value").contains(Column("id"))) == [1])
            #expect(try ids(JSONColumn("json").contains("b")) == [2])
            #expect(try ids(JSONColumn("json").contains(Column("id"))) == [3])
            // In a join, and in a subquery.
            let other = item.association(to: item, on: { $0["id"] == $1["id"] }).forKey("other")
            let joined = item.joining(required: other.filter(JSONColumn("json").contains("a")))
            #expect(try joined.select(Column("id"), as: Int.self).fetchAll(db) == [2])
            #expect(try ids(item.filter(JSONColumn("value").contains("b")).exists()) == [1, 2, 3])
        }
    }

    @Test
    func `Values in JSON`() throws {
        try check([
            ExpressionSample(info["country"], #""info" ->> 'country'"#, ["France", nil]),
            ExpressionSample(info["$.address.city"], #""info" ->> '$.address.city'"#, ["Lyon", nil]),
            ExpressionSample(info["tags"], #""info" ->> 'tags'"#, [#"["a",2]"#, nil]),
            ExpressionSample(info["nothing"], #""info" ->> 'nothing'"#, [nil, nil]),
            ExpressionSample(info["country"] == "France", #""info" ->> 'country' = 'France'"#, [1, nil]),
            ExpressionSample(
                [info["country"], "!"].joined(operator: .concat), #""info" ->> 'country' || '!'"#, ["France!", nil]),
            ExpressionSample(
                ["! ".sqlExpression, info["country"]].joined(operator: .concat), #"'! ' || ("info" ->> 'country')"#, ["! France", nil]),
            ExpressionSample(info.jsonExtract(atPath: "$.country"), #"json_extract("info", '$.country')"#, ["France", nil]),
            ExpressionSample(
                info.jsonExtract(atPaths: ["$.country", "$.tags[1]"]), #"json_extract("info", '$.country', '$.tags[1]')"#,
                [#"["France",2]"#, nil]),
            ExpressionSample(info.jsonRepresentation(atPath: "country"), #""info" -> 'country'"#, [#""France""#, nil]),
            ExpressionSample(info.jsonRepresentation(atPath: "tags")[1], #""info" -> 'tags' ->> 1"#, [2, nil]),
            ExpressionSample(
                info[SQL("'coun' || 'try'")], #""info" ->> ('coun' || 'try')"#, ["France", nil]),
            ExpressionSample(Column("info").asJSON["country"], #""info" ->> 'country'"#, ["France", nil]),
            ExpressionSample(AnySQLJSONExpressible(info)["country"], #""info" ->> 'country'"#, ["France", nil]),
            ExpressionSample(
                [Column("info"), " "].joined(operator: .concat).asJSON["country"], #""info" || ' ' ->> 'country'"#, ["France", nil]),
            ExpressionSample(info == nil, #""info" IS NULL"#, [0, 1]),
        ])
    }

    @Test
    func `Functions that build JSON keep JSON arguments as JSON`() throws {
        let location = #"{"country":"France","tags":["a",2],"address":{"city":"Lyon"}}"#
        try check([
            ExpressionSample(Database.json("[1, 2]"), "json('[1, 2]')", ["[1,2]", "[1,2]"]),
            ExpressionSample(
                Database.jsonArray([name, Column("id")]), #"json_array("name", "id")"#, [#"["Arthur",1]"#, #"["Barbara",2]"#]),
            ExpressionSample(
                Database.jsonArray([1, "a", info["country"]]),
                #"json_array(1, 'a', "info" ->> 'country')"#, [#"[1,"a","France"]"#, #"[1,"a",null]"#]),
            ExpressionSample(Database.jsonArray([1, 2]), "json_array(1, 2)", ["[1,2]", "[1,2]"]),
            ExpressionSample(Database.jsonArray([info]), #"json_array(json("info"))"#, ["[\(location)]", "[null]"]),
            ExpressionSample(
                Database.jsonArray([Column("info")]), #"json_array("info")"#,
                [#"["{\"country\":\"France\",\"tags\":[\"a\",2],\"address\":{\"city\":\"Lyon\"}}"]"#, "[null]"]),
            ExpressionSample(
                Database.jsonArray([info.jsonRepresentation(atPath: "tags")]), #"json_array("info" -> 'tags')"#,
                [#"[["a",2]]"#, "[null]"]),
            ExpressionSample(
                Database.jsonArray([Database.jsonArray([name]).asJSON]), #"json_array(json_array("name"))"#,
                [#"[["Arthur"]]"#, #"[["Barbara"]]"#]),
            ExpressionSample(
                Database.jsonObject(["name": name, "info": info, "one": 1]),
                #"json_object('info', json("info"), 'name', "name", 'one', 1)"#,
                [#"{"info":\#(location),"name":"Arthur","one":1}"#, #"{"info":null,"name":"Barbara","one":1}"#]),
            ExpressionSample(
                Database.jsonObject(["b": 1, "a": name] as KeyValuePairs<String, any SQLExpressible>),
                #"json_object('b', 1, 'a', "name")"#, [#"{"b":1,"a":"Arthur"}"#, #"{"b":1,"a":"Barbara"}"#]),
            ExpressionSample(Database.jsonQuote(name), #"json_quote("name")"#, [#""Arthur""#, #""Barbara""#]),
            ExpressionSample(Database.jsonQuote(info), #"json_quote(json("info"))"#, [location, "null"]),
        ])
    }

    @Test
    func `asJSON parses the text at a path, which may be JSON in a string`() throws {
        let creation = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, info TEXT);
            INSERT INTO player VALUES (1, '{"text":"[1,2]","list":[3]}'), (2, NULL)
            """
        for sample in [
            ExpressionSample(
                Database.jsonArray([info.jsonExtract(atPath: "$.text").asJSON]), #"json_array(json(json_extract("info", '$.text')))"#,
                ["[[1,2]]", "[null]"]),
            ExpressionSample(
                Database.jsonArray([info.jsonExtract(atPath: "$.list").asJSON]), #"json_array(json(json_extract("info", '$.list')))"#,
                ["[[3]]", "[null]"]),
            ExpressionSample(
                Database.jsonArray([info.jsonExtract(atPaths: ["$.text"]).asJSON]), #"json_array(json(json_extract("info", '$.text')))"#,
                ["[[1,2]]", "[null]"]),
            ExpressionSample(
                Database.jsonArray([info.jsonExtract(atPaths: ["$.text", "$.list"]).asJSON]),
                #"json_array(json_extract("info", '$.text', '$.list'))"#, [#"[["[1,2]",[3]]]"#, "[null]"]),
            ExpressionSample(
                Database.jsonArray([info["text"].asJSON]), #"json_array(json("info" ->> 'text'))"#, ["[[1,2]]", "[null]"]),
            ExpressionSample(
                Database.jsonArray([info.jsonExtract(atPath: "$.text")]), #"json_array(json_extract("info", '$.text'))"#,
                [#"["[1,2]"]"#, "[null]"]),
        ] { try sample.check(createdBy: creation) }
    }

    @Test
    func `JSON of many rows`() throws {
        let location = #"{"country":"France","tags":["a",2],"address":{"city":"Lyon"}}"#
        try check([
            ExpressionSample(Database.jsonGroupArray(name), #"json_group_array("name")"#, [#"["Arthur","Barbara"]"#]),
            ExpressionSample(Database.jsonGroupArray(info), #"json_group_array(json("info"))"#, ["[\(location),null]"]),
            ExpressionSample(
                Database.jsonGroupArray(name, filter: info != nil), #"json_group_array("name") FILTER (WHERE "info" IS NOT NULL)"#,
                [#"["Arthur"]"#]),
            ExpressionSample(
                Database.jsonGroupObject(key: name, value: Column("id")), #"json_group_object("name", "id")"#,
                [#"{"Arthur":1,"Barbara":2}"#]),
            ExpressionSample(
                Database.jsonGroupObject(key: name, value: info, filter: Column("id") == 1),
                #"json_group_object("name", json("info")) FILTER (WHERE "id" = 1)"#, [#"{"Arthur":\#(location)}"#]),
        ])
    }

    @Test
    func `Functions that describe JSON`() throws {
        try check([
            ExpressionSample(Database.jsonArrayLength("[1,2,3]"), "json_array_length('[1,2,3]')", [3, 3]),
            ExpressionSample(Database.jsonArrayLength(info, atPath: "$.tags"), #"json_array_length("info", '$.tags')"#, [2, nil]),
            ExpressionSample(Database.jsonExtract(info, atPath: "$.country"), #"json_extract("info", '$.country')"#, ["France", nil]),
            ExpressionSample(
                Database.jsonExtract(info, atPaths: ["$.country"]), #"json_extract("info", '$.country')"#, ["France", nil]),
            ExpressionSample(Database.jsonIsValid(info) && info != nil, #"json_valid("info") AND "info" IS NOT NULL"#, [1, 0]),
            ExpressionSample(Database.jsonIsValid("{"), "json_valid('{')", [0, 0]),
            ExpressionSample(Database.jsonType(info), #"json_type("info")"#, ["object", nil]),
            ExpressionSample(Database.jsonType(info, atPath: "$.tags"), #"json_type("info", '$.tags')"#, ["array", nil]),
        ])
    }

    @Test
    func `Changing JSON`() throws {
        let tags = Column("tags").asJSON
        let creation = """
            CREATE TABLE player (id INTEGER PRIMARY KEY, tags TEXT);
            INSERT INTO player VALUES (1, '{"a":1,"b":[2]}')
            """
        for sample in [
            ExpressionSample(
                Database.jsonInsert(tags, ["$.a": 5, "$.c": "x"]), #"json_insert("tags", '$.a', 5, '$.c', 'x')"#,
                [#"{"a":1,"b":[2],"c":"x"}"#]),
            ExpressionSample(
                Database.jsonReplace(tags, ["$.a": 5, "$.c": "x"]), #"json_replace("tags", '$.a', 5, '$.c', 'x')"#,
                [#"{"a":5,"b":[2]}"#]),
            ExpressionSample(
                Database.jsonSet(tags, ["$.a": 5, "$.c": tags]), #"json_set("tags", '$.a', 5, '$.c', json("tags"))"#,
                [#"{"a":5,"b":[2],"c":{"a":1,"b":[2]}}"#]),
            ExpressionSample(
                Database.jsonSet(tags, ["$.a": Database.jsonArray([1])]), #"json_set("tags", '$.a', json_array(1))"#,
                [#"{"a":[1],"b":[2]}"#]),
            ExpressionSample(Database.jsonPatch(tags, with: #"{"a":null}"#), #"json_patch("tags", '{"a":null}')"#, [#"{"b":[2]}"#]),
            ExpressionSample(Database.jsonRemove(tags, atPath: "$.a"), #"json_remove("tags", '$.a')"#, [#"{"b":[2]}"#]),
            ExpressionSample(
                Database.jsonRemove(tags, atPaths: ["$.a", "$.b[0]"]), #"json_remove("tags", '$.a', '$.b[0]')"#, [#"{"b":[]}"#]),
        ] { try sample.check(createdBy: creation) }
    }

    @Test
    func `A JSON column of an alias is JSON`() throws {
        try withDatabase(Self.creation) { db throws in
            let alias = TableAlias(name: "p")
            func sql(_ expression: some SQLExpressible) throws -> String {
                let sql = try Table("player").aliased(alias).select(expression.sqlExpression).sql(db)
                return String(sql.dropFirst("SELECT ".count).dropLast(#" FROM "player" AS "p""#.count))
            }
            #expect(try sql(alias[info]["country"]) == #""p"."info" ->> 'country'"#)
            #expect(try sql(alias[info].jsonExtract(atPath: "$.country")) == #"json_extract("p"."info", '$.country')"#)
            #expect(try sql(alias[info].jsonRepresentation(atPath: "tags")[1]) == #""p"."info" -> 'tags' ->> 1"#)
            #expect(try sql(Database.jsonArray([alias[info]])) == #"json_array(json("p"."info"))"#)
            #expect(try sql(Database.jsonArray([alias[name]])) == #"json_array("p"."name")"#)
            #expect(try sql(Database.jsonArray([alias[name].asJSON])) == #"json_array(json("p"."name"))"#)
            #expect(try sql(Database.jsonArray([alias[name.asJSON]])) == #"json_array(json("p"."name"))"#)
            #expect(try sql(alias[info] == nil) == #""p"."info" IS NULL"#)
            let expression: SQLExpression = alias[info]
            #expect(try sql(expression) == #""p"."info""#)
        }
    }

    @Test
    func `A JSON column works like other columns`() throws {
        enum CodingKeys: String, CodingKey { case info }
        try withDatabase(Self.creation) { db throws in
            let row = try #require(try Row.fetchOne(db, sql: "SELECT * FROM player"))
            let text: String = row[JSONColumn(CodingKeys.info)]
            #expect(text.hasPrefix("{"))
            #expect(try evaluate(JSONColumn(CodingKeys.info).sqlSelection, db).sql == #""info""#)
            #expect(throws: DatabaseError.self) { try evaluate(Database.json("{"), db) }
        }
    }
}
