import CSQLite
import Foundation

// Another process that uses a database file, on command of tests: it uses SQLite's C API, but not Strata.
//
//     sqlite-process PATH
//
// Each line of standard input is SQL, without line ends in it. The answer is a line of standard output: "ok" and all values of all rows,
// or "error", the extended result code and the message, with tabs between them. It waits for no lock, unless
// `PRAGMA busy_timeout` says so.

/// Runs SQL, and makes a line of what comes of it.
func answer(_ sql: String, _ connection: OpaquePointer) -> String {
    var values: [String] = []
    let code = withUnsafeMutablePointer(to: &values) { values in
        sqlite3_exec(
            connection, sql,
            { context, count, texts, _ in
                guard let context, let texts else { return SQLITE_ERROR }
                let values = context.assumingMemoryBound(to: [String].self)
                for index in 0..<Int(count) {
                    values.pointee.append(texts[index].map { String(cString: $0) } ?? "NULL")
                }
                return SQLITE_OK
            }, values, nil)
    }
    let parts = code == SQLITE_OK ? ["ok"] + values : ["error", "\(code)", String(cString: sqlite3_errmsg(connection))]
    return parts.joined(separator: "\t") + "\n"
}

var connection: OpaquePointer?
guard CommandLine.arguments.count == 2, sqlite3_open(CommandLine.arguments[1], &connection) == SQLITE_OK, let connection else {
    exit(1)
}
sqlite3_extended_result_codes(connection, 1)
while let line = readLine() {
    FileHandle.standardOutput.write(Data(answer(line, connection).utf8))
}
sqlite3_close(connection)
