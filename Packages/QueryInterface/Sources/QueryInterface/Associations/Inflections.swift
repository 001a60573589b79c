/// Singular and plural forms of English names, for the keys of associations, and for the tables of foreign keys.
///
/// A name is a word, or several words in camel case or with underscores, and may end in digits: its last word is inflected. The words that
/// the rules get wrong are listed. If a name is still inflected wrongly, give the association another key with `key:` or `forKey(_:)`.
enum Inflections {
    private static let pluralsOfIrregular = Dictionary(irregular.map { ($0.singular, $0.plural) }, uniquingKeysWith: { first, _ in first })
    private static let singularsOfIrregular = Dictionary(
        (irregular + otherPlurals).map { ($0.plural, $0.singular) }, uniquingKeysWith: { first, _ in first })

    private static func isUncountable(_ word: String) -> Bool {
        uncountable.contains(word) || uncountableEndings.contains { word.hasSuffix($0) && word.utf8.count > $0.utf8.count }
    }

    // MARK: - The singular

    /// Returns the singular of a word in lower case; the word itself if it is a singular.
    static func singular(of word: String) -> String {
        if isUncountable(word) || pluralsOfIrregular[word] != nil { return word }
        if let singular = singularsOfIrregular[word] { return singular }
        if let pair = irregularEndings.first(where: { word.hasSuffix($0.plural) }) {
            return word.replacing(pair.plural, with: pair.singular)
        }
        if word.hasSuffix("men"), word != "men", !singularMen.contains(word) { return word.replacing("men", with: "man") }
        if word == "men" { return "man" }
        guard word.hasSuffix("s"), word.utf8.count > 1, !singularInS.contains(word) else { return word }
        let withoutS = word.dropping("s")
        if word.utf8.count == 2 { return withoutS }
        if word.hasSuffix("ss") || word.hasSuffix("sis") { return word }
        if word.hasSuffix("is") { return singularInIs.contains(word) ? word : withoutS }
        if word.hasSuffix("us") { return singularInU.contains(withoutS) ? withoutS : word }
        return word.hasSuffix("es") ? singular(ofWordInEs: word) : withoutS
    }

    /// Returns the singular of a plural in "-es", which ends in "-e", or loses the "-es".
    private static func singular(ofWordInEs word: String) -> String {
        let withE = word.dropping("s")
        let withoutE = word.dropping("es")
        switch word.dropLast(2).last {
        case "i":
            return singularInIe.contains(withE) || word.utf8.count <= 4 ? withE : word.replacing("ies", with: "y")
        case "o":
            return plurallyInOes.contains(withoutE) ? withoutE : withE
        case "x":
            return withoutE
        case "h":
            if withoutE.hasSuffix("ch") { return singularInChe.contains(withE) ? withE : withoutE }
            return withoutE.hasSuffix("sh") ? withoutE : withE
        case "z":
            if withoutE.hasSuffix("zz") { return doublingZ.contains(withoutE.dropping("z")) ? withoutE.dropping("z") : withoutE }
            return withoutE.hasSuffix("tz") || withoutE == "topaz" ? withoutE : withE
        case "s":
            return singular(ofWordInSes: word)
        default:
            return withE
        }
    }

    /// Returns the singular of a plural in "-ses", which ends in "-s", "-se", or "-sis".
    private static func singular(ofWordInSes word: String) -> String {
        let withE = word.dropping("s")
        let withoutE = word.dropping("es")
        if singularInS.contains(withoutE) || singularInIs.contains(withoutE) { return withoutE }
        if withoutE.hasSuffix("ss") { return singularInSse.contains(withE) ? withE : withoutE }
        if withoutE.hasSuffix("us") {
            return withE.hasSuffix("ause") || withE.hasSuffix("ouse") || singularInUse.contains(withE) ? withE : withoutE
        }
        for ending in ["yses", "theses", "geneses", "nemeses"] where word.hasSuffix(ending) {
            return word.replacing("es", with: "is")
        }
        return withE
    }

    // MARK: - The plural

    /// Returns the plural of a word in lower case; the word itself if it is a plural.
    static func plural(of word: String) -> String {
        if isUncountable(word) || singularsOfIrregular[word] != nil { return word }
        if let plural = pluralsOfIrregular[word] { return plural }
        if let pair = irregularEndings.first(where: { word.hasSuffix($0.singular) }) {
            return word.replacing(pair.singular, with: pair.plural)
        }
        // A plural stays as it is.
        if singular(of: word) != word { return word }
        if word.utf8.count == 1 { return word + "s" }
        if word.hasSuffix("man"), !notMen.contains(word) { return word.replacing("man", with: "men") }
        switch word.last {
        case "y":
            let isAfterVowel = word.dropLast().last.map { "aeiou".contains($0) } ?? true
            return isAfterVowel && !word.hasSuffix("quy") ? word + "s" : word.replacing("y", with: "ies")
        case "o":
            return word + (plurallyInOes.contains(word) ? "es" : "s")
        case "s":
            return word.hasSuffix("sis") ? word.replacing("sis", with: "ses") : word + "es"
        case "x":
            return word + "es"
        case "z":
            return word + (doublingZ.contains(word) ? "zes" : "es")
        case "h":
            let isSibilant = (word.hasSuffix("ch") && !plurallyInChs.contains(word)) || word.hasSuffix("sh")
            return word + (isSibilant ? "es" : "s")
        default:
            return word + "s"
        }
    }

    // MARK: - Names

    /// Splits a name in camel case or with underscores into the text before its last word, that word, and trailing digits.
    static func lastWord(of name: String) -> (head: Substring, word: Substring, digits: Substring) {
        let digits = name.reversed().prefix { $0.isNumber }.count
        let letters = name.dropLast(digits)
        var start = letters.startIndex
        for index in letters.indices.dropFirst() {
            let previous = letters[letters.index(before: index)]
            if previous == "_" || previous == " " || previous == "-" {
                start = index
            } else if letters[index].isUppercase {
                // The last of several capitals begins a word if small letters follow: "HTMLPages". "URLs" is one word.
                let rest = letters[letters.index(after: index)...]
                if !previous.isUppercase || (rest.first?.isLowercase == true && rest != "s") { start = index }
            }
        }
        return (letters[..<start], letters[start...], name.suffix(digits))
    }

    /// Returns a name with its last word inflected.
    static func inflect(_ name: String, by inflect: (String) -> String, isPlural: Bool) -> String {
        let (head, word, digits) = lastWord(of: name)
        guard !word.isEmpty else { return name }
        // The plural of an initialism ends in a small "s": "URL" and "URLs".
        let initials = word.hasSuffix("s") ? word.dropLast() : word
        let isInCapitals = initials.count > 1 && initials.allSatisfy(\.isUppercase)
        if isInCapitals, initials.count < 5 || word.hasSuffix("s") {
            return head + initials + (isPlural ? "s" : "") + digits
        }
        let lowercased = word.lowercased()
        let inflected = inflect(lowercased)
        guard lowercased != inflected, lowercased.count == word.count else { return name }
        let shared = zip(lowercased, inflected).prefix { $0 == $1 }.count
        let ending = inflected.dropFirst(shared)
        return head + word.prefix(shared) + (isInCapitals ? ending.uppercased() : String(ending)) + digits
    }
}

extension String {
    /// The text without an ending that it has.
    fileprivate func dropping(_ ending: String) -> String { String(dropLast(ending.count)) }

    /// The text with another ending instead of one that it has.
    fileprivate func replacing(_ ending: String, with other: String) -> String { dropping(ending) + other }
}
