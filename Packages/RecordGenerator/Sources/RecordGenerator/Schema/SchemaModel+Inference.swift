import SQLiteDriver

extension SchemaModel {
    /// Finds the types of columns without a declared type, in views and in full-text tables, and the defaults of the columns of views.
    ///
    /// - Parameter model: the model of all tables.
    mutating func inferTypes(_ db: Database, _ model: SchemaModel, _ settings: RecordSettings) throws {
        guard model.tables.contains(where: { $0.kind == .view || $0.fullText?.content != nil || $0.columns.contains(where: \.isGenerated) })
        else { return }
        // Tables that can't be read are not needed.
        var readable = SchemaModel(source: source, tables: model.tables.filter { $0.problem == nil })
        readable.inferContentTypes(settings)
        let schema = try QuerySchema(db, readable, RecordGenerator(readable, unchecked: settings).records, settings)
        for index in readable.tables.indices where readable.tables[index].kind == .view {
            var columns = readable.tables[index].columns
            // Nothing is known about a view that is not understood.
            guard let view = try? schema.table(readable.tables[index].name), view.columns.count == columns.count else { continue }
            for (position, value) in view.columns.map(\.value).enumerated() {
                columns[position].inferredType = value.type
                guard let origin = value.origin, origin.declaredType == columns[position].declaredType else { continue }
                let shown = readable.tables.first { SchemaName($0.name) == origin.table }?.columns.first {
                    SchemaName($0.name) == origin.column
                }
                columns[position].hasTimestampDefault = shown?.hasTimestampDefault ?? false
            }
            readable.tables[index].columns = columns
        }
        readable.inferContentTypes(settings)
        for index in readable.tables.indices where readable.tables[index].kind == .table {
            let known = try schema.table(readable.tables[index].name).columns
            for (position, column) in readable.tables[index].columns.enumerated() where column.isGenerated && column.allowedValues.isEmpty {
                readable.tables[index].columns[position].isUnproven =
                    SwiftType(column) != .databaseValue && known[position].value.type == nil
            }
        }
        for index in tables.indices {
            guard let table = readable.tables.first(where: { SchemaName($0.name) == SchemaName(tables[index].name) }),
                table.columns.count == tables[index].columns.count
            else { continue }
            for (position, column) in table.columns.enumerated() {
                tables[index].columns[position].inferredType = column.inferredType
                tables[index].columns[position].hasTimestampDefault = column.hasTimestampDefault
                tables[index].columns[position].isUnproven = column.isUnproven
            }
        }
    }

    /// Gives the columns of full-text tables the types of the columns that they show, of another table.
    private mutating func inferContentTypes(_ settings: RecordSettings) {
        guard tables.contains(where: { $0.fullText?.content != nil }) else { return }
        let records = RecordGenerator(self, unchecked: settings).records
        for index in tables.indices {
            guard let content = tables[index].fullText?.content, !content.isEmpty else { continue }
            let record = records.first { $0.table.name.isEqualIgnoringASCIICase(to: content) }
            for position in tables[index].columns.indices {
                let name = SchemaName(tables[index].columns[position].name)
                tables[index].columns[position].inferredType = record?.properties.first { SchemaName($0.column) == name }.flatMap {
                    record?.type(of: $0)
                }
            }
        }
    }
}
