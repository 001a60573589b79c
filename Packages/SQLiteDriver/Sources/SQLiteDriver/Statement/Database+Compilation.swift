import CSQLiteShims

/// The result of compiling one statement, for tools that check SQL and never run it.
package enum SQLCompilation {
    /// The statement, and the number of bytes that SQLite has read.
    case statement(Description, length: Int)
    /// Only white space, comments and semicolons are left.
    case nothing
    /// SQLite's message, without a period, and the byte that it is about, if SQLite knows it.
    case failure(message: String, offset: Int?)

    /// What SQLite tells about a statement.
    package struct Description {
        /// The names of the columns, and the declared types of those that are columns of a table.
        package var columns: [(name: String, declaredType: String?)]
        /// The names of the parameters with their first character; nil for `?`, and for numbers that are not used.
        package var parameters: [String?]
        /// Whether the statement changes nothing.
        package var isReadonly: Bool
    }
}

extension Database {
    /// Compiles the first statement of some SQL, and describes it.
    ///
    /// Source: <https://www.sqlite.org/c3ref/errcode.html>, <https://www.sqlite.org/c3ref/column_decltype.html>
    package func compile(_ sql: String) throws -> SQLCompilation {
        let connection = try openHandle()
        guard !sql.utf8.contains(0) else {
            return .failure(message: "the SQL contains a NUL character", offset: sql.utf8.firstOffset(of: 0))
        }
        authorizer.reset()
        defer { authorizer.didCompile() }
        var handle: SQLiteStatement?
        var length = 0
        let code = sql.withCString { start in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v2(connection, start, -1, &handle, &tail)
            length = tail.map { $0 - start } ?? 0
            return code
        }
        guard code == SQLITE_OK else {
            let offset = Int(sqlite3_error_offset(connection))
            return .failure(message: String(cString: sqlite3_errmsg(connection)), offset: offset < 0 ? nil : offset)
        }
        guard let handle else { return .nothing }
        defer { sqlite3_finalize(handle) }
        func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
        return .statement(
            SQLCompilation.Description(
                columns: (0..<sqlite3_column_count(handle)).map { index in
                    (text(sqlite3_column_name(handle, index)) ?? "", text(sqlite3_column_decltype(handle, index)))
                },
                parameters: (0..<sqlite3_bind_parameter_count(handle)).map { text(sqlite3_bind_parameter_name(handle, $0 + 1)) },
                isReadonly: sqlite3_stmt_readonly(handle) != 0),
            length: length)
    }
}

extension String.UTF8View {
    fileprivate func firstOffset(of byte: UInt8) -> Int? { firstIndex(of: byte).map { distance(from: startIndex, to: $0) } }
}
