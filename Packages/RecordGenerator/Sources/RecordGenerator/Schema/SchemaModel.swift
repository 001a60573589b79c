import SQLiteDriver

/// The tables and views of a database, from which records are generated.
///
/// ```swift
/// let model = try SchemaModel(db, source: "library.sqlite")
/// let code = RecordGenerator(model).code
/// ```
public struct SchemaModel: Sendable, Equatable {
    /// The source that the header of the code names.
    public var source: String

    /// The tables and views, in the order of their names.
    public var tables: [Table]

    /// Creates a model.
    public init(source: String, tables: [Table]) {
        (self.source, self.tables) = (source, tables)
    }

    /// A table or a view.
    public struct Table: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The kind: a table, a view or a virtual table.
        public var kind: Kind
        /// The columns, without the hidden columns of virtual tables.
        public var columns: [Column]
        /// The columns of the primary key, in its order. Empty for views, and for tables that have only a hidden row ID.
        public var primaryKey: [String]
        /// The column that is the row ID, which SQLite fills in.
        public var rowIDColumn: String?
        /// The foreign keys.
        public var foreignKeys: [ForeignKey]
        /// The sets of columns that are unique together: the columns of the primary key, and of unique indexes.
        public var uniqueKeys: [[String]]
        /// The comments of the schema about the table.
        public var comment: [String]
        /// The reason why columns or keys are missing; nil if they are complete.
        public var problem: String?
        /// The definition of a full-text table; nil for other tables.
        var fullText: VirtualTableDefinition?
        /// Whether the caller has asked for this table by its name.
        var isListed = false

        /// Creates a table.
        public init(
            name: String, kind: Kind = .table, columns: [Column], primaryKey: [String] = [], rowIDColumn: String? = nil,
            foreignKeys: [ForeignKey] = [], uniqueKeys: [[String]] = [], comment: [String] = [], problem: String? = nil
        ) {
            (self.name, self.kind, self.columns, self.primaryKey) = (name, kind, columns, primaryKey)
            (self.rowIDColumn, self.foreignKeys, self.uniqueKeys) = (rowIDColumn, foreignKeys, uniqueKeys)
            (self.comment, self.problem) = (comment, problem)
        }
    }

    /// The kinds of tables.
    public enum Kind: String, Sendable {
        /// A table.
        case table
        /// A view.
        case view
        /// A virtual table.
        case virtualTable = "virtual table"
    }

    /// A column.
    public struct Column: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The declared type, which can be empty.
        public var declaredType: String
        /// Whether no row has NULL: the column is declared `NOT NULL`, or belongs to the primary key of a table without row IDs.
        public var isNotNull: Bool
        /// Whether the value is computed from other columns.
        public var isGenerated: Bool
        /// Whether the default value is a date in the form of `CURRENT_TIMESTAMP`. A column of a view has the default value of the column that
        /// it shows.
        public var hasTimestampDefault: Bool
        /// The strings or integers that a CHECK allows, besides NULL, in its order; empty if there is no such CHECK.
        public var allowedValues: [DatabaseValue]
        /// The known facts about the stored values; nil if there are none, or if they have not been read.
        public var content: ColumnContent?
        /// The comments of the schema about the column.
        public var comment: [String]
        /// The type that the definition of a view or of a full-text table implies.
        var inferredType: QueryType?
        /// Whether the column is computed, and its expression does not prove its declared type, although nothing else ensures it.
        var isUnproven = false

        /// Creates a column.
        public init(
            name: String, declaredType: String = "", isNotNull: Bool = false, isGenerated: Bool = false,
            hasTimestampDefault: Bool = false, allowedValues: [DatabaseValue] = [], content: ColumnContent? = nil, comment: [String] = []
        ) {
            (self.name, self.declaredType, self.isNotNull) = (name, declaredType, isNotNull)
            (self.isGenerated, self.hasTimestampDefault) = (isGenerated, hasTimestampDefault)
            (self.allowedValues, self.content, self.comment) = (allowedValues, content, comment)
        }
    }

    /// A foreign key.
    public struct ForeignKey: Sendable, Equatable {
        /// The columns of the table.
        public var columns: [String]
        /// The table that they refer to.
        public var destination: String
        /// The columns of that table.
        public var destinationColumns: [String]

        /// Creates a foreign key.
        public init(columns: [String], destination: String, destinationColumns: [String]) {
            (self.columns, self.destination, self.destinationColumns) = (columns, destination, destinationColumns)
        }
    }
}

/// The known facts about the values of a column.
public struct ColumnContent: Sendable, Equatable {
    /// The storage classes of the values, without NULL: `integer`, `real`, `text`, `blob`.
    public var classes: Set<String>
    /// Whether a row has NULL.
    public var hasNull: Bool
    /// Whether all integers are 0 or 1.
    public var isBoolean: Bool
    /// Whether each value is a string that `Date` reads, and writes again as the same bytes.
    public var isDate: Bool
    /// Whether each value is a string that `DatabaseTimestamp` reads, and writes again as the same bytes.
    public var isTimestamp: Bool
    /// Whether `Double` has each integer exactly.
    public var isExactInDouble: Bool
    /// Whether a CHECK allows each value.
    public var isAllowed: Bool
    /// How all values are stored that are UUIDs; nil if one is something else, or stored in another way.
    public var uuidFormat: UUIDFormat?

    /// The ways to store a UUID.
    public enum UUIDFormat: Sendable {
        /// A BLOB of 16 bytes.
        case blob
        /// A TEXT in lower case.
        case lowercase
        /// A TEXT in upper case.
        case uppercase
    }

    /// Creates a description.
    public init(
        classes: Set<String>, hasNull: Bool = false, isBoolean: Bool = false, isDate: Bool = false, isTimestamp: Bool = false,
        isExactInDouble: Bool = false, isAllowed: Bool = false, uuidFormat: UUIDFormat? = nil
    ) {
        (self.classes, self.hasNull, self.isBoolean) = (classes, hasNull, isBoolean)
        (self.isDate, self.isTimestamp, self.isExactInDouble) = (isDate, isTimestamp, isExactInDouble)
        (self.isAllowed, self.uuidFormat) = (isAllowed, uuidFormat)
    }
}

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
