import RowDecoding

/// A table of a query, with its name in the query and the tables joined to it.
final class ResolvedTable {
    let relation: Relation

    /// The join with the previous table, or nil for the first table.
    let join: Join?

    /// The SQL name of the table, if it has the name of its database.
    private let sql: String?

    /// The name that the table has without an alias.
    private let baseName: String

    /// The name that qualifies columns.
    var name: String

    /// An alias for expressions that this layer makes itself.
    private(set) lazy var ownAlias = TableAlias<Void>(name: name, recordType: relation.recordType)

    let joins: [ResolvedTable]

    /// Whether the table is joined in parentheses, together with the tables joined to it: an optional table that requires others, or whose
    /// condition refers to them. SQLite then makes a subquery of them, which has no hidden row IDs.
    private(set) var isGroup: Bool

    /// Whether the table is in such parentheses.
    private(set) var isInGroup: Bool

    /// The common table expressions of the query, which the columns of this table may depend on.
    let commonTables: [CommonTable]

    /// - Parameters:
    ///   - relation: the relation of the table, with the tables joined to it.
    ///   - join: the join with the previous table, or nil for the first table.
    ///   - commonTables: the common table expressions of the query; by default, the common table expressions of the relation and its joined
    ///     tables.
    ///   - isInGroup: whether the previous table is joined in parentheses.
    ///   - db: a connection.
    init(_ relation: Relation, join: Join? = nil, commonTables: [CommonTable]? = nil, isInGroup: Bool = false, db: Database) throws {
        let commonTables = commonTables ?? (!relation.hasRareClauses ? [] : relation.allCommonTables)
        self.commonTables = commonTables
        if let misuse = relation.misuse { throw misuse }
        self.relation = relation
        self.join = join
        switch relation.source {
        case .table(let text):
            let reference = try TableReference(text, in: db)
            sql = reference.schema == nil ? nil : reference.sql
            baseName = reference.name
        case .commonTable(let table):
            sql = nil
            baseName = table.name
        }
        name = baseName
        let isGroup = join?.isRequired == false && relation.joins.contains(where: \.isRequired)
        (self.isGroup, self.isInGroup) = (isGroup, isGroup || isInGroup)
        joins = try relation.joins.map {
            try ResolvedTable($0.relation, join: $0.computed, commonTables: commonTables, isInGroup: isGroup || isInGroup, db: db)
        }
        if join != nil { try checkThatJoiningIsPossible() }
    }

    private func checkThatJoiningIsPossible() throws {
        let clause: String? =
            if relation.limit != nil {
                "limit"
            } else if relation.isDistinct {
                "distinct"
            } else if !relation.groups.isConstantlyEmpty || !relation.havings.isEmpty {
                "group or having"
            } else {
                nil
            }
        guard let clause else { return }
        throw DatabaseError.misuse(
            "an association to \(relation.source.name) with \(clause) can't be joined",
            advice: "Fetch the association with including(all:), or join a common table expression that contains the query.")
    }

    /// Joins the table in parentheses, together with the tables joined to it.
    func becomeGroup() {
        isGroup = true
        for table in tables { table.isInGroup = true }
    }

    /// This table and the tables joined to it, in the order of the query.
    var tables: [ResolvedTable] { [self] + joins.flatMap(\.tables) }

    /// Whether the columns of this table, or of a table joined to it, are selected.
    var isIncluded: Bool { join?.isIncluded ?? true || joins.contains(where: \.isIncluded) }

    // MARK: - Names

    /// Gives each table of the query a unique name. A table alone keeps its own.
    ///
    /// - Parameter reserved: names already in use.
    func assignNames(reserved: Set<SchemaName>) throws {
        if joins.isEmpty, reserved.isEmpty, relation.aliases.isEmpty { return }
        let tables = tables
        var used = reserved
        for table in tables {
            guard let name = table.relation.aliases.lazy.compactMap(\.explicitName).first else { continue }
            guard used.insert(SchemaName(name)).inserted else {
                throw DatabaseError.misuse("two tables of a request have the same alias \(name)")
            }
            table.name = name
        }
        let others = tables.filter { table in table.relation.aliases.allSatisfy { $0.explicitName == nil } }
        let counts = Dictionary(grouping: others) { SchemaName($0.baseName) }.mapValues(\.count)
        // Assign the names of tables that need no number first, so that no numbered name takes them.
        for table in others where counts[SchemaName(table.baseName)] == 1 {
            if used.insert(SchemaName(table.baseName)).inserted { table.name = table.baseName } else { table.name = "" }
        }
        for table in others where counts[SchemaName(table.baseName)] != 1 || table.name.isEmpty {
            var number = 1
            while !used.insert(SchemaName("\(table.baseName)\(number)")).inserted { number += 1 }
            table.name = "\(table.baseName)\(number)"
        }
    }

    /// Writes the table for a FROM or JOIN clause: `"player"`, or `"player" AS "player1"`.
    func renderName(to renderer: inout SQLRenderer) {
        if let sql { renderer.append(sql) } else { renderer.append(identifier: baseName) }
        if name != baseName {
            renderer.append(" AS ")
            renderer.append(identifier: name)
        }
    }

    // MARK: - Columns

    /// Returns columns of which at least one is not NULL in every row of the table.
    func presenceColumns(_ db: Database) throws -> [String] {
        guard case .table(let text) = relation.source else { return try columnNames(db) }
        let table = try TableReference(text, in: db)
        guard let key = try table.knownPrimaryKey(db) else { return try columnNames(db) }
        // A primary key that is not the row ID can contain NULL. Rows in parentheses have no hidden row IDs.
        if let rowID = isInGroup ? key.rowIDColumn : key.rowIDName { return [rowID] }
        return key.isRowID || key.tableHasRowID ? try columnNames(db) : key.columns
    }

    /// Returns the columns that `*` selects.
    func columnNames(_ db: Database) throws -> [String] {
        try relation.source.columnNames(db, among: commonTables)
    }

    /// Returns the columns that identify a row: the columns of the primary key, or an empty array for a view or a common table expression.
    func identifyingColumns(_ db: Database) throws -> [String] {
        guard case .table(let text) = relation.source else { return [] }
        let table = try TableReference(text, in: db)
        guard let key = try table.knownPrimaryKey(db) else { return [] }
        return key.isRowID && !key.tableHasRowID ? [] : key.columns
    }

    /// The tables whose keys make the order of the rows stable: the tables with a stable order, and the tables joined to them that may have
    /// several rows for one of their rows.
    var tablesInStableOrder: [ResolvedTable] {
        relation.ordering.isStable ? tablesWithRowsOfTheirOwn : joins.flatMap(\.tablesInStableOrder)
    }

    private var tablesWithRowsOfTheirOwn: [ResolvedTable] {
        (isDetermined && !relation.ordering.isStable ? [] : [self]) + joins.flatMap(\.tablesWithRowsOfTheirOwn)
    }

    /// Whether the table has at most one row for each row of the previous one, whose foreign key refers to it.
    private var isDetermined: Bool {
        if case .foreignKey(_, originIsLeft: true)? = join?.condition { true } else { false }
    }

    /// Whether the query may repeat a row of the table, for several rows of the tables joined to it.
    var rowsAreRepeated: Bool { joins.contains { !$0.isDetermined || $0.rowsAreRepeated } }

    /// Returns the tables below this one that may have several rows for a row of the table that they are joined to, and whether the query
    /// selects something of each of these rows.
    ///
    /// A table that is joined only for its one row does not count, even if its columns are selected: `joining(required:
    /// Author.books.including(required: Book.series))` does not select the books.
    ///
    /// - Parameters:
    ///   - selection: the selection of the first table.
    ///   - names: the names of tables to which the selection refers.
    ///   - isBelowUnselected: whether this table is, or is below, such a table of which nothing is selected.
    func repeatingTables(
        selection: [SQLSelection], referringTo names: Set<String>, isBelowUnselected: Bool = false
    ) -> [(table: ResolvedTable, isSelected: Bool)] {
        joins.flatMap { joined in
            guard let join = joined.join, !joined.isDetermined else {
                return joined.repeatingTables(selection: selection, referringTo: names, isBelowUnselected: isBelowUnselected)
            }
            let isIncluded = join.leadsToIncluded && !(isBelowUnselected && join.cardinality == .toOne)
            let isSelected = isIncluded || joined.determinesValues(of: selection, referringTo: names)
            return [(joined, isSelected)]
                + joined.repeatingTables(selection: selection, referringTo: names, isBelowUnselected: isBelowUnselected || !isSelected)
        }
    }

    /// Whether a row of this table determines values of the selection, or prefetched rows.
    private func determinesValues(of selection: [SQLSelection], referringTo names: Set<String>) -> Bool {
        !relation.prefetches.isEmpty || names.contains(name) || selection.contains { $0.mayRefer(to: self) }
            || joins.contains { $0.isDetermined && $0.determinesValues(of: selection, referringTo: names) }
    }

    /// Returns whether an alias may stand for the table: an alias that was given to it, or an alias that its association leads to.
    func mayHave(_ alias: TableAliasBase) -> Bool {
        relation.aliases.contains(alias) || alias.joinKeys.map { $0.last == join?.key } ?? false
    }

    /// Returns columns whose values distinguish rows: the key, or all columns if there is no key that SQL can refer to.
    func distinguishingColumns(_ db: Database) throws -> [String] {
        let key = try visibleKey(db)
        return key.isEmpty ? try columnNames(db) : key
    }

    /// Returns the columns that identify a row, or an empty array if SQL can't refer to them.
    func visibleKey(_ db: Database) throws -> [String] {
        let key = try identifyingColumns(db)
        guard isInGroup, key.count == 1 else { return key }
        return try columnNames(db).contains { $0.isEqualIgnoringASCIICase(to: key[0]) } ? key : []
    }
}

extension ResolvedTable: SQLScopeTable {
    var recordType: Any.Type? { relation.recordType }
    var databaseTableName: String { relation.source.name }
    func isTable(_ name: String, _ db: Database) throws -> Bool { try relation.source.isTable(name, db) }

    func hasAlias(_ alias: ObjectIdentifier) -> Bool {
        relation.aliases.contains { ObjectIdentifier($0) == alias } || ObjectIdentifier(ownAlias) == alias
            || join?.condition.expression.map { ObjectIdentifier($0.right) } == alias
            || joins.contains { $0.join?.condition.expression.map { ObjectIdentifier($0.left) } == alias }
    }

    func table(joinedBy key: String) -> (any SQLScopeTable)? { joins.first { $0.join?.key == key } }
}

extension Relation.Source {
    /// Returns the columns that `*` selects.
    ///
    /// - Parameters:
    ///   - db: a connection.
    ///   - commonTables: the common table expressions of the query.
    func columnNames(_ db: Database, among commonTables: [CommonTable] = []) throws -> [String] {
        switch self {
        case .table(let text): try TableReference(text, in: db).columnNames(db)
        case .commonTable(let table): try table.columnNames(db, among: commonTables)
        }
    }
}
