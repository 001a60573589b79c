/// Names for Swift, made from any string.
enum SwiftName {
    /// A name of a type: `order_lines` becomes `OrderLines`.
    ///
    /// - Parameters:
    ///   - isSingular: whether the last word becomes singular.
    ///   - suffix: appended to a name that means something else.
    static func type(_ text: String, isSingular: Bool = false, suffix: String = "Record") -> String {
        var name = name(words(text, isSingular: isSingular).map { $0.prefix(1).uppercased() + $0.dropFirst() }, orElse: "Unnamed")
        // If the name has no capitals, as in Chinese, a member of the same name would hide the type.
        if name == lowerCamelCase(text, isSingular: isSingular) { name += suffix }
        while reservedTypes.contains(name) { name += suffix }
        return name
    }

    /// A name of a property: `order_id` becomes `orderId`, and `ID` becomes `id`.
    ///
    /// - Parameter isSingular: whether the last word becomes singular.
    static func member(_ text: String, isSingular: Bool = false) -> String {
        lowerCamelCase(text, isSingular: isSingular, avoiding: reservedMembers, suffix: "Column")
    }

    /// A name of an enum's case: `in progress` becomes `inProgress`.
    static func enumCase(_ text: String) -> String {
        text.isEmpty ? "empty" : lowerCamelCase(text, avoiding: reservedCases, suffix: "Value")
    }

    /// - Parameter suffix: appended to the names of `reserved`.
    private static func lowerCamelCase(
        _ text: String, isSingular: Bool = false, avoiding reserved: Set<String> = [], suffix: String = ""
    ) -> String {
        var words = words(text, isSingular: isSingular)
        if let first = words.first {
            // Leading capitals become lowercase, except the last one: URLString becomes urlString.
            let capitals = first.prefix { $0.isUppercase }
            if capitals.count == first.count || first.allSatisfy({ !$0.isLowercase }) {
                words[0] = first.lowercased()
            } else if capitals.count > 1 {
                words[0] = capitals.dropLast().lowercased() + first.dropFirst(capitals.count - 1)
            } else {
                words[0] = first.prefix(1).lowercased() + first.dropFirst()
            }
            for index in words.indices.dropFirst() { words[index] = words[index].prefix(1).uppercased() + words[index].dropFirst() }
        }
        let name = name(words, orElse: "unnamed")
        return reserved.contains(name) ? name + suffix : name
    }

    /// The name of some words, for which a line of code has room.
    private static func name(_ words: [String], orElse standard: String) -> String {
        let name = words.isEmpty ? standard : String(words.joined().prefix(60))
        return name.first!.isNumber ? "_" + name : name
    }

    /// A name of a parameter: `min_score` becomes `minScore`.
    static func parameter(_ text: String) -> String {
        lowerCamelCase(text, avoiding: ["self", "init"], suffix: "Value")
    }

    /// A name of a function: `get_author` becomes `getAuthor`.
    static func function(_ text: String) -> String {
        lowerCamelCase(text, avoiding: reservedFunctions, suffix: "Query")
    }

    /// Returns whether a string is a name that Swift accepts, perhaps between backticks.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first == "_" || first.properties.isXIDStart, text != "_" else { return false }
        return text.unicodeScalars.allSatisfy { $0 == "_" || $0.properties.isXIDContinue }
    }

    /// Returns whether generated code can declare a type with a name, and refer to it without backticks.
    static func isTypeName(_ text: String) -> Bool {
        isIdentifier(text) && quoted(text) == text && !contextualKeywords.contains(text) && !["self", "init"].contains(text)
    }

    /// A name with a number if it is taken.
    ///
    /// - Parameters:
    ///   - taken: the names of the same scope, in lower case: names that differ only in case are hard to tell apart.
    ///   - others: the names of other scopes, which must stay visible here.
    static func unused(_ name: String, _ taken: inout Set<String>, avoiding others: Set<String> = []) -> String {
        var candidate = name
        var number = 2
        while others.contains(candidate) || !taken.insert(candidate.lowercased()).inserted {
            candidate = "\(name)\(name.last!.isNumber ? "_" : "")\(number)"
            number += 1
        }
        return candidate
    }

    /// The name between backticks if it is a keyword.
    static func quoted(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// The name of a property or an association in an expression: `self.copy` where `copy` alone begins something else.
    static func reference(_ name: String, of base: String = "self") -> String {
        contextualKeywords.contains(name) ? "\(base).\(quoted(name))" : quoted(name)
    }

    /// The parts of a string between characters that no Swift name has. Emoji are removed, too.
    private static func words(_ text: String, isSingular: Bool) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            let properties = scalar.properties
            let isLetter = properties.isXIDContinue && scalar != "_" && !properties.isEmojiPresentation
            if isLetter, !(word.isEmpty && !properties.isXIDStart && !scalar.isDigit) {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        if isSingular, let last = words.popLast() { words.append(singular(last)) }
        return words
    }

    private static let keywords: Set<String> = [
        "associatedtype", "as", "any", "await", "break", "case", "catch", "class", "continue", "default", "defer", "deinit", "do", "else",
        "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "inout", "internal", "is",
        "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Words that are keywords in front of some expressions, or at the beginning of a statement.
    private static let contextualKeywords: Set<String> = [
        "any", "async", "await", "borrowing", "consume", "consuming", "copy", "discard", "each", "isolated", "mutating", "nonisolated",
        "nonmutating", "sending", "some", "then", "unsafe", "yield",
    ]

    /// Names of functions that mean something else, or that the enum of queries declares itself.
    static let reservedFunctions: Set<String> = ["self", "init", "Type", "Protocol", "check", "migrator", "schema"]

    /// Names of members that mean something else, or that Strata's protocols use.
    static let reservedMembers: Set<String> = [
        "self", "init", "hashValue", "hash", "encode", "insert", "inserted", "update", "updated", "upsert", "upserted",
        "save", "saved", "delete", "exists", "willInsert", "didInsert", "willUpdate", "didUpdate", "willSave", "didSave", "willDelete",
        "didDelete", "aroundInsert", "aroundUpdate", "aroundSave", "aroundDelete", "databaseDictionary", "databaseChanges",
    ]

    /// Names of cases that mean something else: `none` is a case of optionals, the others are members of each enum.
    static let reservedCases: Set<String> = [
        "allCases", "databaseJSONDecoder", "databaseJSONEncoder", "databaseSelection", "fetchAll", "fetchCursor", "fetchOne",
        "fetchSequence", "fetchSet", "fromDatabaseValue", "fromMissingColumn", "fromOtherStorageClass",
        "fromStatement", "init", "none", "self", "some", "type",
    ]

    /// Names of types that the generated code uses, or declares in records.
    static let usedTypes: Set<String> = [
        "Bool", "CaseIterable", "Codable", "CodingKey", "CodingKeys", "Column", "ColumnValueEncoding", "Columns", "Data", "Database",
        "DatabaseDateEncodingStrategy", "DatabaseJSON", "DatabaseMigrator", "DatabaseTimestamp", "DatabaseUUIDEncodingStrategy",
        "DatabaseValue", "DatabaseValueConvertible", "Date", "Double", "FetchableRecord", "ForeignKey", "Hashable", "ID", "Identifiable",
        "InsertionSuccess", "Int", "Int64", "MutablePersistableRecord", "PersistableRecord", "PersistenceContainer", "Row", "SQLCommand",
        "SQLQuery", "Self", "Sendable", "String", "TableRecord", "TypedColumn", "UUID",
    ]

    /// Names of types that a generated name must not hide: those that the generated code uses, and others that belong to Swift, Foundation or
    /// Strata, or are nested in records, as the associated types of their protocols are.
    static let reservedTypes: Set<String> = usedTypes.union([
        "AllCases", "Any", "AnyObject", "Array", "Character", "CommonTableExpression", "Configuration", "Cursor", "DatabaseComponents",
        "DatabaseDecodingUserInfoValue", "DatabaseEncodingUserInfoValue", "DatabasePool", "DatabaseQueue", "Decimal", "Decodable",
        "Dictionary", "Encodable", "Equatable", "Error", "Float", "Hasher", "Int16", "Int32", "Int8", "Never", "Optional", "Protocol",
        "Range", "RawValue", "Result", "SQL", "SQLRequest", "Sequence", "Set", "Statement", "StatementArguments", "Strata", "Swift",
        "Table", "Task", "Type", "UInt", "UInt64", "URL", "Void",
    ])
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { properties.numericType == .decimal }
}

extension SwiftName {
    /// The singular of an English plural, in the capitals of the plural; other words as they are.
    ///
    /// The plural is the part after the last change from a lowercase letter to a capital: `orderLines` becomes `orderLine`.
    static func singular(_ word: String) -> String {
        let start = word.indices.dropFirst().last { word[$0].isUppercase && word[word.index(before: $0)].isLowercase } ?? word.startIndex
        let plural = word[start...]
        let (removed, added) = singularEnding(plural.lowercased())
        guard removed > 0 else { return word }
        let stem = word.dropLast(removed)
        if plural.count > 1, plural.allSatisfy(\.isUppercase) { return stem + added.uppercased() }
        return stem + (removed == plural.count && plural.first!.isUppercase ? added.prefix(1).uppercased() + added.dropFirst() : added)
    }

    /// The number of letters to remove from a plural, and their replacement.
    private static func singularEnding(_ plural: String) -> (removed: Int, added: String) {
        if let singular = irregularPlurals[plural] { return (plural.count, singular) }
        if unchangedPlurals.contains(plural) || !plural.hasSuffix("s") || plural.count < 3 { return (0, "") }
        if ["ss", "us", "is"].contains(where: plural.hasSuffix) { return (0, "") }
        if plural.hasSuffix("ies"), plural.count > 4 { return (3, "y") }
        if ["shes", "ches", "xes", "sses", "zzes", "oes"].contains(where: plural.hasSuffix) { return (2, "") }
        return (1, "")
    }

    private static let irregularPlurals = [
        "aliases": "alias", "analyses": "analysis", "atlases": "atlas", "axes": "axis", "bases": "basis", "biases": "bias",
        "bonuses": "bonus", "buses": "bus", "caches": "cache", "calves": "calf", "campuses": "campus", "canvases": "canvas",
        "censuses": "census", "children": "child", "cookies": "cookie", "crises": "crisis", "criteria": "criterion",
        "diagnoses": "diagnosis", "feet": "foot", "gases": "gas", "geese": "goose", "halves": "half", "hypotheses": "hypothesis",
        "indices": "index", "knives": "knife", "leaves": "leaf", "lenses": "lens", "lives": "life", "loaves": "loaf",
        "matrices": "matrix", "men": "man", "mice": "mouse", "movies": "movie", "oxen": "ox", "parentheses": "parenthesis",
        "people": "person", "phenomena": "phenomenon", "quizzes": "quiz", "selves": "self", "shelves": "shelf", "shoes": "shoe",
        "statuses": "status", "synopses": "synopsis", "teeth": "tooth", "theses": "thesis", "thieves": "thief", "toes": "toe",
        "vertices": "vertex", "viruses": "virus", "wives": "wife", "wolves": "wolf", "women": "woman", "zombies": "zombie",
    ]

    private static let unchangedPlurals: Set<String> = [
        "always", "atlas", "bias", "canvas", "chaos", "gas", "lens", "mathematics", "news", "os", "physics", "sales", "series", "sms",
        "species", "sos", "yes",
    ]
}
