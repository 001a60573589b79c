import ValueConversion

/// SQLite's plan for a query: how it searches the tables.
///
/// ```swift
/// let plan = try Player.filter { $0.teamId == 1 }.order(\.score).explainQueryPlan(db)
/// print(plan)
/// // QUERY PLAN
/// // |--SEARCH player USING INDEX player_on_teamId (teamId=?)
/// // `--USE TEMP B-TREE FOR ORDER BY
/// ```
///
/// The descriptions of the steps are for people to read, and differ between versions of SQLite.
///
/// Source: <https://www.sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable {
    /// A step of a plan.
    public struct Step: Hashable, Sendable {
        /// The step in SQLite's words, such as `SEARCH player USING INDEX player_on_teamId (teamId=?)`.
        public let detail: String

        /// The steps that this step consists of.
        public internal(set) var steps: [Step]

        /// Creates a step.
        public init(detail: String, steps: [Step] = []) {
            self.detail = detail
            self.steps = steps
        }
    }

    /// The outermost steps, in their order.
    public internal(set) var steps: [Step]

    /// Creates a plan from its steps.
    public init(steps: [Step]) {
        self.steps = steps
    }

    /// The details of all steps, each followed by the steps that it consists of.
    ///
    /// ```swift
    /// #expect(!plan.details.contains { $0.hasPrefix("SCAN") })
    /// ```
    public var details: [String] {
        func details(_ steps: [Step]) -> [String] { steps.flatMap { [$0.detail] + details($0.steps) } }
        return details(steps)
    }
}

extension QueryPlan: CustomStringConvertible {
    /// The plan as a tree, with one line for each step, as the `sqlite3` shell prints it.
    public var description: String {
        var lines = ["QUERY PLAN"]
        func add(_ steps: [Step], indentation: String) {
            for (index, step) in steps.enumerated() {
                let isLast = index == steps.count - 1
                lines.append(indentation + (isLast ? "`--" : "|--") + step.detail)
                add(step.steps, indentation: indentation + (isLast ? "   " : "|  "))
            }
        }
        add(steps, indentation: "")
        return lines.joined(separator: "\n")
    }
}

// MARK: - Asking SQLite

extension Database {
    /// Returns SQLite's plan for a statement, which does not run.
    ///
    /// The SQL is `EXPLAIN QUERY PLAN SELECT …`.
    ///
    /// - Parameters:
    ///   - sql: one statement.
    ///   - arguments: its arguments.
    /// - Throws: ``DatabaseError``.
    public func explainQueryPlan(sql: String, arguments: StatementArguments = StatementArguments()) throws -> QueryPlan {
        let rows = try values("EXPLAIN QUERY PLAN \(sql)", arguments) {
            (id: $0.int64(at: 0) ?? 0, parent: $0.int64(at: 1) ?? 0, detail: $0.string(at: 3) ?? "")
        }
        let ids = Set(rows.map(\.id))
        // A row whose parent is not in the plan is an outermost step.
        let children = Dictionary(grouping: rows) { ids.contains($0.parent) ? $0.parent : 0 }
        func steps(of parent: Int64) -> [QueryPlan.Step] {
            // The identifier 0 stands for the plan itself.
            (children[parent] ?? []).map { QueryPlan.Step(detail: $0.detail, steps: $0.id == 0 ? [] : steps(of: $0.id)) }
        }
        return QueryPlan(steps: steps(of: 0))
    }

    /// Returns SQLite's plan for a statement, which does not run.
    ///
    /// - Parameter literal: one statement, with interpolated values.
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func explainQueryPlan(literal: SQL) throws -> QueryPlan {
        let (sql, arguments) = try literal.build(self)
        return try explainQueryPlan(sql: sql, arguments: arguments)
    }
}

extension FetchRequest {
    /// Returns SQLite's plan for the query, which does not run.
    ///
    /// ```swift
    /// print(try Player.filter { $0.score > 1000 }.explainQueryPlan(db))
    /// // QUERY PLAN
    /// // `--SCAN player
    /// ```
    ///
    /// The additional queries that prefetch associations are not part of the plan.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func explainQueryPlan(_ db: Database) throws -> QueryPlan {
        let statement = try makePreparedRequest(db).statement
        return try db.explainQueryPlan(sql: statement.sql, arguments: statement.arguments)
    }

    /// Returns the SQL of the query, with the values of its arguments.
    ///
    /// ```swift
    /// try Player.filter { $0.name == "Arthur" }.sql(db)
    /// // SELECT * FROM "player" WHERE "name" = 'Arthur'
    /// ```
    ///
    /// The additional queries that prefetch associations are not part of it.
    ///
    /// - Throws: ``DatabaseError``, or the error of a value that can't be stored.
    public func sql(_ db: Database) throws -> String {
        try makePreparedRequest(db).statement.expandedSQL
    }
}
