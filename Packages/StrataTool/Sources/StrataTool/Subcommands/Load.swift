import Foundation
import Strata

extension Subcommand {
    static let load = Subcommand(
        name: "load",
        summary: "Inserts the rows of a CSV or JSON file into a table.",
        operands: "FILE TABLE SOURCE",
        options: [
            Option(
                "--format", value: "FORMAT", values: ["csv", "json"],
                "csv or json (arrays of objects, and lines). By default, the extension of SOURCE."),
            Option("--separator", value: "CHARACTER", "The separator of CSV, a comma by default; tab for a tab character."),
            Option("--null", value: "TEXT", "The text that stands for NULL in CSV, empty by default."),
            Option("--columns", value: "A,B,…", "The columns of CSV without a header, in order; an empty name skips a column."),
            Option(
                "--blobs", value: "ENCODING", values: ["base64", "hexadecimal", "bytes"],
                "base64, hexadecimal or bytes: how all values of BLOB columns are written."),
            Option(
                "--on-conflict", value: "ACTION", values: ["abort", "ignore", "replace", "rollback", "fail"],
                "abort (the default), ignore, replace, rollback or fail."),
        ],
        discussion: """
            SOURCE is a file, or "-" for the standard input. The first line of CSV has the names of the columns. All rows are inserted, or
            none; an error names the line. Output of strata dump is restored as it was; blobs are X'00FF' without quotes in CSV, and
            {"$base64": "AP8="} in JSON.
            """
    ) { arguments, console in
        let table = arguments.operands[1]
        let source = arguments.operands[2]
        let format = try arguments["--format"]?.lowercased() ?? Load.format(ofFile: source)
        let conflict = try arguments["--on-conflict"].map(Load.conflictResolution)
        let size = try? FileManager.default.attributesOfItem(atPath: source)[.size] as? Int
        let progress = { (progress: LoadProgress) in
            try Interruption.check()
            let fraction = size.map { $0 > 0 ? Double(progress.byteCount) / Double($0) : 1 }
            console.showProgress(fraction, progress.rowCount.counted("row"))
        }
        let text = try Load.source(source, console)
        let csv = try Load.csvFormat(arguments)
        if format != "csv", ["--separator", "--null", "--columns"].contains(where: { arguments[$0] != nil }) {
            throw UsageError("--separator, --null and --columns are options of CSV")
        }
        let count = try withWritableDatabase(arguments.operands[0], creates: false) {
            try $0.write { db in
                let name = try schemaObject(db, named: table).name
                switch format {
                case "csv":
                    let columns = arguments["--columns"].map { names in
                        LoadColumns.inOrder(
                            names.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) })
                    }
                    return try db.load(
                        csv: text, into: name, format: csv, columns: columns ?? .fromHeader, onConflict: conflict, progress: progress)
                case "json", "jsonlines", "jsonl", "ndjson":
                    return try db.load(json: text, into: name, blobs: csv.blobs, onConflict: conflict, progress: progress)
                default:
                    throw UsageError("unknown format \(format): the formats are csv and json")
                }
            }
        }
        console.print("\(count) \(count == 1 ? "row" : "rows") inserted into \(table.withoutControlCharacters)")
        return true
    }
}

private enum Load {
    static func format(ofFile path: String) throws -> String {
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        guard path != "-", !ending.isEmpty else { throw UsageError("the format of \(path) is unknown", advice: "Give it with --format.") }
        return ending
    }

    static func source(_ path: String, _ console: Console) throws -> TextSource {
        if path == "-" {
            guard let input = console.input else { throw ToolError("standard input is not available") }
            return .fileHandle(input)
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw ToolError("\(path) does not exist") }
        guard !isFolder.boolValue else { throw ToolError("\(path) is a folder") }
        return .file(URL(fileURLWithPath: path))
    }

    static func csvFormat(_ arguments: ParsedArguments) throws -> CSVFormat {
        var separator: Character = ","
        if let text = arguments["--separator"] {
            guard text == "tab" || text.count == 1 else { throw UsageError("--separator needs one character, or tab") }
            separator = text == "tab" ? "\t" : Character(text)
        }
        let encodings: [String: CSVFormat.BlobEncoding] = ["base64": .base64, "hexadecimal": .hexadecimal, "bytes": .bytes]
        let blobs = try arguments["--blobs"].map { name in
            guard let encoding = encodings[name.lowercased()] else {
                throw UsageError("--blobs needs base64, hexadecimal or bytes, not \(name)")
            }
            return encoding
        }
        return CSVFormat(separator: separator, nullValue: arguments["--null"] ?? "", blobs: blobs ?? .marked)
    }

    static func conflictResolution(_ name: String) throws -> Database.ConflictResolution {
        guard let resolution = Database.ConflictResolution(rawValue: name.uppercased()) else {
            throw UsageError("--on-conflict needs abort, ignore, replace, rollback or fail, not \(name)")
        }
        return resolution
    }
}
