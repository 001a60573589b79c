import RowDecoding

// Columns that know the table of the record type that declares them.

/// The table of the record type that declares a column.
///
/// It is an object, so that a ``Column`` fits into an existential without allocating memory.
final class ColumnTable: Sendable {
    /// The name of the table, as the record type has it when the column is created.
    let name: String

    /// The record type.
    let recordType: Any.Type

    /// The description of the column in the shape of a query. Most columns are constants, and each query describes them again.
    let columnWords: [UInt64]

    /// - Parameters:
    ///   - recordType: the record type.
    ///   - column: the name of the only column that has this object.
    init(of recordType: any TableRecord.Type, column: String) {
        (name, self.recordType) = (recordType.databaseTableName, recordType)
        var shape = SQLShape()
        shape.append(.tableColumn, column)
        shape.append(name)
        shape.append(recordType)
        columnWords = shape.words
    }
}

extension Relation.Source {
    /// Returns whether a name, as requests and record types write it, is the name of the table, or of the common table expression.
    func isTable(_ name: String, _ db: Database) throws -> Bool {
        switch self {
        case .table(let text): try TableReference.areEqual(text, name, in: db)
        case .commonTable(let table): table.name.isEqualIgnoringASCIICase(to: name)
        }
    }
}

extension Relation {
    /// Returns whether a column in a clause of this relation belongs to its table: the tables are the same, or the rows of a common table
    /// expression are records of the column's table.
    func owns(_ column: ColumnTable, _ db: Database) throws -> Bool {
        if try source.isTable(column.name, db) { return true }
        guard case .commonTable = source, let type = recordType as? any TableRecord.Type else { return false }
        return try TableReference.areEqual(type.databaseTableName, column.name, in: db)
    }

    /// Returns the joined relation whose table has a column that a clause of this relation uses. Nil if the column belongs to this
    /// relation, or to none.
    func joinedRelation(of column: ColumnTable?, _ db: Database) throws -> Relation? {
        guard let column, !self.joins.isEmpty, try !owns(column, db) else { return nil }
        var remaining = self.joins.map(\.relation)
        while let relation = remaining.popLast() {
            if try relation.source.isTable(column.name, db) { return relation }
            remaining += relation.joins.map(\.relation)
        }
        return nil
    }
}

extension SQLRenderer {
    /// Returns the table of a column at the current position in the SQL.
    func owner(of column: ColumnTable) throws -> SQLScope.Owner {
        try scope.owner(
            isClause: { table in try (table as? ResolvedTable)?.relation.owns(column, database) ?? table.isTable(column.name, database) },
            isTable: { try $0.isTable(column.name, database) })
    }

    /// Writes a column, with the name of its table if columns are qualified, or if the column belongs to a table other than the current
    /// one.
    ///
    /// - Throws: ``DatabaseError`` when the column can belong to several tables.
    mutating func append(column name: String, of columnTable: ColumnTable?) throws {
        guard let columnTable else { return append(column: name) }
        switch try owner(of: columnTable) {
        case .current: append(column: name)
        case .none:
            try columnTable.checkIsNotAbsent(from: self, column: name)
            append(column: name)
        case .other(let table):
            counts.referencedTables.insert(table.name)
            append(in: scope.qualified(by: table)) { $0.append(column: name) }
        case .ambiguous(let tables, let isOuter): throw columnTable.ambiguity(of: name, among: tables, isOuter: isOuter, in: self)
        case .hidden(let table):
            throw DatabaseError.misuse(
                "the column \(name) of \(columnTable.name) is used in a subquery, where another table is named \(table.name), too",
                sql: sql,
                advice: "Give the table of the outer request an alias with aliased(_:), and write "
                    + "alias[\(columnTable.recordType).Columns.\(name)].")
        }
    }
}

extension ColumnTable {
    /// Throws an error if the query, or an outer one, does not read the table, and a column of the same name would silently take its place.
    fileprivate func checkIsNotAbsent(from renderer: SQLRenderer, column: String) throws {
        var absent: AbsentTable?
        _ = try renderer.scope.firstTable { table in
            guard let relation = (table as? ResolvedTable)?.relation, relation.hasRareClauses else { return false }
            absent = try relation.absentTables.first { try TableReference.areEqual($0.name, name, in: renderer.database) }
            return absent != nil
        }
        guard let absent else { return }
        throw DatabaseError.misuse(
            "the column \(column) of \(name) can't be used here: \(absent.reason)", sql: renderer.sql, advice: "Use a subquery.")
    }

    /// Returns the error that a column can belong to several tables, with the ways to choose one.
    fileprivate func ambiguity(
        of column: String, among tables: [any SQLScopeTable], isOuter: Bool, in renderer: SQLRenderer
    ) -> DatabaseError {
        // The columns of an association are found from the table that has it.
        let joined = (isOuter ? nil : renderer.scope.table as? ResolvedTable)?.joins.filter { table in tables.contains { $0 === table } }
        let origin = renderer.scope.table?.recordType.map { "\($0)." } ?? ""
        let choices = (joined ?? []).compactMap(\.join).map { join in
            "\(origin)\(join.cardinality == .toOne ? join.key : join.key.pluralized).columns.\(column)"
        }
        return .misuse(
            "the column \(column) of \(name) can belong to several tables of \(isOuter ? "an outer request" : "the request"), "
                + tables.map(\.name).joined(separator: " and "), sql: renderer.sql,
            advice: "Take the column from "
                + (choices.isEmpty
                    ? "" : "the association that joins one of them, as in \(choices.joined(separator: " or ")), or from ")
                + "a table alias, as in alias[\(recordType).Columns.\(column)].")
    }
}
