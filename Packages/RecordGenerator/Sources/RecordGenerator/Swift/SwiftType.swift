/// The type of a property.
///
/// | declared type | Swift type | if the stored values |
/// |---|---|---|
/// | `BOOL`, `BOOLEAN` | `Bool` | are 0 and 1 |
/// | contains `INT` | `Int64` | are integers |
/// | `DATETIME`, `TIMESTAMP` | `Date` | are strings that the record writes again as the same bytes |
/// | contains `CHAR`, `CLOB`, `TEXT`; `DATE`, `TIME`, `STRING`, `JSON` | `String` | are strings |
/// | contains `REAL`, `FLOA`, `DOUB`, `NUMERIC`, `DECIMAL` | `Double` | are reals, or integers that `Double` has exactly |
/// | contains `BLOB`; `JSONB` | `Data` | are blobs |
/// | `UUID`, `GUID` | `UUID` | are UUIDs, all as blobs of 16 bytes, or as strings in upper case or in lower case |
/// | others, `ANY`, none | `DatabaseValue` | |
///
/// An `INT` that a CHECK restricts to 0 and 1 is a `Bool`. Other columns for which a CHECK lists the values have a ``GeneratedEnum``.
///
/// Columns whose values don't meet the condition have the type of their only storage class: `Int64`, `Double`, `String` or `Data`. Columns
/// with several storage classes are `DatabaseValue`.
///
/// Source: <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>
enum SwiftType: String {
    case bool = "Bool"
    case int64 = "Int64"
    case double = "Double"
    case string = "String"
    case data = "Data"
    case date = "Date"
    case uuid = "UUID"
    case databaseValue = "DatabaseValue"

    init(_ column: SchemaModel.Column) {
        let booleans = [0, 1].map { DatabaseValue(storage: .int64($0)) }
        let isBoolean = !column.allowedValues.isEmpty && column.allowedValues.allSatisfy(booleans.contains)
        let declared = isBoolean ? .bool : SwiftType(declared: column.declaredType)
        guard let content = column.content else {
            self = declared
            return
        }
        self = declared.reads(content, column) ? declared : SwiftType(storageClasses: content.classes)
    }

    /// The type for a declared type, in the order of SQLite's rules.
    private init(declared: String) {
        let type = declared.uppercased()
        let name = type.split(separator: "(").first.map { $0.split(separator: " ").joined(separator: " ") } ?? ""
        switch name {
        case "BOOL", "BOOLEAN": self = .bool
        case "DATETIME", "TIMESTAMP": self = .date
        case "DATE", "TIME", "STRING", "JSON": self = .string
        case "JSONB": self = .data
        case "UUID", "GUID": self = .uuid
        case _ where type.contains("INT"): self = .int64
        case _ where type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT"): self = .string
        case _ where type.contains("BLOB"): self = .data
        case _ where ["REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL"].contains(where: type.contains): self = .double
        default: self = .databaseValue
        }
    }

    private init(storageClasses: Set<String>) {
        switch storageClasses {
        case ["integer"]: self = .int64
        case ["real"]: self = .double
        case ["text"]: self = .string
        case ["blob"]: self = .data
        default: self = .databaseValue
        }
    }

    /// Returns whether the type reads the stored values, and writes them as they were.
    private func reads(_ content: ColumnContent, _ column: SchemaModel.Column) -> Bool {
        switch self {
        case .bool: content.classes == ["integer"] && content.isBoolean
        case .int64: content.classes == ["integer"]
        case .double: content.classes.isSubset(of: ["integer", "real"]) && content.isExactInDouble
        case .string: content.classes == ["text"]
        case .data: content.classes == ["blob"]
        case .date: content.classes == ["text"] && (content.isDate || content.isTimestamp && column.hasTimestampDefault)
        case .uuid: content.uuidFormat != nil
        case .databaseValue: false
        }
    }
}

extension SchemaModel.Column {
    /// The form in which a record writes the dates of the column: the form of the default value, unless all stored values have the other one.
    var dateForm: StorageForm {
        let isOtherForm = content.map { $0.isDate && !$0.isTimestamp } ?? false
        return hasTimestampDefault && !isOtherForm ? .timestamp : .plain
    }
}
