import Foundation
import RecordGenerator
import Strata
import StrataCommandSupport

extension Subcommand {
    static let sql = Subcommand(
        name: "sql",
        summary: "Runs SQL, and prints the rows.",
        operands: "FILE SQL",
        options: [
            Option("--format", value: "FORMAT", values: FormatName.names, "The format of the rows: \(FormatName.all). A box by default."),
            Option("--arguments", value: "JSON", "The arguments: '[1, \"a\", null]' for ?, '{\"id\": 1}' for :id."),
            Option("--table", value: "NAME", "The table for --format insert."),
            .text,
            Option("--write", "Lets the SQL change the database, in one transaction, or create it."),
            .immutable,
        ],
        discussion: """
            The SQL can be several statements, and is read from the standard input if it is "-". Without --write, the file is opened
            read-only, and a statement that would write fails. SQL that begins with BEGIN, such as the output of strata dump, has its own
            transactions, and can write to shadow tables; a transaction that it leaves open is rolled back.

            A box or a table shows blobs of 16 bytes that look like UUIDs as such, as strata show does: --format quote shows the bytes, as
            they are written in SQL.
            """
    ) { arguments, console in
        let path = arguments.operands[0]
        var sql = arguments.operands[1]
        if sql == "-" {
            guard let data = try console.input?.readToEnd() else { throw ToolError("the standard input is empty") }
            try Interruption.check()
            guard let text = String(validUTF8: data) else { throw ToolError("the SQL is not valid UTF-8") }
            sql = text
        }
        // A table in a terminal is as wide as the window, if it has few columns.
        let width = console.terminal.map { max(20, $0.width / 2) }
        let format = try FormatName(arguments["--format"], default: .box).makeFormat(
            width: width, table: arguments["--table"], columns: arguments.textColumns().mapValues(\.dumped))
        let values = try arguments["--arguments"].map(statementArguments) ?? StatementArguments()

        let script = SQL(sql: sql, arguments: values)
        if arguments.has("--write") {
            guard !arguments.has(Option.immutable.name) else { throw UsageError("--write changes the file: it is not immutable") }
            try withWritableDatabase(path, creates: true) { queue in
                try queue.writeWithoutTransaction { try runScript(script, $0, format: format, to: console) }
            }
        } else {
            do {
                try withReadOnlyDatabase(path, isImmutable: arguments.has(Option.immutable.name)) { queue in
                    try queue.read { try $0.dumpSQL(script, format: format, to: console) }
                }
            } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_READONLY {
                throw ToolError("the SQL would change \(path), which needs --write", advice: "Run it with strata sql --write FILE SQL.")
            }
        }
        return true
    }
}

/// Runs a script in one transaction, unless it begins one itself.
///
/// Statements such as `PRAGMA foreign_keys = OFF`, which have no effect in a transaction, may come before its `BEGIN`.
func runScript(_ script: SQL, _ db: Database, format: some DumpFormat, to console: Console) throws {
    let statements = try db.allStatements(literal: script)
    var beginning: [Statement] = []
    var keyword: Substring?
    repeat {
        guard let statement = try statements.next() else { break }
        beginning.append(statement)
        keyword = CommentedSQL(statement.sql).normalized.split(separator: " ").first
    } while keyword?.uppercased() == "PRAGMA"
    var rest = beginning[...]
    func next() throws -> Statement? { try rest.popFirst() ?? statements.next() }
    if let keyword, ["BEGIN", "SAVEPOINT"].contains(keyword.uppercased()) {
        // A dump may write to shadow tables.
        return try db.withoutDefensiveMode { try db.dumpStatements(next, format: format, to: console) }
    }
    try db.inTransaction {
        try db.dumpStatements(next, format: format, to: console)
        return .commit
    }
}

/// Returns the arguments of some JSON: an array, or an object with the names of the arguments.
///
/// Values are read as by ``LoadedFile/json(_:at:blobs:)``: integers are INTEGER, numbers with a decimal
/// point or an exponent are REAL, true and false are 1 and 0.
///
/// - Throws: ``UsageError`` for other text, and for numbers that are neither integers of 64 bits nor REAL.
func statementArguments(_ json: String) throws -> StatementArguments {
    let refusal = UsageError("--arguments needs a JSON array or object of numbers, strings, booleans and nulls")
    let arguments: JSONArguments?
    do {
        arguments = try JSONArguments(json)
    } catch {
        throw UsageError("--arguments: \(error)")
    }
    switch arguments {
    case nil: throw refusal
    case .positional(let values): return StatementArguments(values)
    case .named(let members):
        guard Set(members.map(\.name)).count == members.count else { throw UsageError("--arguments names an argument twice") }
        return StatementArguments(members.map { ($0.name, $0.value) })
    }
}
