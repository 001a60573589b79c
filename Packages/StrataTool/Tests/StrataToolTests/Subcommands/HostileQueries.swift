import Foundation

/// A schema and queries whose tables, columns, values, functions, structs and parameters have the names that generated code uses.
struct HostileQueries {
    /// The names, which differ in more than their case.
    let names: [String]

    /// Creates queries with the identifiers of some code, and with keywords.
    init(identifiersOf code: String) {
        var code = code
        // Without strings and comments.
        for pattern in [#""{3}\n(?s:.*?)"{3}"#, #""(\\.|[^"\\\n])*""#, "//.*"] {
            code = code.replacing(try! Regex(pattern), with: "")
        }
        let identifiers = Set(code.matches(of: #/\b[A-Za-z]\w*/#).map { String($0.output) }).sorted()
        var taken: Set<String> = []
        // A record that is named like the enum of queries is an error, and underscores at the front are left out.
        names = (identifiers + HostileDatabase.keywords).filter {
            $0 != "Queries" && $0.first != "_" && taken.insert($0.lowercased()).inserted
        }
    }

    var schema: String {
        let tables = names.map { "CREATE TABLE \"\($0)\" (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;" }
        let columns = names.map { "\"\($0)\" TEXT NOT NULL" }.joined(separator: ", ")
        let values = names.map { "'\($0)'" }.joined(separator: ", ")
        return """
            \(tables.joined(separator: "\n"))
            CREATE TABLE t_plain (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT;
            CREATE TABLE t_wide (\(columns)) STRICT;
            CREATE TABLE t_enum (id INTEGER PRIMARY KEY, state TEXT NOT NULL CHECK (state IN (\(values))));

            """
    }

    var queries: String {
        let functions = names.map { name in
            """
            -- name: \(name)
            SELECT id, value FROM t_plain;
            -- name: with_\(name)
            SELECT id FROM t_plain WHERE value = :\(name);
            -- name: list_\(name)
            SELECT id FROM t_plain WHERE value IN (:\(name));

            """
        }
        return functions.joined() + """
            -- name: t_all
            INSERT INTO t_wide VALUES (\(names.map { ":\($0)" }.joined(separator: ", ")));
            -- name: t_columns
            SELECT \(names.map { "\"\($0)\"" }.joined(separator: ", ")), 1 AS t_other FROM t_wide;
            -- name: t_best
            SELECT id, value FROM t_plain;
            -- name: t_other
            -- @struct TBestRow
            SELECT id, 1 AS one FROM t_plain;
            """
    }
}
