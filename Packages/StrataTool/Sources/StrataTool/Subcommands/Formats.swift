import Strata

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
    func makeFormat(width: Int? = nil, table: String? = nil) -> any DumpFormat {
        switch self {
        case .box: TableDumpFormat.box(maximumColumnWidth: width, nullValue: "NULL")
        case .csv: CSVDumpFormat.csv()
        case .debug: DebugDumpFormat.debug(header: true)
        case .insert: InsertDumpFormat.insert(into: table)
        case .json: JSONDumpFormat.json()
        case .jsonLines: JSONLinesDumpFormat.jsonLines()
        case .line: LineDumpFormat.line(nullValue: "NULL")
        case .list: ListDumpFormat.list(header: true)
        case .markdown: MarkdownDumpFormat.markdown()
        case .quote: QuoteDumpFormat.quote(header: true)
        case .table: TableDumpFormat.table(maximumColumnWidth: width, nullValue: "NULL")
        }
    }
}
