// The explorer: shows the content of any SQLite file, and never changes it.
//
//     swift run --package-path Examples Explorer PATH
//
// It imports only SQLiteDriver: for a database with an unknown schema, it needs SQL and the driver's description of the schema, but no
// records.

import ExampleSupport

guard CommandLine.arguments.count == 2, let path = CommandLine.arguments.last, !path.isEmpty else {
    stop("Give the path of an SQLite database: Explorer PATH, or make demo DB=PATH")
}

runProgram {
    do {
        // A single access is a single transaction: the output is consistent, even while others write to the file.
        try openReadOnly(path).read { db in
            try explore(db, path: path)
        }
    } catch {
        throw ExampleError("Can't show \(path): \(error)")
    }
}
