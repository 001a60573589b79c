import SQLiteDriver

/// A table of a FROM clause whose columns become a row of their own.
struct QueryNest {
    /// The name in the statement.
    var name: String
    /// The number of the table in the FROM clause.
    var source: Int
    /// The line that names it; nil if the settings nest all rows.
    var annotation: QueryFile.Annotation?
}

extension StatementCompilation {
    /// Reports why rows can't be nested, if a line asks for it.
    mutating func addNestProblem(_ reason: String) {
        guard let annotation = statement.nests.first else { return }
        add("rows can't be nested: \(reason)", about: annotation)
    }

    /// Chooses the tables that rows nest: those that lines name, or, if the settings say so, those with a star, if there are several.
    ///
    /// - Parameter stars: the stars of the rows, by their places.
    mutating func chooseNests(_ shape: QueryTyping.Shape, _ stars: [Range<Int>: QueryTyping.Star]) {
        guard let scope = shape.scope, !scope.sources.isEmpty else {
            return addNestProblem("they are those of a SELECT from tables, without UNION, EXCEPT and INTERSECT")
        }
        for annotation in statement.nests {
            let sources = scope.sources.indices.filter { SchemaName(scope.sources[$0].name) == SchemaName(annotation.name) }
            if sources.count > 1 {
                add("several tables are named \(annotation.name): give each a name of its own, with AS", about: annotation)
            } else if let source = sources.first, nests.contains(where: { $0.source == source }) {
                add("\(annotation.name) is nested already", about: annotation)
            } else if let source = sources.first {
                nests.append(QueryNest(name: scope.sources[source].name, source: source, annotation: annotation))
            } else {
                let suggestion = annotation.name.suggestion(in: scope.sources.map(\.name))
                add("the statement selects from no table \(annotation.name)\(suggestion)", about: annotation)
            }
        }
        let starred = Set(stars.values.flatMap(\.sources)).filter { !scope.sources[$0].name.isEmpty }.sorted()
        guard statement.nests.isEmpty, starred.count > 1 else { return }
        if compiler.settings.nestsRows {
            nests = starred.map { QueryNest(name: scope.sources[$0].name, source: $0) }
            return
        }
        // Nested rows would be other types in programs that use these: only a hint.
        let places = Set(stars.values.flatMap(\.places)).filter { starred.contains($0.source) }
        let names = places.map { SchemaName(scope.sources[$0.source].table.columns[$0.column].name) }
        guard Set(names).count < names.count || starred.contains(where: scope.mayMiss),
            let range = stars.keys.min(by: { $0.lowerBound < $1.lowerBound })
        else { return }
        let tables = starred.map { scope.sources[$0].name.annotationName }.joined(separator: ", ")
        add(
            "the columns of \(tables) are side by side in a row: a line -- @nest \(tables) makes each table a property", at: range,
            isWarning: true)
    }

    /// The properties of rows that nest others, in the order of their first columns.
    mutating func makeNests(
        _ query: inout CompiledQuery, _ shape: QueryTyping.Shape, _ scope: QueryTyping.Scope, _ description: SQLCompilation.Description
    ) {
        let columns = nestedColumns(shape)
        var taken: Set<String> = []
        let isSingular = compiler.settings.isSingular
        let names = nests.map { nest in
            SwiftName.unused(SwiftName.member(nest.name, isSingular: isSingular), &taken, avoiding: compiler.typeNames)
        }
        var types: Set<String> = []
        for (index, column) in description.columns.enumerated() {
            guard let nest = columns.firstIndex(where: { $0.contains(index) }) else {
                query.columns.append(property(column, shape.columns[index].value, at: shape.columns[index].range, index: index, &taken))
                continue
            }
            guard columns[nest][0] == index else { continue }
            let row = row(nests[nest], columns[nest], shape, scope, description)
            var typeName = row.record?.typeName ?? SwiftName.type(nests[nest].name, isSingular: isSingular)
            if row.record == nil {
                // A view has a record, too, whose properties are all optional.
                if compiler.typeNames.contains(typeName) { typeName += "Row" }
                typeName = SwiftName.unused(typeName, &types, avoiding: compiler.typeNames)
            }
            var property = GeneratedProperty(
                column: nests[nest].name, name: names[nest], typeName: typeName, isOptional: scope.mayMiss(nests[nest].source))
            property.row = GeneratedRow(
                properties: row.properties, isRecord: row.record != nil,
                presence: property.isOptional ? presence(columns[nest], shape, scope) : [])
            query.columns.append(property)
        }
        for (nest, columns) in zip(nests, columns) where columns.isEmpty {
            guard let annotation = nest.annotation else { continue }
            add("no column of \(annotation.name) is selected: write \(annotation.name.annotationName).*", about: annotation)
        }
    }

    /// The columns of each nested row.
    private func nestedColumns(_ shape: QueryTyping.Shape) -> [[Int]] {
        // A column that is selected twice is nested once.
        var columns: [[Int]] = nests.map { _ in [] }
        var found: Set<QueryTyping.Place> = []
        for (index, column) in shape.columns.enumerated() {
            guard let place = column.place, let nest = nests.firstIndex(where: { $0.source == place.source }),
                found.insert(place).inserted
            else { continue }
            columns[nest].append(index)
        }
        return columns
    }

    /// What is proven about a column in each row of its table that exists.
    private func value(_ place: QueryTyping.Place, _ scope: QueryTyping.Scope) -> QueryValue {
        let value = scope.sources[place.source].table.columns[place.column].value
        return scope.present.contains(place) ? value.nullable(false) : value
    }

    /// The properties of a nested row, and the record that it is.
    private mutating func row(
        _ nest: QueryNest, _ columns: [Int], _ shape: QueryTyping.Shape, _ scope: QueryTyping.Scope,
        _ description: SQLCompilation.Description
    ) -> (properties: [GeneratedProperty], record: RecordGenerator.Record?) {
        let values = columns.map { value(shape.columns[$0].place!, scope) }
        let described = columns.map { description.columns[$0] }
        let isDeclared = described.contains { column in
            statement.columns.contains { $0.name.isEqualIgnoringASCIICase(to: column.name) }
        }
        if !isDeclared, let record = record(of: zip(values, described).map { ($0.origin, $1.name) }) {
            let properties = record.properties.map { property in
                changed(property) {
                    $0.typeName = property.typeName(in: record)
                    $0.index = columns[described.firstIndex { $0.name.isEqualIgnoringASCIICase(to: property.column) }!]
                }
            }
            return (properties, record)
        }
        var taken: Set<String> = []
        let properties = zip(columns, zip(described, values)).map { index, column in
            property(column.0, column.1, at: shape.columns[index].range, index: index, &taken)
        }
        return (properties, nil)
    }

    /// The columns of which one is not NULL if the row exists: its row ID, another column that is never NULL, or all columns.
    private func presence(_ columns: [Int], _ shape: QueryTyping.Shape, _ scope: QueryTyping.Scope) -> [Int] {
        let certain = columns.filter { index in
            let place = shape.columns[index].place!
            return !value(place, scope).isNullable && !scope.sources[place.source].table.columns[place.column].isGenerated
        }
        let rowID = certain.first { index in
            guard let record = scope.sources[shape.columns[index].place!.source].table.record, let name = record.table.rowIDColumn else {
                return false
            }
            return name.isEqualIgnoringASCIICase(to: shape.columns[index].name)
        }
        return (rowID ?? certain.first).map { [$0] } ?? columns
    }
}
