import Foundation
import SQLiteDriver
import Testing

@Suite struct ArgumentsTests {
    let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue()
    }

    /// Returns the values of a row of a query with arguments.
    private func row(_ sql: String, _ arguments: StatementArguments) throws -> [DatabaseValue] {
        try queue.read { db in
            let statement = try db.makeStatement(sql: sql)
            try statement.setArguments(arguments)
            #expect(statement.arguments == arguments)
            try statement.validateArguments(arguments)
            guard try statement.step() else { return [] }
            return (0..<statement.columnCount).map { statement.databaseValue(at: $0) }
        }
    }

    // MARK: Position and name

    @Test(
        arguments: [
            ("SELECT ?, ?", ["a", 1], [.text("a"), .integer(1)]),
            ("SELECT ?2, ?1", ["a", 1], [.integer(1), .text("a")]),
            ("SELECT ?1, ?1", ["a"], [.text("a"), .text("a")]),
            ("SELECT ?3", ["unused", nil, "c"], [.text("c")]),
            ("SELECT :a, @b, $c", ["a": 1, "b": 2, "c": 3], [.integer(1), .integer(2), .integer(3)]),
            ("SELECT :a, :a", ["a": 1], [.integer(1), .integer(1)]),
            ("SELECT :a, :b", [1, 2], [.integer(1), .integer(2)]),
            ("SELECT :a, ?, :b", ["b": 2, "a": 1] + ["x"], [.integer(1), .text("x"), .integer(2)]),
            ("SELECT :a", ["a": 1, "of no use": 2], [.integer(1)]),
            ("SELECT :a", ["a": nil], [.null]),
            ("SELECT ?", [nil], [.null]),
            ("SELECT 1", [], [.integer(1)]),
            // A repeated name is one parameter; another mark makes another parameter with the same name.
            ("SELECT :a, @a, $a, :a, @a", ["a": 1], [.integer(1), .integer(1), .integer(1), .integer(1), .integer(1)]),
            ("SELECT :a, @a, $a, :a", [1, 2, 3], [.integer(1), .integer(2), .integer(3), .integer(1)]),
            ("SELECT :a, @a", ["a": 1] + [], [.integer(1), .integer(1)]),
            ("SELECT $a::b, $a::b(c)", ["a::b": 1, "a::b(c)": 2], [.integer(1), .integer(2)]),
            ("SELECT :é, @größe", ["é": 1, "größe": 2], [.integer(1), .integer(2)]),
            // Names are case-sensitive, as in SQLite.
            ("SELECT :a, :A", ["a": 1, "A": 2], [.integer(1), .integer(2)]),
            // `?NNN` is a position, and the next parameter has the next position.
            ("SELECT ?2, ?", [1, 2, 3], [.integer(2), .integer(3)]),
            ("SELECT ?, ?1, ?3, ?", [1, 2, 3, 4], [.integer(1), .integer(1), .integer(3), .integer(4)]),
            ("SELECT ?2, :a", [1, 2, 3], [.integer(2), .integer(3)]),
            ("SELECT ?2, :a", ["a": 9] + [1, 2], [.integer(2), .integer(9)]),
            ("SELECT :a, ?1", ["a": 9], [.integer(9), .integer(9)]),
            ("SELECT :a, ?1", [9], [.integer(9), .integer(9)]),
            ("SELECT ?5", [1, 2, 3, 4, 5], [.integer(5)]),
            ("SELECT ?005, ?5", [1, 2, 3, 4, 5], [.integer(5), .integer(5)]),
            ("SELECT ?1, :a, @b, ?2", ["b": "b"] + ["x", "y"], [.text("x"), .text("y"), .text("b"), .text("y")]),
        ] as [(String, StatementArguments, [DatabaseValue])])
    func `Arguments are given by position and by name`(
        _ sql: String, _ arguments: StatementArguments, _ values: [DatabaseValue]
    ) throws {
        #expect(try row(sql, arguments) == values)
    }

    @Test(
        arguments: [
            ("SELECT ?", [], "wrong number of statement arguments: 1 expected, 0 given"),
            ("SELECT ?, ?", [1], "wrong number of statement arguments: 2 expected, 1 given"),
            ("SELECT ?", [1, 2], "wrong number of statement arguments: 1 expected, 2 given"),
            ("SELECT 1", [1], "wrong number of statement arguments: 0 expected, 1 given"),
            ("SELECT ?3", [1], "wrong number of statement arguments: 3 expected, 1 given"),
            ("SELECT :name", [], "missing statement argument: :name"),
            ("SELECT :name", ["nane": 1], "missing statement argument: :name"),
            ("SELECT @a, $b", ["a": 1], "missing statement argument: $b"),
            ("SELECT :name", ["NAME": 1], "missing statement argument: :name"),
            ("SELECT :a", ["a": 1] + [2], "wrong number of statement arguments: 1 expected, 2 given"),
            ("SELECT ?5", [1], "wrong number of statement arguments: 5 expected, 1 given"),
            ("SELECT ?5", [1, 2, 3, 4, 5, 6], "wrong number of statement arguments: 5 expected, 6 given"),
            ("SELECT ?5", ["5": 1], "missing statement argument: parameter 1 has no name, and needs an argument without one"),
            ("SELECT ?2, :a", ["a": 1], "missing statement argument: parameter 1 has no name, and needs an argument without one"),
            ("SELECT ?", ["a": 1], "missing statement argument: parameter 1 has no name, and needs an argument without one"),
            ("SELECT :a, ?", ["a": 1], "missing statement argument: parameter 2 has no name, and needs an argument without one"),
            ("SELECT ?, ?", ["a": 1] + [2], "missing statement argument: parameter 2 has no name, and needs an argument without one"),
            ("SELECT ?2, :a", [1, 2], "missing statement argument: :a"),
            ("SELECT :a, :A", ["a": 1], "missing statement argument: :A"),
            ("SELECT :a, :a", [1, 2], "wrong number of statement arguments: 1 expected, 2 given"),
            ("SELECT ?1, ?1", [1, 2], "wrong number of statement arguments: 1 expected, 2 given"),
            ("SELECT :a", [":a": 1], "missing statement argument: :a"),
        ] as [(String, StatementArguments, String)])
    func `Arguments that do not fit are an error before anything runs`(
        _ sql: String, _ arguments: StatementArguments, _ message: String
    ) throws {
        try queue.writeWithoutTransaction { db in
            let statement = try db.makeStatement(sql: sql)
            for attempt in [
                { try statement.validateArguments(arguments) }, { try statement.setArguments(arguments) },
                { try statement.execute(arguments: arguments) }, { try db.execute(sql: sql, arguments: arguments) },
            ] {
                let error = expectError(.SQLITE_MISUSE) { try attempt() }
                #expect(error?.message == message)
                #expect(error?.sql == sql)
                #expect(error?.arguments == arguments)
                #expect(error?.description.hasSuffix("Pass one value for each parameter.") == true)
            }
            #expect(try db.integers("SELECT 1") == [1])
        }
    }

    @Test
    func `The error of a numbered parameter explains its position`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?5")
            for arguments in [[1], [1, 2, 3, 4, 5, 6]] as [StatementArguments] {
                let error = expectError(.SQLITE_MISUSE) { try statement.setArguments(arguments) }
                #expect(
                    error?.description.contains(
                        "The number of ?5 is its position: the parameters before it count, even if the SQL does not contain them. ")
                        == true)
            }
            let error = expectError(.SQLITE_MISUSE) { try db.makeStatement(sql: "SELECT ?1, ?2").setArguments([1]) }
            #expect(error?.description.contains("its position") == false)
        }
        // SQLite has no position 0, and none beyond its limit.
        for sql in ["SELECT ?0", "SELECT ?1000000"] {
            let error = expectError(.SQLITE_ERROR) { try queue.read { try $0.makeStatement(sql: sql) } }
            #expect(error?.message?.contains("variable number must be between ?1 and ?") == true)
        }
    }

    @Test
    func `Unused parameter numbers may be NULL`() throws {
        #expect(try row("SELECT ?5", [nil, nil, nil, nil, 5]) == [.integer(5)])
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?5, :a")
            #expect(statement.parameterCount == 6)
            statement.setUncheckedArguments(["a": 6] + [1])
            #expect(try statement.step())
            #expect((0..<2).map { statement.databaseValue(at: $0) } == [.null, .integer(6)])
        }
    }

    @Test
    func `A statement without its arguments does not run`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            expectError(.SQLITE_MISUSE) { try statement.run() }
            expectError(.SQLITE_MISUSE) { try statement.execute() }
            expectError(.SQLITE_MISUSE) { _ = try statement.step() }
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
        }
    }

    @Test
    func `Arguments stay until others are set`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            try statement.execute(arguments: [1])
            try statement.execute()
            statement.arguments = [2]
            #expect(statement.arguments == [2])
            // The previous arguments stay when others don't fit.
            expectError(.SQLITE_MISUSE) { try statement.setArguments([3, 4]) }
            try statement.execute()
            #expect(try db.integers("SELECT a FROM t") == [1, 1, 2])
        }
    }

    @Test
    func `Unchecked arguments are NULL where they are missing`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ?, :b, ?")
            statement.setUncheckedArguments(["b": 2] + [1])
            #expect(try statement.step())
            #expect((0..<3).map { statement.databaseValue(at: $0) } == [.integer(1), .integer(2), .null])
            statement.setUncheckedArguments([1, 2, 3, 4])
            #expect(try statement.step())
            #expect(statement.int64(at: 2) == 3)
        }
    }

    @Test
    func `Setting arguments ends the current run`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 0")
            try statement.setArguments([1])
            #expect(try statement.step())
            try statement.setArguments([2])
            #expect(try statement.step())
            #expect(statement.int64(at: 0) == 2)
        }
    }

    @Test
    func `Binding a value during a run is an error`() throws {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT ? UNION ALL SELECT 0")
            try statement.setArguments([1])
            #expect(try statement.step())
            expectError(.SQLITE_MISUSE) { try statement.bind(.integer(2), at: 1) }
            expectError(.SQLITE_RANGE) {
                statement.reset()
                try statement.bind(.integer(2), at: 2)
            }
        }
    }

    @Test
    func `The arguments setter stops the program for arguments that do not fit`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try DatabaseQueue().read { db in
                let statement = try db.makeStatement(sql: "SELECT ?")
                statement.arguments = []
            }
        }
        #expect(result?.message.contains("wrong number of statement arguments: 1 expected, 0 given") == true)
    }

    // MARK: Scripts

    @Test
    func `The statements of a script take their arguments in turn`() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (a, b);
                    INSERT INTO t VALUES (?, ?);
                    -- nothing
                    INSERT INTO t VALUES (?, :name); ;
                    INSERT INTO t VALUES (:name, 0);
                    """, arguments: [1, 2, 3] + ["name": "n"])
            #expect(try db.values("SELECT a FROM t") == [.integer(1), .integer(3), .text("n")])
            #expect(try db.values("SELECT b FROM t") == [.integer(2), .text("n"), .integer(0)])
        }
    }

    @Test
    func `Arguments that a script does not use are an error before its last statement`() throws {
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let error = expectError(.SQLITE_MISUSE) {
                try db.execute(sql: "INSERT INTO t VALUES (?); INSERT INTO t VALUES (?); -- end", arguments: [1, 2, 3])
            }
            #expect(error?.message == "wrong number of statement arguments: 2 expected, 3 given")
            expectError(.SQLITE_MISUSE) { try db.execute(sql: "-- nothing", arguments: [1]) }
            #expect(try db.integers("SELECT a FROM t") == [1])
        }
    }

    // MARK: Values that can't be stored

    @Test
    func `A value that can't be stored throws when arguments are set`() throws {
        let value = UInt64(Int64.max) + 1
        // Creating the arguments does not throw yet.
        let arguments: StatementArguments = ["name": value]
        #expect("\(arguments)".contains("does not fit SQLite's 64-bit signed integers, whose maximum is 9223372036854775807: \(value)"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for arguments in [[value], [UInt.max], [Optional(value)]] as [StatementArguments] {
                let error = expectError(.SQLITE_MISMATCH) { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: arguments) }
                #expect(error?.message?.contains("does not fit SQLite's 64-bit signed integers") == true)
                #expect(error?.sql == "INSERT INTO t VALUES (?)")
            }
            let error = expectError(.SQLITE_MISMATCH) { try db.execute(sql: "INSERT INTO t VALUES (:name)", arguments: arguments) }
            #expect(error?.description.contains("9223372036854775808") == false)
            #expect(error?.expandedDescription.contains("9223372036854775808") == true)
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?)")
            expectError(.SQLITE_MISMATCH) { try statement.setArguments([value]) }
            statement.setUncheckedArguments([value])
            expectError(.SQLITE_MISMATCH) { _ = try statement.step() }
            expectError(.SQLITE_MISMATCH) { _ = try statement.step() }
            expectError(.SQLITE_MISMATCH) { try statement.validateArguments([value]) }
            #expect(try db.integers("SELECT count(*) FROM t") == [0])
        }
    }

    @Test
    func `The error of a programs type is thrown unchanged`() throws {
        struct Unstorable: StatementBinding {
            func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { 0 }
            func bindingValue() throws -> DatabaseValue { throw TestError() }
        }
        _ = try queue.read { db in
            #expect(throws: TestError.self) { try db.execute(sql: "SELECT ?", arguments: [Unstorable()]) }
        }
    }

    @Test
    func `A programs type only needs bind`() throws {
        struct Celsius: StatementBinding {
            var degrees: Double
            func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
                "\(degrees) °C".bind(to: sqliteStatement, at: index)
            }
        }
        struct Refused: StatementBinding {
            func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt { ResultCode.SQLITE_TOOBIG.rawValue }
        }
        #expect(try row("SELECT ?", [Celsius(degrees: 21.5)]) == [.text("21.5 °C")])
        _ = try queue.read { db in
            expectError(.SQLITE_TOOBIG) { try db.execute(sql: "SELECT ?", arguments: [Refused()]) }
        }
    }

    // MARK: Making and combining

    @Test
    func `Arguments are created from sequences and dictionaries`() {
        #expect(StatementArguments([1, 2, 3]) == [1, 2, 3])
        #expect(StatementArguments(["a", nil] as [String?]) == ["a", nil])
        #expect(StatementArguments([1, "a", nil] as [(any StatementBinding)?]) == [1, "a", nil])
        #expect(StatementArguments(["a": 1, "b": nil] as [String: (any StatementBinding)?]) == ["b": nil, "a": 1])
        #expect(StatementArguments([("a", 1), ("a", 2)] as [(String, (any StatementBinding)?)]) == ["a": 2])
        // Pairs of a name and a value are not values.
        let values: [String: DatabaseValue] = ["a": .integer(1), "b": .text("x")]
        #expect(StatementArguments(values.map { ($0.key, $0.value) }) == ["a": 1, "b": "x"])
        #expect(StatementArguments(values.mapValues { $0 as (any StatementBinding)? }) == ["a": 1, "b": "x"])
        #expect(StatementArguments(Array(values.values.sorted { "\($0)" < "\($1)" })).description == #"["x", 1]"#)
        #expect(StatementArguments([1, "a", Data([1])] as [Any]) == [1, "a", Data([1])])
        #expect(StatementArguments([1, nil as Int? as Any, nil as String? as Any] as [Any]) == [1, nil, nil])
        #expect(StatementArguments([1, nil as (any StatementBinding)? as Any] as [Any]) == [1, nil])
        #expect(StatementArguments(["a": 1, "b": "x"] as [AnyHashable: Any]) == ["a": 1, "b": "x"])
        #expect(StatementArguments(["a": nil as (any StatementBinding)? as Any] as [AnyHashable: Any]) == ["a": nil])
        #expect(StatementArguments().isEmpty)
        #expect(([nil] as StatementArguments).isEmpty == false)
        let duplicate: StatementArguments = ["a": 1, "a": 2]
        #expect(duplicate == ["a": 2])
    }

    @Test
    func `No arguments of any types mean the arguments of the previous run`() throws {
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE kept (a, b)")
            let statement = try db.makeStatement(sql: "INSERT INTO kept VALUES (:a, :b)")
            try statement.execute(arguments: ["a": "first", "b": "run"])
            let values: [(any StatementBinding)?] = ["Barbara", nil]
            try statement.execute(arguments: StatementArguments(values))
            try statement.execute(arguments: StatementArguments(values as [Any]))
            try statement.execute(
                arguments: StatementArguments(["a": "Barbara", "b": nil as (any StatementBinding)? as Any] as [AnyHashable: Any]))
            #expect(try db.texts("SELECT a || ifnull(b, '-') FROM kept") == ["firstrun", "Barbara-", "Barbara-", "Barbara-"])
            expectError(.SQLITE_MISMATCH) { try statement.execute(arguments: StatementArguments(["Craig", TestError()] as [Any])) }
            expectError(.SQLITE_MISMATCH) {
                try statement.execute(arguments: StatementArguments(["a": 1, "b": TestError()] as [AnyHashable: Any]))
            }
            expectError(.SQLITE_MISMATCH) { try statement.execute(arguments: StatementArguments(["a": 1, 2: 2] as [AnyHashable: Any])) }
            #expect(try db.integers("SELECT count(*) FROM kept") == [4])
        }
    }

    @Test
    func `Arguments of any types can be tested`() {
        #expect(StatementArguments(validating: ["a", 1, nil as String? as Any]) == ["a", 1, nil])
        #expect(StatementArguments(validating: ["a": 1, "b": nil as String? as Any]) == ["a": 1, "b": nil])
        #expect(StatementArguments(validating: [])?.isEmpty == true)
        #expect(StatementArguments(validating: ["a", TestError()]) == nil)
        #expect(StatementArguments(validating: [UInt64.max]) == nil)
        #expect(StatementArguments(validating: ["a": 1, "b": TestError()]) == nil)
        #expect(StatementArguments(validating: ["a": 1, 2: 2]) == nil)
    }

    @Test
    func `The mirror of arguments shows their values`() {
        func children(_ arguments: StatementArguments) -> [String: Any] {
            Dictionary(Mirror(reflecting: arguments).children.map { ($0.label!, $0.value) }, uniquingKeysWith: { $1 })
        }
        let mixed = children(["b"] &+ ["a": 1])
        #expect(mixed["values"] as? [DatabaseValue] == [.text("b")])
        #expect(mixed["namedValues"] as? [String: DatabaseValue] == ["a": .integer(1)])
        #expect(children([1, nil])["values"] as? [DatabaseValue] == [.integer(1), .null])
        #expect(children([])["namedValues"] as? [String: DatabaseValue] == [:])
        #expect((children(StatementArguments([TestError()] as [Any]))["values"] as? [Any])?.first is DatabaseError)
    }

    @Test
    func `Arguments can be added one by one`() throws {
        try queue.read { db in
            var arguments: StatementArguments = []
            for number in 1...2_000 {
                arguments += [number]
                arguments += ["n\(number)": number]
            }
            let numbers = (1...2_000).map { "? + :n\($0)" }
            // SQLite adds up to a thousand terms in one expression.
            let terms = stride(from: 0, to: 2_000, by: 400).map { "(" + numbers[$0..<$0 + 400].joined(separator: " + ") + ")" }
            let statement = try db.makeStatement(sql: "SELECT " + terms.joined(separator: ", "))
            try statement.setArguments(arguments)
            #expect(try statement.step())
            let sums = (0..<5).map { statement.int64(at: $0) ?? 0 }
            // Twice the numbers from 1 to 2,000.
            let sum = sums.reduce(0, +)
            #expect(sum == 4_002_000)
            statement.reset()
        }
    }

    @Test
    func `Arguments are combined`() {
        var arguments: StatementArguments = [1]
        arguments += [2]
        #expect(arguments == [1, 2])
        arguments += ["a": 1]
        #expect(arguments + ["b": 2] == [1, 2] + ["a": 1, "b": 2])
        #expect(arguments &+ ["a": 9] == [1, 2] + ["a": 9])
        #expect(arguments.append(contentsOf: ["a": 2, "b": 3]) == ["a": .integer(1)])
        #expect(arguments == [1, 2] + ["b": 3, "a": 2])
        #expect(arguments != [2, 1] + ["b": 3, "a": 2])
        #expect(arguments != [1, 2] + ["b": 3])
    }

    @Test
    func `Plus stops the program for two values of one name`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let arguments: StatementArguments = ["name": 1]
            _ = arguments + ["name": 2]
        }
        #expect(result?.message.contains("Two values for the statement argument name: use &+") == true)
    }

    @Test(
        arguments: [
            ([], "[]"),
            ([1, 1.5, "Arthur", nil, Data([0, 255]), true], #"[1, 1.5, "Arthur", NULL, Data(2 bytes), 1]"#),
            (["b": 2, "a": "x"], #"["a": "x", "b": 2]"#),
            ([1] + ["a": 2], "[\"a\": 2, 1]"),
        ] as [(StatementArguments, String)])
    func `Descriptions show the values as Swift writes them, and blobs by their size`(
        _ arguments: StatementArguments, _ description: String
    ) {
        #expect(arguments.description == description)
    }
}
