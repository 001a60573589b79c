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
