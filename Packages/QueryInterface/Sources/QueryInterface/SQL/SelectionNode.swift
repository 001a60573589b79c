import RowDecoding

/// The selections that this layer defines.
enum SelectionNode: SQLSelectionTree {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a case or a value.
    /// `a AS "name"`.
    case aliased(SQLExpression, String)
    /// `*`.
    case all
    /// The names of all columns of a table except some.
    case allExcluding(Set<SchemaName>)
    /// A selection whose columns belong to a table.
    indirect case qualified(TableAliasBase, SQLSelection)

    func render(to renderer: inout SQLRenderer) throws {
        switch self {
        case .aliased(let expression, let key):
            try renderer.append(expression)
            renderer.append(" AS ")
            renderer.append(identifier: key)
        case .all:
            if let qualifier = renderer.scope.qualifier {
                renderer.append(identifier: qualifier)
                renderer.append(".")
            }
            renderer.append("*")
        case .allExcluding(let excluded):
            let columns = try renderer.columns(excluding: excluded)
            guard !columns.isEmpty else {
                throw DatabaseError.misuse(
                    "allColumns(excluding:) excludes all columns of \(renderer.scope.table?.name ?? "")", sql: renderer.sql)
            }
            renderer.append(columns: columns)
        case .qualified(let alias, let content):
            try renderer.qualified(by: alias) { try $0.append(content) }
        }
    }

    func describe(to shape: inout SQLShape) throws {
        switch self {
        case .aliased(let expression, let key):
            shape.append(.aliased, key)
            try shape.append(expression)
        case .all: shape.append(SQLNode.Tag.allColumns.rawValue)
        case .allExcluding(let excluded):
            shape.append(SQLNode.Tag.columnsExcluding.rawValue)
            shape.append(excluded.map(\.text).sorted()) { $0.append($1) }
        case .qualified(let alias, let content):
            alias.describe(to: &shape, as: .qualifiedSelection)
            try shape.append(content)
        }
    }

    func columnCount(in renderer: SQLRenderer) throws -> Int? {
        switch self {
        case .aliased: 1
        case .all: try renderer.scope.table?.columnNames(renderer.database).count
        case .allExcluding(let excluded): try renderer.columns(excluding: excluded).count
        case .qualified: nil
        }
    }

    fileprivate var depth: SQLDepth {
        switch self {
        case .aliased(let expression, _): expression.tree.depth
        case .all, .allExcluding: SQLDepth()
        case .qualified(_, let content): content.depth.next
        }
    }
}

extension SQLRenderer {
    fileprivate func columns(excluding excluded: Set<SchemaName>) throws -> [String] {
        guard let table = scope.table else {
            throw DatabaseError.misuse("allColumns(excluding:) needs a table, and this query has none", sql: sql)
        }
        return try table.columnNames(database).filter { !excluded.contains(SchemaName($0)) }
    }
}

extension SQLSelection {
    init(_ node: SelectionNode) {
        self.init(node, depth: node.depth)
    }

    /// The content of the selection, if this layer defines it.
    private var selectionNode: SelectionNode? {
        if case .tree(let tree, _) = content { tree as? SelectionNode } else { nil }
    }

    /// Whether the selection is `*`.
    var isAllColumns: Bool {
        if case .all? = selectionNode { true } else { false }
    }

    /// The table whose columns are selected, if the selection names it.
    var alias: TableAliasBase? {
        if case .qualified(let alias, _)? = selectionNode { alias } else { nil }
    }

    /// The selected expression, if it has an alias.
    var aliasedExpression: SQLExpression? {
        if case .aliased(let expression, _)? = selectionNode { expression } else { nil }
    }

    /// The selected expression, with or without an alias.
    var selectedExpression: SQLExpression? { expression ?? aliasedExpression }

    /// Returns the name of each selected column, or nil for a computed value, or for the column of another table.
    ///
    /// - Parameters:
    ///   - relation: the relation that selects it.
    ///   - renderer: a renderer at the relation's table.
    /// - Returns: nil if the number of columns is not known.
    func columnNames(of relation: Relation, in renderer: SQLRenderer) throws -> [String?]? {
        if let selectedExpression {
            let isOwn = try selectedExpression.columnTable.map { try relation.owns($0, renderer.database) } ?? true
            return [isOwn ? selectedExpression.columnName : nil]
        }
        return switch selectionNode {
        case .all: try renderer.scope.table?.columnNames(renderer.database)
        case .allExcluding(let excluded): try renderer.columns(excluding: excluded)
        case .aliased, .qualified, nil: try columnCount(in: renderer).map { Array(repeating: nil, count: $0) }
        }
    }

    /// The alias of the selected expression, which conditions and orders can use.
    var name: String? {
        switch selectionNode {
        case .aliased(_, let key): key
        case .qualified(_, let content): content.name
        case .all, .allExcluding, nil: nil
        }
    }

    /// Whether an aggregate of an association is selected: see ``ValueConversion/SQLExpression/aggregatesAssociation(ofTable:)``.
    func aggregatesAssociation(ofTable isIncluded: (TableAliasBase) -> Bool = { _ in true }) -> Bool {
        if let selectedExpression { return selectedExpression.aggregatesAssociation(ofTable: isIncluded) }
        guard case .qualified(let alias, let content)? = selectionNode else { return false }
        return isIncluded(alias) && content.aggregatesAssociation(ofTable: isIncluded)
    }

    /// Whether each row yields one row: no aggregate function is selected.
    var isPlain: Bool {
        if let expression { return !expression.containsAggregate }
        return switch selectionNode {
        case .all, .allExcluding: true
        case .aliased(let expression, _): !expression.containsAggregate
        case .qualified, nil: false
        }
    }

    /// Whether the selection may refer to a joined table by an alias: see ``ValueConversion/SQLExpression/mayRefer(to:)-(ResolvedTable)``.
    func mayRefer(to table: ResolvedTable) -> Bool {
        if let expression { return expression.mayRefer(to: table) }
        return switch selectionNode {
        case .qualified(let alias, _): table.mayHave(alias)
        case .all, .allExcluding: false
        case .aliased(let expression, _): expression.mayRefer(to: table)
        // The content of SQL is unknown, but it can't refer to a table without aliases.
        case nil: !table.relation.aliases.isEmpty
        }
    }
}

extension SQLSelectable {
    /// The selection. An aggregate of an association has its alias.
    var selectionWithDefaultKey: SQLSelection {
        let selection = sqlSelection
        guard let expression = selection.expression, let key = expression.defaultKey else { return selection }
        return expression.forKey(key)
    }
}
