import Strata
import StrataCommandSupport

/// The formats of `--format`.
enum FormatName: String, CaseIterable {
    case box
    case csv
    case debug
    case insert
    case json
    case jsonLines = "jsonlines"
    case line
    case list
    case markdown
    case quote
    case table

    /// The formats for the help.
    static var all: String { names.joined(separator: ", ") }

    static var names: [String] { allCases.map(\.rawValue) }

    /// The format of the option `--format`.
    ///
    /// - Throws: ``UsageError`` if there is no such format.
    init(_ text: String?, default standard: FormatName) throws {
        guard let text else {
            self = standard
            return
        }
        guard let format = FormatName(rawValue: text.lowercased()) else {
            throw UsageError("unknown format \(text): the formats are \(Self.all)")
        }
        self = format
    }

    /// The format, with headers where it can have them.
    ///
    /// - Parameters:
    ///   - width: the greatest width of a column of a table; nil for any.
    ///   - table: the name for the SQL that inserts the rows of queries.
    ///   - columns: the columns that are written as text.
    /// - Throws: ``UsageError`` if the format writes no columns as text.
    func makeFormat(width: Int? = nil, table: String? = nil, columns: [String: DumpedColumn] = [:]) throws -> any DumpFormat {
        guard columns.isEmpty || [.csv, .json, .jsonLines].contains(self) else {
            throw UsageError("--text needs --format csv, json or jsonlines")
        }
        return switch self {
        case .box: TableDumpFormat.box(maximumColumnWidth: width, nullValue: "NULL").showingUUIDs
        case .csv: CSVDumpFormat.csv(columns: columns)
        case .debug: DebugDumpFormat.debug(header: true)
        case .insert: InsertDumpFormat.insert(into: table)
        case .json: JSONDumpFormat.json(columns: columns)
        case .jsonLines: JSONLinesDumpFormat.jsonLines(columns: columns)
        case .line: LineDumpFormat.line(nullValue: "NULL")
        case .list: ListDumpFormat.list(header: true)
        case .markdown: MarkdownDumpFormat.markdown()
        case .quote: QuoteDumpFormat.quote(header: true)
        case .table: TableDumpFormat.table(maximumColumnWidth: width, nullValue: "NULL").showingUUIDs
        }
    }
}

extension TableDumpFormat {
    /// The format with blobs that look like UUIDs as such, as `strata show` prints them.
    fileprivate var showingUUIDs: TableDumpFormat {
        changed(self) { $0.valueText = { if case .blob(let data) = $0.storage { data.likelyUUID } else { nil } } }
    }
}

extension Option {
    /// The columns that are written as text in files for others.
    static let text = Option("--text", value: "COLUMNS", "Writes columns as text in CSV and JSON: \(TextColumn.syntax).")
}

/// A column that is text in files, and something else in the database.
struct TextColumn {
    let dumped: DumpedColumn
    let loaded: LoadedColumn

    static let syntax = "id=uuid,created=date,paid=milliseconds,amount=2 (digits)"

    init?(_ name: Substring) {
        switch name {
        case "uuid": (dumped, loaded) = (.uuid, .uuid)
        case "uuidtext": (dumped, loaded) = (.uuid, .uuidText)
        case "date": (dumped, loaded) = (.date, .date)
        case "seconds": (dumped, loaded) = (.date, .dateInSeconds)
        case "milliseconds": (dumped, loaded) = (.dateInMilliseconds, .dateInMilliseconds)
        default:
            // The number of digits after the point.
            guard let digits = Int(name), (0...18).contains(digits) else { return nil }
            (dumped, loaded) = (.fixedPoint(digits: digits), .fixedPoint(digits: digits))
        }
    }
}

extension ParsedArguments {
    /// The columns of the option `--text`.
    ///
    /// - Throws: ``UsageError`` for another syntax.
    func textColumns() throws -> [String: TextColumn] {
        var columns: [String: TextColumn] = [:]
        for part in (self[Option.text.name] ?? "").split(separator: ",") {
            let equals = part.lastIndex(of: "=") ?? part.endIndex
            guard let column = TextColumn(part[equals...].dropFirst()) else {
                throw UsageError("--text needs COLUMN=uuid, uuidtext, date, seconds, milliseconds or a number of digits, not \(part)")
            }
            columns[String(part[..<equals])] = column
        }
        return columns
    }
}
