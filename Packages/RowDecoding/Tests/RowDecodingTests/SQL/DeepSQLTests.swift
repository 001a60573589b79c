import Foundation
import RowDecoding
import Testing

/// SQL that is put together of many pieces, and requests in requests.
@Suite struct DeepSQLTests {
    /// Runs a closure on a thread with a small stack.
    private func onSmallStack(kilobytes: Int = 512, _ body: @escaping @Sendable () throws -> Void) throws {
        final class Outcome: @unchecked Sendable {
            // The semaphore orders the write before the read.
            var error: (any Error)?
        }
        let outcome = Outcome()
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            do { try body() } catch { outcome.error = error }
            done.signal()
        }
        thread.stackSize = kilobytes << 10
        thread.start()
        done.wait()
        if let error = outcome.error { throw error }
    }

    private static let ways: [(name: String, add: @Sendable (SQL, Int) -> SQL)] = [
        ("behind", { $0 + " + \($1)" }), ("before", { "\($1) + " + $0 }),
        ("interpolated", { "\($0) + \($1)" }), ("interpolated in parentheses", { "(\(literal: $0) + \($1))" }),
        (
            "appended",
            { sql, number in
                var sql = sql
                sql.append(literal: " + \(number)")
                return sql
            }
        ),
        ("with an argument", { $0 + SQL(sql: " + ?", arguments: [$1]) }),
        ("joined", { [$0, "\($1)"].joined(separator: " + ") }),
    ]

    /// Each adds a level of nesting: what a closure writes, and an expression, are not pieces of the SQL.
    private static let nestedWays: [(name: String, add: @Sendable (SQL, Int) -> SQL)] = [
        (
            "by a closure",
            { sql, number in
                SQL { renderer in
                    try sql.render(to: &renderer)
                    renderer.append(" + ")
                    renderer.append(argument: number.databaseValue)
                }
            }
        ),
        ("as an expression", { "\($0.sqlExpression) + \($1)" }),
    ]

    @Test(arguments: nestedWays.map(\.name))
    func `Nested SQL is written up to a limit on a small stack`(_ name: String) throws {
        let add = Self.nestedWays.first { $0.name == name }!.add
        try onSmallStack { () throws in
            for count in [3, 50, 61, 300] {
                var sql: SQL = "0"
                for number in 1...count { sql = add(sql, number) }
                let nested = sql
                let build = { () throws in try DatabaseQueue().read { (db) throws in try nested.build(db).arguments } }
                if count <= 50 {
                    #expect(try build() == StatementArguments(Array(1...count)))
                } else {
                    let error = #expect(throws: DatabaseError.self) { try build() }
                    #expect(error?.resultCode == .SQLITE_TOOBIG && error?.message?.contains("more than 60 levels") == true)
                }
            }
        }
    }

    @Test(arguments: ways.map(\.name))
    func `SQL of any number of pieces is put together, written and freed on a small stack`(_ name: String) throws {
        let add = Self.ways.first { $0.name == name }!.add
        try onSmallStack {
            for count in [3, 31, 32, 33, 100, 5_000] {
                var sql: SQL = "0"
                for number in 1...count { sql = add(sql, number) }
                let (text, arguments) = try DatabaseQueue().read { try sql.build($0) }
                #expect(text.utf8.count { $0 == UInt8(ascii: "?") } == count)
                let numbers = name == "before" ? Array((1...count).reversed()) : Array(1...count)
                #expect(arguments == StatementArguments(numbers))
                #expect(!sql.isEmpty)
            }
        }
    }

    @Test
    func `Requests in requests are written up to a limit, and freed on a small stack`() throws {
        try onSmallStack(kilobytes: 512) {
            for count in [15, 1_500] {
                var request: SQLRequest<Int> = "SELECT 1"
                var erased = AnyFetchRequest<Int>(request)
                for _ in 0..<count {
                    request = "SELECT * FROM (\(request)) ; "
                    erased = AnyFetchRequest(AnyFetchRequest(erased).asRequest(of: Int.self))
                }
                let nested = request
                #expect(try DatabaseQueue().read { try erased.fetchAll($0) } == [1])
                guard count < 60 else {
                    let error = #expect(throws: DatabaseError.self) { try DatabaseQueue().read { (db) throws in try nested.fetchAll(db) } }
                    #expect(error?.resultCode == .SQLITE_TOOBIG)
                    continue
                }
                let text = try DatabaseQueue().read { try SQL { try nested.sqlSubquery.render(to: &$0) }.build($0).sql }
                #expect(text.hasPrefix("SELECT * FROM (SELECT * FROM (") && text.hasSuffix("))") && !text.contains(";"))
                #expect(try DatabaseQueue().read { try nested.fetchAll($0) } == [1])
            }
        }
    }
}
