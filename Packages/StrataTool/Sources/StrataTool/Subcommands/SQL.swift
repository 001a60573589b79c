import Foundation
import Strata

extension Subcommand {
    static let sql = Subcommand(
        name: "sql",
        summary: "Runs SQL, and prints the rows.",
        operands: "FILE SQL",
        options: [
            Option("--format", value: "FORMAT", "The format of the rows: \(FormatName.all). A box by default."),
            Option("--arguments", value: "JSON", "The arguments: '[1, \"a\", null]' for ?, '{\"id\": 1}' for :id."),
            Option("--table", value: "NAME", "The table for --format insert."),
            Option("--write", "Lets the SQL change the database, in one transaction."),
        ],
        discussion: """
            The SQL can be several statements, and is read from the standard input if it is "-". Without --write, the file is opened
            read-only, and a statement that would write fails.
            """
    ) { arguments, console in
        let path = arguments.operands[0]
        var sql = arguments.operands[1]
        if sql == "-" {
            guard let data = try console.input?.readToEnd() else { throw ToolError("the standard input is empty") }
            sql = String(decoding: data, as: UTF8.self)
        }
        // A table in a terminal is as wide as the window, if it has few columns.
        let width = console.terminal.map { max(20, $0.width / 2) }
        let format = try FormatName(arguments["--format"], default: .box).makeFormat(width: width, table: arguments["--table"])
        let values = try arguments["--arguments"].map(statementArguments) ?? StatementArguments()

        func run(_ db: Database) throws {
            try db.dumpSQL(SQL(sql: sql, arguments: values), format: format, to: console)
        }
        if arguments.has("--write") {
            try openForWriting(path).write(run)
        } else {
            do {
                try openReadOnly(path).read(run)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_READONLY {
                throw ToolError("the SQL would change \(path), which needs --write: strata sql --write FILE SQL")
            }
        }
        return true
    }
}

/// Returns the arguments of some JSON: an array, or an object with the names of the arguments.
///
/// Integers are INTEGER, numbers with a point or an exponent REAL, true and false are 1 and 0.
///
/// - Throws: ``UsageError`` if it is none of these.
func statementArguments(_ json: String) throws -> StatementArguments {
    let decoder = JSONDecoder()
    let data = Data(json.utf8)
    if let list = try? decoder.decode([JSONArgument].self, from: data) {
        return StatementArguments(list.map(\.value))
    }
    if let dictionary = try? decoder.decode([String: JSONArgument].self, from: data) {
        return StatementArguments(dictionary.map { ($0.key, $0.value.value) })
    }
    throw UsageError("--arguments needs a JSON array or object of numbers, texts, booleans and nulls, and not \(json)")
}

private struct JSONArgument: Decodable {
    let value: DatabaseValue

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = .null
        } else if let bool = try? container.decode(Bool.self) {
            value = DatabaseValue(storage: .int64(bool ? 1 : 0))
        } else if let integer = try? container.decode(Int64.self) {
            value = DatabaseValue(storage: .int64(integer))
        } else if let real = try? container.decode(Double.self) {
            value = DatabaseValue(storage: .double(real))
        } else {
            value = DatabaseValue(storage: .string(try container.decode(String.self)))
        }
    }
}
