import CDqliteCluster
import SQLiteDriver

/// How a statement runs on the cluster.
final class RemotePlan: StatementPlan {
    /// The way in which the engine runs the statement.
    enum Kind: Equatable {
        /// The virtual table reads rows.
        case query
        /// The virtual table runs a statement, and has a row for each row that the statement has changed.
        case change
        /// The virtual table runs a statement that changes rows, and has the rows that it returns.
        case changeReturningRows
        /// The statement runs as compiled, and reads the schema.
        case schema
        /// The statement runs on the cluster, and then as compiled.
        case both(changesSchema: Bool)
        /// The statement sets an option of the connection, here and on the cluster.
        case setting(name: String)
        case begin
        case commit
        case rollback
        /// The statement begins, releases or rolls back to a savepoint.
        case savepoint
    }

    let kind: Kind

    /// The SQL that is sent to the cluster.
    private(set) var remoteSQL: String

    /// The number in the names of the plan's virtual tables.
    let id: Int

    /// Whether the statement may insert rows.
    let inserts: Bool

    /// The SQL of the program.
    let sql: String

    /// The names of the columns of the result.
    private(set) var columnNames: [String]

    /// The generation of the schema that the plan fits.
    private(set) var generation: Int

    /// The arguments of the next run, which the function `strata_args` collects.
    var arguments = WireParameters()

    init(
        _ kind: Kind, id: Int = 0, sql: String, remoteSQL: String, columnNames: [String] = [], inserts: Bool = false, generation: Int,
        replacement: String? = nil
    ) {
        self.kind = kind
        self.id = id
        self.sql = sql
        self.remoteSQL = remoteSQL
        self.columnNames = columnNames
        self.inserts = inserts
        self.generation = generation
        super.init(replacement: replacement)
    }

    override func expandedSQL(replacement: String) -> String? {
        SQLTokens(sql).replacingParameters(with: SQLTokens(replacement).literals(inCallsOf: RemoteTable.argumentsFunction))
    }

    override func columnName(at index: Int) -> String? {
        columnNames.indices.contains(index) ? columnNames[index] : nil
    }

    /// Adapts the plan to another schema.
    func fit(_ columns: RemoteColumns, generation: Int) {
        remoteSQL = columns.remoteSQL
        columnNames = columns.names
        self.generation = generation
    }
}

/// The parts of a plan that depend on the schema.
struct RemoteColumns {
    /// The SQL that is sent to the cluster.
    let remoteSQL: String
    /// The names of the columns of the result.
    let names: [String]
}

/// The names and the sizes of the virtual tables.
enum RemoteTable {
    /// The table that runs statements without rows.
    static let name = "strata_remote"
    /// The table that counts changed rows.
    static let sinkName = "strata_sink"

    /// The prefixes of the names of a plan's tables: the table that runs it and has its rows, and the table that counts the rows that it
    /// has changed, and returns them.
    static let rowsPrefix = "strata_rows_"
    static let sinkPrefix = "strata_sink_"

    /// The largest number of columns of a result. Together, their names must stay below 4,096 bytes: otherwise, the node would send
    /// endlessly.
    static let maximumColumnCount = 500

    static let argumentsFunction = "strata_args"
    /// The number of arguments that a call of the function takes, besides the plan and the position. SQLite's limit is 127.
    static let argumentsPerCall = 120
}

extension RemotePlan {
    /// Returns the SQL that runs in place of a statement.
    ///
    /// A plan with rows has its own tables, whose columns SQLite looks up when it compiles this SQL, and when it recompiles it after a
    /// schema change.
    static func proxySQL(_ kind: Kind, id: Int, parameterNames: [String?]) -> String {
        let arguments = arguments(id: id, parameterNames)
        let rows = RemoteTable.rowsPrefix + "\(id)" + (arguments.isEmpty ? "" : "(\(arguments))")
        switch kind {
        case .query:
            return "SELECT * FROM \(rows)"
        case .changeReturningRows:
            return "INSERT INTO \(RemoteTable.sinkPrefix)\(id) SELECT * FROM \(rows) WHERE true RETURNING *"
        default:
            let source = "\(RemoteTable.name)(\(id)\(arguments.isEmpty ? "" : ", " + arguments))"
            return "INSERT INTO \(RemoteTable.sinkName) (c0) SELECT c0 FROM \(source)"
        }
    }

    /// Returns calls of the function that collects the arguments, with each parameter once, in order, so that each has its number.
    private static func arguments(id: Int, _ parameterNames: [String?]) -> String {
        if parameterNames.isEmpty { return "" }
        let calls = stride(from: 0, to: parameterNames.count, by: RemoteTable.argumentsPerCall).map { start in
            let names = parameterNames[start..<min(start + RemoteTable.argumentsPerCall, parameterNames.count)]
            return "\(RemoteTable.argumentsFunction)(\(id), \(start), " + names.map { $0 ?? "?" }.joined(separator: ", ") + ")"
        }
        return calls.joined(separator: " + ")
    }

    /// Returns a query whose columns have short names and no declared types, from which the node would derive types of values.
    ///
    /// - Parameters:
    ///   - guardsNUL: the guard against truncated strings; nil to let the node truncate them.
    ///   - computesOnce: whether SQLite must compute the columns before the guard looks at them. Otherwise, it may compute them again for
    ///     each mention. It does not move columns into an outer query out of a query with LIMIT if the outer one has WHERE:
    ///     <https://www.sqlite.org/optoverview.html#subquery_flattening>.
    static func cured(_ sql: String, columnCount: Int, guardsNUL: NULGuard?, computesOnce: Bool) -> String {
        let names = (0..<columnCount).map { "c\($0)" }
        let columns = names.map { "\(guardsNUL?.expression($0) ?? "+\($0)") AS \($0)" }.joined(separator: ",")
        let isIsolated = guardsNUL != nil && computesOnce
        let source = isIsolated ? "SELECT * FROM (\(sql)\n) LIMIT -1" : "\(sql)\n"
        return "WITH strata_t(\(names.joined(separator: ","))) AS (\(source)) SELECT \(columns) FROM strata_t"
            + (isIsolated ? " WHERE true" : "")
    }
}
