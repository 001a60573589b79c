import Strata
import StrataCommandSupport

extension Subcommand {
    static let dump = Subcommand(
        name: "dump",
        summary: "Prints the rows of tables and views, or SQL that creates the whole database again.",
        operands: "FILE [TABLE…]",
        options: [
            Option("--format", value: "FORMAT", values: FormatName.names, "The format: \(FormatName.all). SQL (insert) by default."),
            .text,
            Option("--stable", "Sorts the rows of tables by their primary keys, and the rows of views by all columns."),
            .immutable,
        ],
        discussion: """
            All rows come from one state of the database. A table that can't be read, such as a virtual table without its module, is reported
            on standard error, and the rest is printed; the exit status is 1 then.
            """
    ) { arguments, console in
        let name = try FormatName(arguments["--format"], default: .insert)
        let format = try name.makeFormat(columns: arguments.textColumns().mapValues(\.dumped))
        let tables = Array(arguments.operands.dropFirst())
        return try reading(arguments.operands[0], isImmutable: arguments.has(Option.immutable.name)) { db in
            if tables.isEmpty, name == .insert {
                try db.dumpContent(format: format, to: console)
                return true
            }
            var objects = try tables.isEmpty ? schemaObjects(db).filter { !$0.isInternal } : tables.map { try schemaObject(db, named: $0) }
            if tables.isEmpty { objects.removeAll { $0.kind == .view } }
            if name == .insert {
                try db.dumpTables(objects.map(\.name), format: format, stableOrder: arguments.has("--stable"), to: console)
                return true
            }
            var isComplete = true
            for (index, object) in objects.enumerated() {
                if index > 0 { console.print() }
                let header: DumpTableHeaderOptions = objects.count > 1 ? .always : .automatic
                let problem = try attempt(object) {
                    try db.dumpTables(
                        [object.name], format: format, tableHeader: header, stableOrder: arguments.has("--stable"), to: console)
                }.problem
                if let problem {
                    console.report("\(object.title) can't be read: \(problem)")
                    isComplete = false
                }
            }
            return isComplete
        }
    }
}
