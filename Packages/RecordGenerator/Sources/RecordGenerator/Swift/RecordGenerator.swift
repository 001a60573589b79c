import SQLiteDriver

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
        var properties: [GeneratedProperty]

        /// The type of a property, outside of the record; nil if its values may have any type.
        func type(of property: GeneratedProperty) -> QueryType? {
            let name = property.typeName(in: self)
            return name == SwiftType.databaseValue.rawValue ? nil : QueryType(name: name, storage: property.storage)
        }
    }

    private let model: SchemaModel
    private let module: String
    private let settings: RecordSettings

    /// `public` before each declaration, or nothing.
    private var access: String { settings.isPublic ? "public " : "" }

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - model: the tables and views.
    ///   - module: the module that the code imports.
    public init(_ model: SchemaModel, module: String = "Strata") {
        (self.model, self.module, settings) = (model, module, RecordSettings())
    }

    /// Creates a generator with settings.
    ///
    /// - Parameters:
    ///   - model: the tables and views.
    ///   - module: the module that the code imports.
    ///   - settings: the settings of the code.
    /// - Throws: ``RecordSettingsError`` if the settings are about a table or a column that the model does not have.
    public init(_ model: SchemaModel, module: String = "Strata", settings: RecordSettings) throws {
        try settings.check(model)
        (self.model, self.module, self.settings) = (model, module, settings)
    }

    /// Creates a generator with settings that may be about other tables, too.
    init(_ model: SchemaModel, unchecked settings: RecordSettings) { (self.model, module, self.settings) = (model, "", settings) }

    /// The records of the tables and views that have columns.
    var records: [Record] {
        let tables = model.tables.filter { !settings.skips($0.name) && !$0.columns.isEmpty && !isOnlyIndex($0) }
        // Names from the settings come first, because they don't change.
        var taken = Set(tables.compactMap { settings.typeName(ofTable: $0.name)?.lowercased() })
        let typeNames = tables.map { table in
            settings.typeName(ofTable: table.name)
                ?? SwiftName.unused(SwiftName.type(table.name, isSingular: settings.isSingular), &taken)
        }
        // A member hides a type with the same name.
        let types = settings.mentionedTypes.union(typeNames)
        return zip(tables, typeNames).map { table, typeName in
            Record(table: table, typeName: typeName, properties: properties(table, types: types))
        }
    }

    /// Whether a table indexes the content of another one, so that only a line of the settings gives it a record.
    private func isOnlyIndex(_ table: SchemaModel.Table) -> Bool {
        table.fullText?.content != nil && !table.isListed && settings.typeName(ofTable: table.name) == nil
    }

    /// The columns that are strings in Swift, without a line of the settings, although SQLite stores strings that look like numbers in them as
    /// numbers.
    ///
    /// Source: <https://www.sqlite.org/datatype3.html#type_affinity>
    var numericStrings: [(table: String, column: SchemaModel.Column)] {
        records.filter { $0.table.kind == .table }.flatMap { record in
            zip(record.table.columns, record.properties).filter { column, property in
                property.typeName == SwiftType.string.rawValue && settings.rule(for: column, of: record.table.name) == nil
                    && [.integer, .real, .numeric].contains(ColumnAffinity(column.declaredType, isStrict: false))
            }.map { (record.table.name, $0.0) }
        }
    }

    /// The computed columns whose types nothing ensures, without a line of the settings.
    var unprovenColumns: [(table: String, column: SchemaModel.Column)] {
        records.flatMap { record in
            record.table.columns.filter { $0.isUnproven && $0.content == nil && settings.rule(for: $0, of: record.table.name) == nil }
                .map { (record.table.name, $0) }
        }
    }

    /// The Swift code.
    public var code: String {
        let records = records
        let associations = Self.associations(records, isSingular: settings.isSingular)
        let needsFoundation = records.contains { $0.properties.contains { ["Data", "Date", "UUID"].contains($0.typeName) } }

        var code = CodeWriter("Records for the tables and views of \(model.source.forComment)", writtenBy: "swift")
        for name in settings.imports(module).union(needsFoundation ? ["Foundation"] : []).sorted() { code.line("import \(name)") }
        for (record, associations) in zip(records, associations) { write(record, associations, to: &code) }
        for table in model.tables where table.columns.isEmpty && !settings.skips(table.name) {
            code.line()
            code.line(
                "// The \(table.kind.rawValue) `\(table.name.forComment)` has no record: \((table.problem ?? "it has no columns").forComment)."
            )
        }
        for table in model.tables where isOnlyIndex(table) && !settings.skips(table.name) {
            let line = "table \(table.name) \(SwiftName.type(table.name, isSingular: settings.isSingular))"
            code.line()
            code.line(
                "// The full-text index `\(table.name.forComment)` has no record, unless schema.records has a line such as: \(line.forComment)"
            )
        }
        return code.text
    }

    /// The properties of a table's record.
    ///
    /// - Parameter types: the names of all records, and of types in settings, which a member or a nested enum would hide.
    private func properties(_ table: SchemaModel.Table, types: Set<String>) -> [GeneratedProperty] {
        var taken: Set<String> = []
        let names = table.columns.map { SwiftName.unused(SwiftName.member($0.name), &taken, avoiding: types) }
        var takenTypes = Set(types.map { $0.lowercased() })
        return zip(table.columns, names).map { column, name in
            var property = GeneratedProperty(
                column: column.name, comment: column.comment, name: name, typeName: SwiftType.int64.rawValue, isOptional: true)
            if column.isGenerated { property.comment.append("Computed by the database, and not written.") }
            let isNullable = table.kind != .table || !column.isNotNull || column.content?.hasNull == true
            // A row ID is nil before the row is inserted.
            let isRowID = table.rowIDColumn?.isEqualIgnoringASCIICase(to: column.name) == true
            if let rule = settings.rule(for: column, of: table.name) {
                (property.typeName, property.storage) = (rule.typeName, rule.storage ?? .plain)
                if rule.storage == nil, rule.typeName == SwiftType.date.rawValue { property.storage = column.dateForm }
            } else if isRowID {
                return property
            } else if SwiftType(column) != .bool, let values = GeneratedEnum(column, name: SwiftName.type(column.name, suffix: "Value")) {
                property.values = values
                property.values?.name = SwiftName.unused(values.name, &takenTypes, avoiding: Set(names))
                property.typeName = property.values!.name
            } else {
                let type = column.isUnproven && column.content == nil ? .databaseValue : SwiftType(column)
                property.typeName = type.rawValue
                if type == .databaseValue, column.content == nil, let inferred = column.inferredType {
                    (property.typeName, property.storage) = (inferred.name, inferred.storage)
                }
                if type == .date { property.storage = column.dateForm }
                if type == .uuid, let format = column.content?.uuidFormat {
                    property.storage = format == .lowercase ? .lowercaseUUID : format == .uppercase ? .uppercaseUUID : .plain
                }
            }
            property.isOptional = isRowID || (isNullable && property.typeName != SwiftType.databaseValue.rawValue)
            return property
        }
    }

    // MARK: - Records

    private func write(_ record: Record, _ associations: [GeneratedAssociation], to code: inout CodeWriter) {
        writeStruct(record, to: &code)
        writeConformances(record, to: &code)
        guard !associations.isEmpty else { return }
        code.line()
        code.line("// MARK: Associations")
        code.line()
        code.block("nonisolated extension \(record.typeName)") { code in
            for (index, association) in associations.enumerated() {
                if index > 0 { code.line() }
                code.line("/// \(association.comment)")
                code.call(
                    "\(access)static let \(SwiftName.quoted(association.name)) = \(association.function)", association.arguments)
            }
        }
    }

    private func writeStruct(_ record: Record, to code: inout CodeWriter) {
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
        // Records are used on the threads of accesses, also in modules whose default isolation is the main actor.
        code.block("\(access)nonisolated struct \(record.typeName): \(protocols.joined(separator: ", "))") { code in
            for property in record.properties {
                for line in property.comment { code.line("/// \(line.forComment)") }
                code.line("\(access)var \(SwiftName.quoted(property.name)): \(property.typeText)")
            }
            if record.properties.contains(where: { !$0.isNamedLikeColumn }) {
                code.line()
                code.block("\(access)enum CodingKeys: String, CodingKey") { code in
                    for property in record.properties {
                        let value = property.isNamedLikeColumn ? "" : " = \(property.column.swiftLiteral)"
                        code.line("case \(SwiftName.quoted(property.name))\(value)")
                    }
                }
            }
            code.line()
            code.line("/// The columns, for requests.")
            code.block("\(access)enum Columns") { code in
                for property in record.properties { property.writeColumn(of: record.typeName, access, to: &code) }
            }
            for property in record.properties { property.values?.write(of: property.column, access, to: &code) }
            if settings.isPublic { record.properties.writeInitializer(access, to: &code) }
            identity?.write(access, to: &code)
        }
    }

    /// The extension that makes the struct a record.
    private func writeConformances(_ record: Record, to code: inout CodeWriter) {
        let table = record.table
        code.line()
        let isWritten = table.kind != .view
        let encodesValues = !isWritten && record.properties.contains { $0.storage != .plain && $0.storage != .json }
        let persistence =
            !isWritten
            ? "TableRecord\(encodesValues ? ", ColumnValueEncoding" : "")"
            : table.rowIDColumn == nil ? "PersistableRecord" : "MutablePersistableRecord"
        code.block("nonisolated extension \(record.typeName): FetchableRecord, \(persistence)") { code in
            code.line("\(access)static let databaseTableName = \(table.name.swiftLiteral)")
            code.line()
            record.properties.writeReading(access, to: &code)
            guard isWritten else {
                if encodesValues { writeValueEncoding(record.properties, to: &code) }
                return
            }
            code.line()
            code.block("\(access)func encode(to container: inout PersistenceContainer)") { code in
                for property in record.properties { property.writeWriting(to: &code) }
            }
            writeStrategies(record.properties, to: &code)
            if let rowID = table.rowIDColumn.flatMap({ name in record.properties.first { $0.column.isEqualIgnoringASCIICase(to: name) } }) {
                code.line()
                code.block("\(access)mutating func didInsert(_ inserted: InsertionSuccess)") { code in
                    let isPlain = rowID.typeName == SwiftType.int64.rawValue
                    let value = isPlain ? "inserted.rowID" : "\(rowID.typeName).fromDatabaseValue(inserted.rowID.databaseValue)"
                    code.line("\(SwiftName.reference(rowID.name)) = \(value)")
                }
            }
        }
    }

    /// The method that writes conditions in the form of the columns of a view.
    private func writeValueEncoding(_ properties: [GeneratedProperty], to code: inout CodeWriter) {
        code.line()
        code.block(
            declaring: "\(access)static func databaseValue",
            ["of value: any DatabaseValueConvertible & Sendable", "inColumn column: String"], after: " throws -> DatabaseValue?"
        ) { code in
            code.line("switch (column, value) {")
            for property in properties where property.storage != .plain && property.storage != .json {
                let stored = GeneratedProperty.stored("value", property.storage, isOptional: false)
                let value = property.storage == .timestamp ? "try \(stored).bindingValue()" : stored
                code.line("case (\(property.column.swiftLiteral), let value as \(property.typeName)): \(value)")
            }
            code.line("default: nil")
            code.line("}")
        }
    }

    /// The strategies that write keys and conditions in the form of the columns.
    ///
    /// They are declared also if they are the defaults: an extension with another strategy, which the code would ignore, does not compile.
    private func writeStrategies(_ properties: [GeneratedProperty], to code: inout CodeWriter) {
        for type in [SwiftType.date.rawValue, SwiftType.uuid.rawValue] {
            let columns = properties.filter { $0.typeName == type && $0.storage != .json }
            guard let first = columns.first else { continue }
            let strategy = "Database\(type)EncodingStrategy"
            code.line()
            code.block("\(access)static func d\(strategy.dropFirst())(for column: String) -> \(strategy)") { code in
                if columns.allSatisfy({ $0.storage == first.storage }) { return code.line(".\(first.storage.strategy(for: type))") }
                code.line("switch column {")
                for column in columns where column.storage != .plain {
                    code.line("case \(column.column.swiftLiteral): .\(column.storage.strategy(for: type))")
                }
                code.line("default: .\(StorageForm.plain.strategy(for: type))")
                code.line("}")
            }
        }
    }
}

/// How a record is `Identifiable`.
private struct Identity {
    private let keys: [GeneratedProperty]

    /// Nil if the record has no key, or a column that is named "id" and is not the key.
    init?(_ record: RecordGenerator.Record) {
        keys = record.table.primaryKey.compactMap { name in
            record.properties.first { $0.column.isEqualIgnoringASCIICase(to: name) }
        }
        guard !keys.isEmpty, keys.count == record.table.primaryKey.count else { return nil }
        if keys.count == 1, keys[0].name == "id" { return }
        if record.properties.contains(where: { $0.name == "id" }) { return nil }
    }

    func write(_ access: String, to code: inout CodeWriter) {
        if keys.count == 1 {
            if keys[0].name == "id" { return }
            code.line()
            // A name alone can be the keyword of an accessor, such as `set`.
            code.line("\(access)var id: \(keys[0].typeText) { self.\(SwiftName.quoted(keys[0].name)) }")
            return
        }
        code.line()
        code.line("/// The primary key.")
        code.block("\(access)struct ID: Hashable, Sendable") { code in
            for key in keys { code.line("\(access)var \(SwiftName.quoted(key.name)): \(key.typeText)") }
            if !access.isEmpty { keys.writeInitializer(access, to: &code) }
        }
        code.line()
        code.line("\(access)var id: ID {")
        code.call("    ID", keys.map { "\($0.label): \(SwiftName.reference($0.name))" })
        code.line("}")
    }
}
