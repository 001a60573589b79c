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
