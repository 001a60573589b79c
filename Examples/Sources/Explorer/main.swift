// The explorer: shows what is in an SQLite file of yours, and never changes it.
//
//     swift run --package-path Examples Explorer PATH
//
// It imports SQLiteDriver alone: for a database that it knows nothing about, SQL and the driver's description of the schema are
// what it needs.

import ExampleSupport

guard CommandLine.arguments.count == 2, let path = CommandLine.arguments.last, !path.isEmpty else {
    stop("Give the path of an SQLite database: Explorer PATH, or make demo DB=PATH")
}

runProgram {
    do {
        // One access, and so one transaction: all that is shown belongs together, even while others write to the file.
        try openReadOnly(path).read { db in
            try explore(db, path: path)
        }
    } catch {
        throw ExampleError("Can't show \(path): \(error)")
    }
}
