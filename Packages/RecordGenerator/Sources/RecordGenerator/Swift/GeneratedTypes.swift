import SQLiteDriver

/// An enum of the values that a CHECK allows in a column.
struct GeneratedEnum: Equatable {
    /// The name of the enum, which is nested in the record.
    var name: String

    /// The name of each case, and its raw value as a literal.
    private var cases: [(name: String, literal: String)] = []

    /// Whether the raw values are strings, and not integers.
    private let isText: Bool

    /// Creates an enum of the values that a column allows.
    ///
    /// - Returns: nil unless there are such values, of one type, and all stored values are among them.
    init?(_ column: SchemaModel.Column, name: String) {
        guard !column.allowedValues.isEmpty, column.content?.isAllowed != false else { return nil }
        self.name = name
        var names: Set<String> = []
        var texts: Set<String> = []
        if case .string = column.allowedValues[0].storage { isText = true } else { isText = false }
        for value in column.allowedValues {
            switch value.storage {
            case .string(let text) where isText:
                // Swift's enums can't have two strings with the same characters in different bytes.
                guard texts.insert(text).inserted else { return nil }
                cases.append((SwiftName.unused(SwiftName.enumCase(text), &names), text.swiftLiteral))
            case .int64(let number) where !isText:
                let digits = String(number.magnitude)
                cases.append((SwiftName.unused(number < 0 ? "minus\(digits)" : "value\(digits)", &names), String(number)))
            default: return nil
            }
        }
    }

    /// Writes the enum.
    ///
    /// It reads only the storage class of its values: as an integer, a column with 1.5 would be read as the case of 1.
    func write(of column: String, _ access: String, to code: inout CodeWriter) {
        code.line()
        code.line("/// The values of `\(column.forComment)`.")
        let rawType = isText ? "String" : "Int64"
        code.block("\(access)enum \(name): \(rawType), CaseIterable, Codable, DatabaseValueConvertible, Sendable") { code in
            for (name, literal) in cases {
                let isImplied = isText && literal.utf8.elementsEqual(name.swiftLiteral.utf8)
                code.line("case \(SwiftName.quoted(name))\(isImplied ? "" : " = \(literal)")")
            }
            code.line()
            code.line("/// Returns the case of a value, or nil for any other value, which fetches report as an error.")
            code.block("\(access)static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self?") { code in
                code.line("guard case .\(isText ? "string" : "int64")(let value) = dbValue.storage else { return nil }")
                code.line("return Self(rawValue: value)")
            }
        }
    }

    static func == (one: GeneratedEnum, other: GeneratedEnum) -> Bool {
        one.name == other.name && one.isText == other.isText && one.cases.elementsEqual(other.cases, by: ==)
    }
}

/// How a column stores the value of a property.
enum StorageForm: Sendable {
    /// In the form in which the property's type stores itself.
    case plain
    /// As JSON.
    case json
    /// A UUID as text.
    case lowercaseUUID, uppercaseUUID
    /// A date as `CURRENT_TIMESTAMP` writes it.
    case timestamp

    /// The words before types, with their forms, and the only types that have these; nil if all types do.
    static let words: [(word: String, form: StorageForm, type: String?)] = [
        ("json", .json, nil), ("lowercase", .lowercaseUUID, "UUID"), ("uppercase", .uppercaseUUID, "UUID"),
        ("milliseconds", .plain, "Date"), ("timestamp", .timestamp, "Date"),
    ]

    /// The case of the encoding strategy of the property's type, which has one.
    func strategy(for typeName: String) -> String {
        switch self {
        case .lowercaseUUID: "lowercaseString"
        case .uppercaseUUID: "uppercaseString"
        case .timestamp: "databaseTimestamp"
        case .plain, .json: "deferredTo\(typeName)"
        }
    }
}

/// A column with the property that stands for it.
///
/// The code that declares, reads and writes properties depends on nothing else. The columns of a statement could therefore be a source as
/// well as the columns of a table.
struct GeneratedProperty: Equatable {
    /// The name of the column.
    var column: String
    /// The documentation.
    var comment: [String] = []
    /// The name of the property.
    var name: String
    /// The type of a value that is not nil.
    var typeName: String
    var isOptional: Bool
    var storage = StorageForm.plain
    /// The values of the column, if the property's type is an enum of them.
    var values: GeneratedEnum?

    /// Whether the column has exactly the same name: the same characters in other bytes are another column.
    var isNamedLikeColumn: Bool { name.utf8.elementsEqual(column.utf8) }

    var typeText: String { typeName + (isOptional ? "?" : "") }

    /// The type of a value that is not nil, with the name of the record in which it is nested.
    func typeName(in record: RecordGenerator.Record) -> String { values == nil ? typeName : "\(record.typeName).\(typeName)" }

    /// The label of an argument, where `inout` alone needs backticks.
    var label: String { name == "inout" ? "`inout`" : name }

    /// The static property of `Columns`, for requests. It has a type if the column contains only values of the property's type, and no JSON.
    ///
    /// - Parameter record: the name of the record's type, whose table the column knows.
    func writeColumn(of record: String, _ access: String, to code: inout CodeWriter) {
        let name = SwiftName.quoted(name)
        let type = storage == .json || typeName == "DatabaseValue" ? "Column" : "TypedColumn<\(typeName)>"
        code.call("\(access)static let \(name) = \(type)", ["CodingKeys.\(name)", "of: \(record).self"])
    }

    /// The position of the column, where the row has the column always at the same position; nil if the column is read by its name.
    var index: Int?

    /// The row that the property is, if it is more than a column.
    var row: GeneratedRow?

    /// The call that reads the property from a row, and the code after it.
    fileprivate var reading: (head: String, arguments: [String], end: String) {
        let isJSON = storage == .json
        let type = (isJSON ? "DatabaseJSON<\(typeName)>" : typeName) + (isOptional ? "?" : "")
        let place = index.map { "atIndex: \($0)" } ?? "forColumn: \(column.swiftLiteral)"
        return ("row.decode", ["\(type).self", place], isJSON ? (isOptional ? "?.value" : ".value") : "")
    }

    /// The value in the form in which the column stores it.
    static func stored(_ reference: String, _ storage: StorageForm, isOptional: Bool) -> String {
        switch storage {
        case .plain: return reference
        case .json: return isOptional ? "\(reference).map { DatabaseJSON($0) }" : "DatabaseJSON(\(reference))"
        case .lowercaseUUID, .uppercaseUUID:
            let strategy = "DatabaseUUIDEncodingStrategy.\(storage.strategy(for: SwiftType.uuid.rawValue)).databaseValue"
            return isOptional ? "\(reference).map { \(strategy)(for: $0) }" : "\(strategy)(for: \(reference))"
        case .timestamp: return isOptional ? "\(reference).map { DatabaseTimestamp($0) }" : "DatabaseTimestamp(\(reference))"
        }
    }

    /// The statement that writes the property in `encode(to:)`.
    func writeWriting(to code: inout CodeWriter) {
        // The parameter of the method hides a property with the same name.
        let reference = name == "container" ? "self.container" : SwiftName.reference(name)
        let value = Self.stored(reference, storage, isOptional: isOptional)
        let line = "container[\(column.swiftLiteral)] = \(value)"
        if code.hasRoom(for: line) {
            code.line(line)
        } else {
            code.line("container[\(column.swiftLiteral)] =")
            code.line("    \(value)")
        }
    }

    /// The parameter of an initializer. Fewer keywords need backticks than as a name.
    var parameter: String { "\(["inout", "let", "var"].contains(name) ? "`\(name)`" : name): \(typeText)\(isOptional ? " = nil" : "")" }
}

extension [GeneratedProperty] {
    /// The initializer that reads the properties from a row.
    ///
    /// Columns are read by name, because a request may select other columns, or another order. After the first row, a lookup is one
    /// comparison. The values are passed to the memberwise initializer: assigning them one by one took a seventh longer.
    func writeReading(_ access: String, to code: inout CodeWriter) {
        code.block("\(access)init(row: borrowing Row) throws") { code in
            // A constant must not hide the row.
            var taken: Set = ["row"]
            let arguments = readingArguments(&taken, to: &code)
            let readsRow = arguments.contains { $0.contains("row.decode(") }
            code.call("\(readsRow ? "try " : "")self.init", arguments)
        }
    }

    /// The arguments that the memberwise initializer gets from a row. Those that need lines of their own become constants.
    ///
    /// - Parameter taken: the names of constants and variables.
    func readingArguments(_ taken: inout Set<String>, to code: inout CodeWriter) -> [String] {
        var arguments: [String] = []
        for property in self {
            let others = Set(map(\.name).filter { $0 != property.name })
            func unused() -> String { SwiftName.quoted(SwiftName.unused(property.name, &taken, avoiding: others)) }
            if let row = property.row {
                let name = unused()
                row.writeReading(property, to: name, &taken, &code)
                arguments.append("\(property.label): \(name)")
                continue
            }
            let (head, list, end) = property.reading
            let argument = "\(property.label): \(head)(\(list.joined(separator: ", ")))\(end)"
            if code.hasRoom(for: "    \(argument),") {
                arguments.append(argument)
            } else {
                let name = unused()
                code.call("let \(name) = try \(head)", list, after: end)
                arguments.append("\(property.label): \(name)")
            }
        }
        return arguments
    }

    /// An initializer with a parameter for each property. Swift's own memberwise initializer is never public.
    func writeInitializer(_ access: String, to code: inout CodeWriter) {
        code.line()
        code.line("/// Creates a value from its properties.")
        code.block(declaring: "\(access)init", map(\.parameter)) { code in
            for property in self { code.line("self.\(SwiftName.quoted(property.name)) = \(SwiftName.quoted(property.name))") }
        }
    }
}

/// A row of a table inside the row of a query.
struct GeneratedRow: Equatable {
    var properties: [GeneratedProperty]
    /// Whether the row is a record of the schema, and not a struct of the query.
    var isRecord: Bool
    /// The columns of which one is not NULL if the row exists; empty if it always exists.
    var presence: [Int]

    /// The code that reads the row.
    ///
    /// - Parameters:
    ///   - property: the property that the row is.
    ///   - name: the name of the constant or variable for the row.
    ///   - taken: the names of other constants and variables.
    func writeReading(_ property: GeneratedProperty, to name: String, _ taken: inout Set<String>, _ code: inout CodeWriter) {
        if presence.isEmpty {
            let arguments = properties.readingArguments(&taken, to: &code)
            return code.call("let \(name) = try \(property.typeName)", arguments)
        }
        code.line("var \(name): \(property.typeText)")
        let isPresent =
            presence.count == 1
            ? "!row.decode(DatabaseValue.self, atIndex: \(presence[0])).isNull"
            : "\(presence).contains(where: { try !row.decode(DatabaseValue.self, atIndex: $0).isNull })"
        code.block("if try \(isPresent)") { code in
            let arguments = properties.readingArguments(&taken, to: &code)
            code.call("\(name) = try \(property.typeName)", arguments)
        }
    }

    /// The struct of the row, if it is not a record.
    func writeStruct(_ property: GeneratedProperty, _ access: String, to code: inout CodeWriter) {
        if isRecord { return }
        code.line()
        code.line("/// A row of `\(property.column.forComment)`.")
        code.block("\(access)struct \(property.typeName): Codable, Hashable, Sendable") { code in
            for property in properties { code.line("\(access)var \(SwiftName.quoted(property.name)): \(property.typeText)") }
            if !access.isEmpty { properties.writeInitializer(access, to: &code) }
        }
    }
}
