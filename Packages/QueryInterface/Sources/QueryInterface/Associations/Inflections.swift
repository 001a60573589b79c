import Foundation

/// Singular and plural forms of English names, for the keys of associations.
///
/// A few rules are tried in order, after lists of exceptions. Where they are wrong, use `key:` or `forKey(_:)`.
enum Inflections {
    /// Words with the same singular and plural.
    static let uncountable: Set<String> = [
        "advice", "aircraft", "bison", "cod", "corps", "deer", "equipment", "fish", "furniture", "gallows", "headquarters",
        "hertz", "information", "jeans", "luggage", "means", "media", "metadata", "money", "moose", "news", "offspring", "police",
        "rice", "salmon", "series", "sheep", "shrimp", "software", "spacecraft", "species", "staff", "swine", "traffic", "trout",
    ]

    /// Words with an irregular plural.
    static let irregular: [(singular: String, plural: String)] = [
        ("alga", "algae"), ("analysis", "analyses"), ("axis", "axes"), ("bacterium", "bacteria"), ("basis", "bases"),
        ("calf", "calves"), ("child", "children"), ("crisis", "crises"), ("criterion", "criteria"), ("datum", "data"),
        ("diagnosis", "diagnoses"), ("echo", "echoes"), ("elf", "elves"), ("foot", "feet"), ("genus", "genera"),
        ("goose", "geese"), ("half", "halves"), ("hero", "heroes"), ("hypothesis", "hypotheses"), ("index", "indices"),
        ("knife", "knives"), ("leaf", "leaves"), ("life", "lives"), ("loaf", "loaves"), ("louse", "lice"), ("man", "men"),
        ("matrix", "matrices"), ("medium", "media"), ("mouse", "mice"), ("move", "moves"), ("ox", "oxen"),
        ("person", "people"), ("phenomenon", "phenomena"), ("potato", "potatoes"), ("quiz", "quizzes"), ("self", "selves"),
        ("shelf", "shelves"), ("thief", "thieves"), ("thesis", "theses"), ("tomato", "tomatoes"), ("tooth", "teeth"),
        ("torpedo", "torpedoes"), ("vertex", "vertices"), ("veto", "vetoes"), ("wife", "wives"), ("wolf", "wolves"),
        ("woman", "women"),
    ]

    /// Plural endings with their singular endings, the longest first.
    private static let singularEndings: [(String, String)] = [
        ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("zzes", "zz"), ("uses", "us"), ("ies", "y"), ("ss", "ss"),
        ("us", "us"), ("is", "is"), ("s", ""),
    ]

    /// Words in "-uses", "-ies" and "-ches" whose singular only drops the "s", such as "causes", "movies" and "caches".
    private static let regularPlurals: Set<String> = [
        "abuses", "aches", "buses", "browses", "caches", "causes", "clauses", "cookies", "excuses", "fuses", "headaches", "houses",
        "hypotenuses", "lies", "movies", "muses", "niches", "pauses", "pies", "rookies", "selfies", "ties", "uses", "warehouses",
        "zombies", "calories", "axes",
    ]

    /// Splits a name in camel case or with underscores into the text before its last word, that word, and trailing digits.
    static func lastWord(of name: String) -> (head: Substring, word: Substring, digits: Substring) {
        let digits = name.reversed().prefix { $0.isNumber }.count
        let letters = name.dropLast(digits)
        var start = letters.startIndex
        for index in letters.indices.dropFirst() {
            let previous = letters[letters.index(before: index)]
            if previous == "_" || previous == " " || (letters[index].isUppercase && !previous.isUppercase) { start = index }
        }
        return (letters[..<start], letters[start...], name.suffix(digits))
    }

    static func singular(of word: String) -> String {
        if uncountable.contains(word) || irregular.contains(where: { $0.singular == word }) { return word }
        if let pair = irregular.first(where: { $0.plural == word }) { return pair.singular }
        if word == "buses" { return "bus" }
        if regularPlurals.contains(word) { return String(word.dropLast()) }
        for (ending, singular) in singularEndings where word.hasSuffix(ending) && word.count > ending.count {
            return String(word.dropLast(ending.count)) + singular
        }
        return word
    }

    static func plural(of word: String) -> String {
        if uncountable.contains(word) || irregular.contains(where: { $0.plural == word }) { return word }
        if let pair = irregular.first(where: { $0.singular == word }) { return pair.plural }
        // Leave a name alone that is a plural already.
        if singular(of: word) != word { return word }
        if word.hasSuffix("y"), let before = word.dropLast().last, !"aeiou".contains(before) { return word.dropLast() + "ies" }
        if word.hasSuffix("sis") { return word.dropLast(2) + "es" }
        if ["s", "x", "z", "ch", "sh"].contains(where: word.hasSuffix) { return word + "es" }
        return word + "s"
    }
}

extension String {
    /// The singular: "book" for "books", "teamMember" for "teamMembers".
    var singularized: String { inflected(by: Inflections.singular) }

    /// The plural: "books" for "book", "teamMembers" for "teamMember".
    var pluralized: String { inflected(by: Inflections.plural) }

    private func inflected(by inflect: (String) -> String) -> String {
        let (head, word, digits) = Inflections.lastWord(of: self)
        guard !word.isEmpty else { return self }
        // The plural of an initialism ends in a small "s": "URL" and "URLs".
        let initials = word.hasSuffix("s") ? word.dropLast() : word
        if initials.count > 1, initials.allSatisfy(\.isUppercase) {
            let isPlural = inflect("initial") == "initials"
            return head + initials + (isPlural ? "s" : "") + digits
        }
        let inflected = inflect(word.lowercased())
        if word.lowercased() == inflected { return self }
        let first = word.first!.isUppercase ? inflected.prefix(1).uppercased() : String(inflected.prefix(1))
        return head + first + inflected.dropFirst() + digits
    }
}
