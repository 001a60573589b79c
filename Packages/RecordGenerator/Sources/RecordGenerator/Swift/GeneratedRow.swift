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
