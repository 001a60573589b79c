/// The names that the code of all files declares in the enum of queries: functions, and structs of rows.
struct QueryNames {
    /// The names of types that the structs must not hide.
    let typeNames: Set<String>

    /// What has a name, and its place.
    private var declarations: [String: (what: String, place: QueryDiagnostic)] = [:]

    /// The columns of the structs that comments name: a query with the same columns shares the struct.
    private var rows: [String: [GeneratedProperty]] = [:]

    /// The structs that a comment makes Identifiable.
    private var identifiable: Set<String> = []

    init(typeNames: Set<String>) { self.typeNames = typeNames }

    /// Notes the functions of a file, and the structs that its comments name; notes which queries share a struct.
    ///
    /// - Returns: an error for each name that something else has.
    mutating func declare(_ queries: inout [CompiledQuery], in source: SourceText) -> [QueryDiagnostic] {
        var diagnostics: [QueryDiagnostic] = []
        func note(_ name: String, _ range: Range<Int>, _ what: String, _ reason: String = "") {
            if let (what, other) = declarations[name] {
                let place = other.file == source.file ? "line \(other.line)" : "\(other.file):\(other.line)"
                diagnostics.append(source.diagnostic("\(name) is already the name of \(what) in \(place)\(reason)", at: range))
            } else {
                declarations[name] = (what, source.diagnostic("", at: range))
            }
        }
        for (index, query) in queries.enumerated() {
            note(query.name, query.statement.nameRange, "the query")
            guard let annotation = query.statement.structName else { continue }
            if query.statement.isIdentifiable { identifiable.insert(annotation.name) }
            if rows[annotation.name] == query.columns {
                queries[index].sharesStruct = true
                continue
            }
            let isShared = rows.updateValue(query.columns, forKey: annotation.name) != nil
            note(annotation.name, annotation.range, "the struct", isShared ? ", with other columns" : "")
            if typeNames.contains(annotation.name) {
                diagnostics.append(source.diagnostic("another type is named \(annotation.name)", at: annotation.range))
            }
        }
        return diagnostics
    }

    /// Names the structs of a file. Those that comments name come first, in all files, because these names don't change.
    mutating func nameStructs(of queries: inout [CompiledQuery], in source: SourceText) {
        for index in queries.indices where queries[index].hasStruct {
            let query = queries[index]
            var taken: Set<String> = []
            queries[index].structName =
                query.statement.structName?.name
                ?? SwiftName.unused(
                    query.name.prefix(1).uppercased() + query.name.dropFirst() + "Row", &taken,
                    avoiding: typeNames.union(declarations.keys))
            queries[index].isIdentifiable = identifiable.contains(queries[index].structName)
            declarations[queries[index].structName] = ("the struct", source.diagnostic("", at: query.statement.nameRange))
        }
    }
}

/// The names of a statement's parameters in SQL: those without a name are named by what they meet.
struct ParameterNames {
    /// The names, by the numbers of the parameters from 0.
    private(set) var names: [String]

    /// The parameters as SQLite numbers them.
    private let parameters: [SQLParser.Parameter?]

    /// Names parameters.
    ///
    /// - Parameters:
    ///   - facts: what the parameters meet.
    ///   - areNumbered: whether parameters without a name are called by their numbers.
    init(_ parameters: [SQLParser.Parameter?], _ facts: [QueryTyping.ParameterFacts], areNumbered: Bool) {
        self.parameters = parameters
        // `$1` has no name either.
        let numbers = parameters.enumerated().map { index, parameter -> Int? in
            guard let name = parameter?.name else { return index + 1 }
            return name.utf8.allSatisfy { (0x30...0x39).contains($0) } && !areNumbered ? Int(name) : nil
        }
        let given = zip(parameters, numbers).compactMap { $1 == nil ? $0?.name : nil }
        var taken = Set(given.flatMap { [$0.lowercased(), SwiftName.parameter($0).lowercased()] })
        names = parameters.indices.map { index in
            guard let number = numbers[index] else { return parameters[index]?.name ?? "" }
            let meeting = areNumbered ? nil : facts[index].name
            return SwiftName.unused(meeting.map(SwiftName.parameter) ?? "p\(number)", &taken)
        }
    }

    subscript(number: Int) -> String { names[number] }

    /// The name of a parameter by its number, such as `p1` for `?` and `1` for `$1`; nil if another parameter has this name.
    func numbered(_ number: Int) -> String? {
        let name = parameters[number]?.name ?? "p\(number + 1)"
        return names.contains(name) && names[number] != name ? nil : name
    }
}
