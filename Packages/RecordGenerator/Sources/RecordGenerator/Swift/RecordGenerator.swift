/// Writes Swift records for the tables and views of a database.
///
/// ```swift
/// let model = try queue.read { db in try SchemaModel(db, source: "library.sqlite") }
/// try RecordGenerator(model).code.write(
///     toFile: "Records.swift", atomically: true, encoding: .utf8)
/// ```
///
/// The same model always gives the same code. It is formatted as `swift format` would, with lines of up to 140 characters.
public struct RecordGenerator {
    /// A table with the names of its record.
    struct Record {
        var table: SchemaModel.Table
        var typeName: String
        var properties: [Property]
    }

    /// A column with the property that stands for it.
    struct Property {
        var column: SchemaModel.Column
        var name: String
        var type: SwiftType
        var isOptional: Bool

        var typeText: String { type.rawValue + (isOptional ? "?" : "") }
    }

    private let model: SchemaModel
    private let module: String

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - model: the tables and views.
    ///   - module: the module that the code imports.
    public init(_ model: SchemaModel, module: String = "Strata") {
        (self.model, self.module) = (model, module)
    }

    /// The Swift code.
    public var code: String {
        var typeNames: Set<String> = []
        let records = model.tables.filter { !$0.columns.isEmpty }.map { table in
            Record(
                table: table, typeName: SwiftName.unused(SwiftName.type(table.name), &typeNames), properties: Self.properties(table))
        }
        let associations = Self.associations(records)
        let needsFoundation = records.contains { $0.properties.contains { $0.type.isOfFoundation } }

        var code = CodeWriter()
        code.line("// Records for the tables and views of \(model.source.forComment).")
        code.line("//")
        code.line("// Written by `strata swift`. Don't edit: the next run replaces this file.")
        code.line()
        if needsFoundation { code.line("import Foundation") }
        code.line("import \(module)")
        for (record, associations) in zip(records, associations) { write(record, associations, to: &code) }
        for table in model.tables where table.columns.isEmpty {
            code.line()
            code.line(
                "// The \(table.kind.rawValue) `\(table.name.forComment)` has no record: \((table.problem ?? "it has no columns").forComment)."
            )
        }
        return code.text
    }

    private static func properties(_ table: SchemaModel.Table) -> [Property] {
        var taken: Set<String> = []
        return table.columns.map { column in
            let name = SwiftName.unused(SwiftName.member(column.name), &taken)
            if column.name == table.rowIDColumn {
                // Nil before the row is inserted.
                return Property(column: column, name: name, type: .int64, isOptional: true)
            }
            let type = SwiftType(column)
            let isNullable = table.kind != .table || !column.isNotNull || column.content?.hasNull == true
            return Property(column: column, name: name, type: type, isOptional: isNullable && type != .databaseValue)
        }
    }

    // MARK: - Records

    private func write(_ record: Record, _ associations: [GeneratedAssociation], to code: inout CodeWriter) {
        let table = record.table
        let identity = Identity(record)
        code.line()
        code.line("/// The \(table.kind.rawValue) `\(table.name.forComment)`.")
        if !table.comment.isEmpty {
            code.line("///")
            for line in table.comment { code.line("/// \(line.forComment)") }
        }
        if let problem = table.problem {
            code.line("///")
            code.line("/// Not all of it can be read: \(problem.forComment).")
        }
        let protocols = ["Codable", "Hashable"] + (identity == nil ? [] : ["Identifiable"]) + ["Sendable"]
        code.block("struct \(record.typeName): \(protocols.joined(separator: ", "))") { code in
            for property in record.properties {
                var comment = property.column.comment
                if property.column.isGenerated { comment.append("Computed by the database, and not written.") }
                for line in comment { code.line("/// \(line.forComment)") }
                code.line("var \(SwiftName.quoted(property.name)): \(property.typeText)")
            }
            if record.properties.contains(where: { $0.name != $0.column.name }) {
                code.line()
                code.block("enum CodingKeys: String, CodingKey") { code in
                    for property in record.properties {
                        let value = property.name == property.column.name ? "" : " = \(property.column.name.swiftLiteral)"
                        code.line("case \(SwiftName.quoted(property.name))\(value)")
                    }
                }
            }
            code.line()
            code.line("/// The columns, for requests.")
            code.block("enum Columns") { code in
                for property in record.properties {
                    let name = SwiftName.quoted(property.name)
                    code.call("static let \(name) = Column", ["CodingKeys.\(name)"])
                }
            }
            identity?.write(to: &code)
        }

        code.line()
        let isWritten = table.kind != .view
        let persistence = !isWritten ? "TableRecord" : table.rowIDColumn == nil ? "PersistableRecord" : "MutablePersistableRecord"
        code.block("extension \(record.typeName): FetchableRecord, \(persistence)") { code in
            code.line("static let databaseTableName = \(table.name.swiftLiteral)")
            if let rowID = record.properties.first(where: { $0.column.name == table.rowIDColumn }), isWritten {
                code.line()
                code.block("mutating func didInsert(_ inserted: InsertionSuccess)") { code in
                    code.line("\(SwiftName.quoted(rowID.name)) = inserted.rowID")
                }
            }
        }
        guard !associations.isEmpty else { return }
        code.line()
        code.line("// MARK: Associations")
        code.line()
        code.block("extension \(record.typeName)") { code in
            for (index, association) in associations.enumerated() {
                if index > 0 { code.line() }
                code.line("/// \(association.comment)")
                code.call(
                    "static let \(SwiftName.quoted(association.name)) = \(association.function)", association.arguments)
            }
        }
    }
}

/// How a record is `Identifiable`.
private struct Identity {
    private let keys: [RecordGenerator.Property]

    /// Nil if the record has no key, or a column that is named "id" and is not the key.
    init?(_ record: RecordGenerator.Record) {
        keys = record.table.primaryKey.compactMap { name in
            record.properties.first { $0.column.name.lowercased() == name.lowercased() }
        }
        guard !keys.isEmpty, keys.count == record.table.primaryKey.count else { return nil }
        if keys.count == 1, keys[0].name == "id" { return }
        if record.properties.contains(where: { $0.name == "id" }) { return nil }
    }

    func write(to code: inout CodeWriter) {
        if keys.count == 1 {
            if keys[0].name == "id" { return }
            code.line()
            code.line("var id: \(keys[0].typeText) { \(SwiftName.quoted(keys[0].name)) }")
            return
        }
        code.line()
        code.line("/// The primary key.")
        code.block("struct ID: Hashable, Sendable") { code in
            for key in keys { code.line("var \(SwiftName.quoted(key.name)): \(key.typeText)") }
        }
        code.line()
        code.line("var id: ID {")
        code.call("    ID", keys.map { "\($0.name): \(SwiftName.quoted($0.name))" })
        code.line("}")
    }
}
