import SQLiteDriver

/// An association between two records.
struct GeneratedAssociation {
    /// The name of the static property, which is the association's key, too.
    var name: String
    /// A description of the association, for the documentation.
    var comment: String
    /// The call that makes it: the name of the function, then the arguments.
    var function: String
    var arguments: [String]
}

extension RecordGenerator {
    /// A foreign key whose tables and columns all exist.
    private struct Reference {
        /// The index of the table among all tables, and the index of the table that it refers to.
        var origin: Int
        var destination: Int
        var key: SchemaModel.ForeignKey
        /// The names of the two associations.
        var name = ""
        var inverseName = ""

        /// The columns, for comparison with a unique key.
        var columnSet: Set<SchemaName> { Set(key.columns.map(SchemaName.init)) }
    }

    /// The associations of all tables: from foreign keys, their inverses, and associations through tables that connect two others.
    ///
    /// - Parameter isSingular: whether associations to one row have singular names.
    static func associations(_ records: [Record], isSingular: Bool) -> [[GeneratedAssociation]] {
        var names = AssociationNames(records)
        var result = records.map { _ in [GeneratedAssociation]() }
        var references = references(records)
        // Foreign keys come first, because their names are the simplest.
        for index in references.indices {
            let association = belongsTo(references[index], records, isSingular: isSingular, &names)
            references[index].name = association.name
            result[references[index].origin].append(association)
        }
        for index in references.indices {
            let association = inverse(references[index], of: references, records, isSingular: isSingular, &names)
            references[index].inverseName = association.name
            result[references[index].destination].append(association)
        }
        for first in references {
            for second in references where first.origin == second.origin && first.name != second.name {
                guard let association = through(first, second, records, &names) else { continue }
                result[first.destination].append(association)
            }
        }
        return result
    }

    /// The names that associations can't have.
    private struct AssociationNames {
        private var taken: [Set<String>]
        private let types: [Set<String>]

        init(_ records: [Record]) {
            taken = records.map { Set($0.properties.map { $0.name.lowercased() }).union(reservedStatics) }
            // A member hides a type with the same name.
            types = records.map { record in
                Set(records.map(\.typeName)).union(record.properties.flatMap(\.typeName.swiftIdentifiers))
            }
        }

        /// Takes the first name that is free.
        mutating func take(_ candidates: [String], in table: Int) -> String {
            let free = candidates.first { !taken[table].contains($0.lowercased()) && !types[table].contains($0) }
            return SwiftName.unused(free ?? candidates[candidates.count - 1], &taken[table], avoiding: types[table])
        }
    }

    private static func belongsTo(
        _ reference: Reference, _ records: [Record], isSingular: Bool, _ names: inout AssociationNames
    ) -> GeneratedAssociation {
        let destination = records[reference.destination]
        let base = SwiftName.member(destination.table.name, isSingular: isSingular)
        let own = reference.key.columns.count == 1 ? nameWithoutID(reference.key.columns[0]) : nil
        let name = names.take([own, base, base + "Record", base + "Row"].compactMap { $0 }, in: reference.origin)
        return GeneratedAssociation(
            name: name, comment: "The row of `\(destination.table.name.forComment)` that \(list(reference.key.columns)) refers to.",
            function: "belongsTo",
            arguments: ["\(destination.typeName).self", "key: \(name.swiftLiteral)", "using: \(foreignKey(reference.key))"])
    }

    /// The association from the rows that a foreign key refers to.
    private static func inverse(
        _ reference: Reference, of references: [Reference], _ records: [Record], isSingular: Bool, _ names: inout AssociationNames
    ) -> GeneratedAssociation {
        let origin = records[reference.origin]
        let isOne = origin.table.uniqueKeys.contains { Set($0.map(SchemaName.init)) == reference.columnSet }
        let base = SwiftName.member(origin.table.name, isSingular: isSingular && isOne)
        let isOnly = references.filter { $0.origin == reference.origin && $0.destination == reference.destination }.count == 1
        let precise = base + "By" + reference.name.prefix(1).uppercased() + reference.name.dropFirst()
        let name = names.take((isOnly ? [base] : []) + [precise, base + "Rows"], in: reference.destination)
        return GeneratedAssociation(
            name: name,
            comment: "The \(isOne ? "row" : "rows") of `\(origin.table.name.forComment)` whose \(list(reference.key.columns)) "
                + "\(isOne ? "refers" : "refer") to this row.", function: isOne ? "hasOne" : "hasMany",
            arguments: ["\(origin.typeName).self", "key: \(name.swiftLiteral)", "using: \(foreignKey(reference.key))"])
    }

    /// The association through a table with two foreign keys, which connects two other tables if both keys together are unique.
    private static func through(
        _ first: Reference, _ second: Reference, _ records: [Record], _ names: inout AssociationNames
    ) -> GeneratedAssociation? {
        let connecting = records[first.origin]
        let columns = first.columnSet.union(second.columnSet)
        guard first.columnSet.isDisjoint(with: second.columnSet),
            connecting.table.uniqueKeys.contains(where: { Set($0.map(SchemaName.init)) == columns })
        else { return nil }
        let target = records[second.destination]
        let base = SwiftName.member(target.table.name)
        let precise = base + "Through" + first.inverseName.prefix(1).uppercased() + first.inverseName.dropFirst()
        let isToItself = first.destination == second.destination
        let name = names.take((isToItself ? [] : [base]) + [precise], in: first.destination)
        return GeneratedAssociation(
            name: name,
            comment: "The rows of `\(target.table.name.forComment)` that `\(connecting.table.name.forComment)` connects with this row.",
            function: "hasMany",
            arguments: [
                "\(target.typeName).self", "through: \(SwiftName.reference(first.inverseName, of: "Self"))",
                "using: \(connecting.typeName).\(SwiftName.quoted(second.name))", "key: \(name.swiftLiteral)",
            ])
    }

    private static func references(_ records: [Record]) -> [Reference] {
        func index(_ name: String) -> Int? { records.firstIndex { $0.table.name.isEqualIgnoringASCIICase(to: name) } }
        func has(_ columns: [String], _ table: SchemaModel.Table) -> Bool {
            columns.allSatisfy { name in table.columns.contains { $0.name.isEqualIgnoringASCIICase(to: name) } }
        }
        var references: [Reference] = []
        for (origin, record) in records.enumerated() {
            for key in record.table.foreignKeys {
                guard let destination = index(key.destination), records[destination].table.kind == .table,
                    key.columns.count == key.destinationColumns.count, has(key.columns, record.table),
                    has(key.destinationColumns, records[destination].table)
                else { continue }
                references.append(Reference(origin: origin, destination: destination, key: key))
            }
        }
        return references
    }

    private static func foreignKey(_ key: SchemaModel.ForeignKey) -> String {
        func names(_ names: [String]) -> String { "[" + names.map(\.swiftLiteral).joined(separator: ", ") + "]" }
        return "ForeignKey(\(names(key.columns)), to: \(names(key.destinationColumns)))"
    }

    private static func list(_ names: [String]) -> String { names.map { "`\($0.forComment)`" }.joined(separator: ", ") }

    /// The name of a column without "id" at its end: `author` for `authorId` and `author_id`; nil if nothing else is left.
    private static func nameWithoutID(_ column: String) -> String? {
        let name = SwiftName.member(column)
        guard name.hasSuffix("Id") || name.hasSuffix("ID"), name.count > 2 else { return nil }
        let shorter = String(name.dropLast(2))
        return SwiftName.reservedMembers.contains(shorter) ? nil : shorter
    }

    /// Names of static members that Strata's protocols have, in lower case.
    static let reservedStatics: Set<String> = [
        "aggregate", "aliased", "all", "annotated", "association", "belongsto", "conflictresolutionforrequestupdate",
        "databasecolumndecodingstrategy", "databasecolumnencodingstrategy", "databasecomponents", "databasedatadecodingstrategy",
        "databasedataencodingstrategy", "databasedatedecodingstrategy", "databasedateencodingstrategy", "databasedecodinguserinfo",
        "databaseencodinguserinfo", "databasejsondecoder", "databasejsonencoder", "databaseselection", "databasetablename",
        "databaseuuidencodingstrategy", "databasevalue", "delete", "deleteall", "deleteone", "distinct", "exists", "fetchall", "fetchcount",
        "fetchcursor", "fetchone", "fetchpage", "fetchsequence", "fetchset", "filter", "find", "fulltextindex", "group", "hasmany",
        "hasone", "having",
        "including", "joining", "limit", "matching", "none", "numberofselectedcolumns", "order", "orderbyprimarykey", "page",
        "persistenceconflictpolicy", "primarykey", "recordnotfound", "recordswithoutrowid", "request", "search", "select", "selectid",
        "selectprimarykey", "self", "type", "updateall", "upsert", "with",
    ]
}
