import Foundation
import Strata

private let csvQueue = openFuzzDatabase("CREATE TABLE whole (a TEXT, b TEXT, c TEXT); CREATE TABLE parts (a TEXT, b TEXT, c TEXT)")

/// Loads CSV as a whole, in chunks, and from a dump of the loaded rows: the rows must be the same.
func checkCSV(_ input: inout FuzzInput) throws {
    let size = Int(input.byte() % 16) + 1
    let bytes = input.remainder()
    let header = Array("a,b,c\n".utf8)
    try csvQueue.get().write { db in
        try db.inSavepoint {
            let whole = outcome { try db.load(.csv(.data(Data(header + bytes))), into: "whole") }
            var rest = (header + bytes)[...]
            let chunks = TextSource.chunks {
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(size) }
                return Data(rest.prefix(size))
            }
            let parts = outcome { try db.load(.csv(chunks), into: "parts") }
            try expectEqual(whole, parts, "CSV at once, and in chunks of \(size)")
            try expectEqual(try content(of: "whole", db), try content(of: "parts", db), "rows at once, and in chunks of \(size)")

            var dump = ""
            try db.dumpSQL("SELECT a, b, c FROM whole", format: .csv(), to: &dump)
            let before = try content(of: "whole", db)
            try db.execute(sql: "DELETE FROM whole")
            let count = try db.load(.csv(.text(dump)), into: "whole")
            try expectEqual(before, try content(of: "whole", db), "rows, and the \(count) rows of their dump \(dump.debugDescription)")
            return .rollback
        }
    }
}

private func content(of table: String, _ db: Database) throws -> String {
    let rows = try Row.fetchAll(db, sql: "SELECT coalesce(a, ''), coalesce(b, ''), coalesce(c, '') FROM \(table) ORDER BY rowid")
    return "\(rows)"
}
