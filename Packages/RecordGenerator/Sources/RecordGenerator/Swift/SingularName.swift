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
