import Foundation
import Strata
import StrataCommandSupport

extension Subcommand {
    static let load = Subcommand(
        name: "load",
        summary: "Inserts the rows of a CSV or JSON file into a table, and creates the table if asked.",
        operands: "FILE TABLE SOURCE",
        options: [
            Option(
                "--format", value: "FORMAT", values: ["csv", "json", "jsonlines"],
                "csv, json (an array, or objects) or jsonlines (NDJSON). By default, the extension of SOURCE."),
            Option("--separator", value: "CHARACTER", "The separator of CSV, a comma by default; tab for a tab character."),
            Option("--quote", value: "CHARACTER", "The character around fields of CSV that contain separators; a double quote by default."),
            Option("--skip", value: "COUNT", "Skips COUNT lines of CSV before the header, or before the first record."),
            Option(
                "--encoding", value: "ENCODING", values: ["utf8", "latin1"],
                "utf8 (the default) or latin1 (with the characters of Windows-1252); UTF-16 is recognized by its byte order mark."),
            Option("--null", value: "TEXT", "The text that stands for NULL in CSV, empty by default."),
            Option("--columns", value: "A,B,…", "The columns of CSV without a header, in order; an empty name skips a column."),
            Option("--rename", value: "A=B,…", "Loads the columns A of a header into the columns B; without B, skips them."),
            Option("--text", value: "COLUMNS", "Reads columns that strata dump --text has written: \(TextColumn.syntax)."),
            Option(
                "--blobs", value: "ENCODING", values: ["base64", "hexadecimal", "bytes"],
                "base64, hexadecimal or bytes: how all values of BLOB columns are written."),
            Option(
                "--short", value: "ACTION", values: ["error", "pad", "skip"],
                "error (the default), pad with NULL or skip: records of CSV with too few fields."),
            Option(
                "--long", value: "ACTION", values: ["error", "cut", "skip"],
                "error (the default), cut or skip: records of CSV with too many fields."),
            Option(
                "--on-conflict", value: "ACTION", values: ["abort", "ignore", "replace", "rollback", "fail", "update"],
                "abort (the default), ignore, replace, rollback, fail, or update: only the columns that SOURCE has."),
            Option("--key", value: "A,B,…", "The columns by which --on-conflict update finds rows; the primary key by default."),
            Option("--at", value: "NAME", "The member of an object of JSON that has the array."),
            Option("--create", "Creates TABLE, if it does not exist, with the types that are found in SOURCE."),
            Option("--pk", value: "A,B,…", "The primary key of the table that is created."),
            Option("--types", value: "A=TYPE,…", "The types of columns of the table that is created."),
            Option("--strict", "Creates a STRICT table."),
            Option("--rejects", value: "PATH", "Writes records that can't be loaded to a new file, with line and reason, and continues."),
            Option("--limit-rejects", value: "COUNT", "The maximum number of rejected records, 1000 by default."),
            Option("--portion", value: "COUNT", "Commits after each COUNT records. If it is interrupted, the same command continues."),
            Option("--restart", "Forgets the position of an interrupted load. The rows that it has inserted stay."),
        ],
        discussion: """
            SOURCE is a file, or "-" for the standard input. The first line of CSV has the names of the columns. All rows are inserted, or
            none; an error names the line. With --portion, the portions before an error stay, and so does the position in SOURCE, until it is
            loaded; a SOURCE whose loaded part has changed is refused. Output of strata dump is restored as it was; blobs are X'00FF' without
            quotes in CSV, and {"$base64": "AP8="} in JSON.

            If FILE does not exist, it is created, with the table. Options of the table imply --create.
            """
    ) { arguments, console in
        let path = arguments.operands[0]
        let isNew = !FileManager.default.fileExists(atPath: path)
        let load = try Load(arguments, console, createsDatabase: isNew)
        return try withWritableDatabase(path, creates: isNew && load.createsTable) { try load.run($0) }
    }
}

/// A load with the options of the command line.
private struct Load {
    private let table: String
    private let file: LoadedFile
    private let options: LoadOptions
    private let conflict: Database.ConflictResolution?
    private let upsert: LoadUpsert?
    private let portion: Int?
    private let restarts: Bool
    private let rejectsPath: String?
    private let console: Console

    /// The name under which the position is stored.
    private let name: String

    init(_ arguments: ParsedArguments, _ console: Console, createsDatabase: Bool) throws {
        self.console = console
        table = arguments.operands[1]
        let path = arguments.operands[2]
        let formatName = try arguments["--format"]?.lowercased() ?? Self.format(ofFile: path)
        let source = try Self.source(path, console)
            .decoding(arguments.choice("--encoding", ["utf8": .utf8, "latin1": .latin1]) ?? .utf8)
        name = path == "-" ? path : URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let csv = try Self.csvFormat(arguments)
        switch formatName {
        case "csv": file = .csv(source, format: csv, columns: try Self.columns(arguments))
        case "json": file = .json(source, at: arguments["--at"], blobs: csv.blobs)
        case "jsonlines", "jsonl", "ndjson": file = .jsonLines(source, blobs: csv.blobs)
        default: throw UsageError("unknown format \(formatName): the formats are csv, json and jsonlines")
        }
        let csvOptions = ["--separator", "--quote", "--skip", "--null", "--columns", "--rename", "--short", "--long"]
        if formatName != "csv", let option = csvOptions.first(where: { arguments[$0] != nil || arguments.has($0) }) {
            throw UsageError("\(option) is an option of CSV")
        }
        if formatName != "json", arguments["--at"] != nil { throw UsageError("--at is an option of JSON") }
        let key = arguments["--key"].map { $0.split(separator: ",").map(String.init) }
        let updates = arguments["--on-conflict"]?.lowercased() == "update"
        guard updates || key == nil else { throw UsageError("--key needs --on-conflict update") }
        upsert = updates ? key.map { .by($0) } ?? .byKey : nil
        conflict = try updates ? nil : arguments["--on-conflict"].map(Self.conflictResolution)
        portion = try arguments.count("--portion")
        restarts = arguments.has("--restart")
        rejectsPath = arguments["--rejects"]
        let limit = try arguments.count("--limit-rejects")
        if limit != nil, rejectsPath == nil { throw UsageError("--limit-rejects needs --rejects") }
        let newTable = try Self.newTable(arguments)
        options = LoadOptions(
            columns: try arguments.textColumns().mapValues(\.loaded),
            newTable: newTable ?? (createsDatabase ? LoadedTable() : nil),
            rejects: rejectsPath.map { .file(URL(fileURLWithPath: $0), limit: limit ?? 1000) })
    }

    var createsTable: Bool { options.newTable != nil }

    func run(_ queue: DatabaseQueue) throws -> Bool {
        let name = try queue.writeWithoutTransaction(prepare)
        var last: LoadProgress?
        let progress = { (progress: LoadProgress) in
            // Signals wait until the last rows are committed: once all is loaded, the command must not say that it was interrupted.
            try progress.isLast ? Interruption.complete() : Interruption.check()
            last = progress
            let fraction = progress.totalByteCount.map { $0 > 0 ? Double(progress.byteCount) / Double($0) : 1 }
            let rejected = progress.rejectedCount > 0 ? ", \(progress.rejectedCount) rejected" : ""
            console.showProgress(fraction, "\(progress.rowCount.counted("row")), \(byteCount(progress.byteCount))\(rejected)")
        }
        let count = try load(queue, name, progress)
        let rejectedCount = last?.rejectedCount ?? 0
        let rejected = rejectedCount > 0 ? ", \(rejectedCount.counted("record")) rejected: see \(rejectsPath ?? "")" : ""
        let verb = upsert == nil ? "inserted into" : "inserted or updated in"
        let message = "\(count.counted("row")) \(verb) \(table.withoutControlCharacters)\(rejected.withoutControlCharacters)"
        console.print(message)
        console.flush()
        // Those who can't read the output must know it, too: the same command would insert the rows again.
        if console.writingError != nil { console.report(message) }
        return true
    }

    /// Returns the name of the table, and checks that no interrupted load is forgotten.
    private func prepare(_ db: Database) throws -> String {
        let isMissing = try createsTable && !db.tableExists(table) && !db.viewExists(table)
        let target = try isMissing ? table : schemaObject(db, named: table).name
        if restarts { try db.forgetLoad(named: name, into: target) }
        if let interrupted = try db.interruptedLoad(named: name, into: target) {
            let count = interrupted.rowCount.counted("row")
            guard portion != nil else {
                throw ToolError(
                    "a load of this source was interrupted after \(count)",
                    advice: "Continue it with --portion, or remove these rows and give --restart.")
            }
            console.report("continuing after \(count)")
        }
        return target
    }

    private func load(_ queue: DatabaseQueue, _ table: String, _ progress: @escaping (LoadProgress) throws -> Void) throws -> Int {
        guard let portion else {
            return try queue.write {
                try $0.load(file, into: table, options: options, onConflict: conflict, upsert: upsert, progress: progress)
            }
        }
        return try queue.load(
            file, into: table, options: options, onConflict: conflict, upsert: upsert, portion: portion, resumableAs: name,
            progress: progress)
    }

    // MARK: Options

    private static func format(ofFile path: String) throws -> String {
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        guard path != "-", !ending.isEmpty else { throw UsageError("the format of \(path) is unknown", advice: "Give it with --format.") }
        return ending
    }

    private static func source(_ path: String, _ console: Console) throws -> TextSource {
        if path == "-" {
            guard let input = console.input else { throw ToolError("standard input is not available") }
            return .chunks {
                let chunk = try input.read(upToCount: 1 << 18)
                // The end of the input may be due to the interruption.
                try Interruption.check()
                return chunk
            }
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw ToolError("\(path) does not exist") }
        guard !isFolder.boolValue else { throw ToolError("\(path) is a folder") }
        return .file(URL(fileURLWithPath: path))
    }

    private static func csvFormat(_ arguments: ParsedArguments) throws -> CSVFormat {
        func character(_ option: String, or standard: Character) throws -> Character {
            guard let text = arguments[option] else { return standard }
            guard text == "tab" || text.count == 1 else { throw UsageError("\(option) needs one character, or tab") }
            return text == "tab" ? "\t" : Character(text)
        }
        var format = CSVFormat(
            separator: try character("--separator", or: ","), nullValue: arguments["--null"] ?? "",
            blobs: try arguments.choice("--blobs", ["base64": .base64, "hexadecimal": .hexadecimal, "bytes": .bytes]) ?? .marked,
            shortRecords: try arguments.choice("--short", ["error": .error, "pad": .padded, "skip": .skipped]) ?? .error,
            longRecords: try arguments.choice("--long", ["error": .error, "cut": .cut, "skip": .skipped]) ?? .error)
        format.quote = try character("--quote", or: "\"")
        format.skippedLineCount = try arguments.count("--skip") ?? 0
        return format
    }

    private static func columns(_ arguments: ParsedArguments) throws -> LoadColumns {
        if let names = arguments["--columns"] {
            guard arguments["--rename"] == nil else {
                throw UsageError("--columns is for CSV without a header, and --rename for CSV with one")
            }
            return .inOrder(names.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) })
        }
        guard let pairs = try arguments.pairs("--rename") else { return .fromHeader }
        return .renaming(pairs.mapValues { $0.isEmpty ? nil : $0 })
    }

    private static func newTable(_ arguments: ParsedArguments) throws -> LoadedTable? {
        let types = try arguments.pairs("--types")
        guard arguments.has("--create") || arguments.has("--strict") || arguments["--pk"] != nil || types != nil else { return nil }
        return LoadedTable(
            primaryKey: arguments["--pk"].map { $0.split(separator: ",").map(String.init) } ?? [],
            types: (types ?? [:]).mapValues { Database.ColumnType(rawValue: $0) }, strict: arguments.has("--strict"))
    }

    private static func conflictResolution(_ name: String) throws -> Database.ConflictResolution {
        guard let resolution = Database.ConflictResolution(rawValue: name.uppercased()) else {
            throw UsageError("--on-conflict needs abort, ignore, replace, rollback, fail or update, not \(name)")
        }
        return resolution
    }
}

extension ParsedArguments {
    /// Returns the value of an option that is a positive number; nil if it is not given.
    fileprivate func count(_ option: String) throws -> Int? {
        guard let text = self[option] else { return nil }
        guard let count = Int(text), count > 0 else { throw UsageError("\(option) needs a positive number, not \(text)") }
        return count
    }

    /// Returns the value of an option with few values; nil if it is not given.
    fileprivate func choice<Value>(_ option: String, _ values: KeyValuePairs<String, Value>) throws -> Value? {
        guard let text = self[option] else { return nil }
        guard let value = values.first(where: { $0.key == text.lowercased() })?.value else {
            throw UsageError("\(option) needs \(values.map(\.key).joined(separator: ", ")), not \(text)")
        }
        return value
    }

    /// Returns the pairs of an option such as `a=b,c=d`; nil if it is not given.
    fileprivate func pairs(_ option: String) throws -> [String: String]? {
        guard let text = self[option] else { return nil }
        var pairs: [String: String] = [:]
        // The comma of DECIMAL(10,2) separates no pairs.
        let parts = text.split(separator: ",").reduce(into: [String]()) { parts, part in
            if let last = parts.last, last.lastIndex(of: "(") ?? last.startIndex > last.lastIndex(of: ")") ?? last.startIndex {
                parts[parts.count - 1] += ",\(part)"
            } else {
                parts.append(String(part))
            }
        }
        for part in parts {
            guard let equals = part.firstIndex(of: "=") else { throw UsageError("\(option) needs A=B,…, not \(part)") }
            pairs[String(part[..<equals])] = String(part[equals...].dropFirst())
        }
        return pairs
    }
}
