import RowDecoding

/// Inflected names. Requests need the same few names repeatedly, and the rules take longer than the rest of their SQL.
enum InflectedNames {
    private static let singulars = Guarded<[String: String]>([:])
    private static let plurals = Guarded<[String: String]>([:])

    /// The number of names at which a dictionary is emptied. A program that generates keys must not fill the memory.
    private static let capacity = 1_000

    static func singular(of name: String) -> String {
        singulars.withLock { singulars in
            if let singular = singulars[name] { return singular }
            if singulars.count == capacity { singulars.removeAll() }
            let singular = Inflections.inflect(name, by: Inflections.singular, isPlural: false)
            singulars[name] = singular
            return singular
        }
    }

    static func plural(of name: String) -> String {
        plurals.withLock { plurals in
            if let plural = plurals[name] { return plural }
            if plurals.count == capacity { plurals.removeAll() }
            let plural = Inflections.inflect(name, by: Inflections.plural, isPlural: true)
            plurals[name] = plural
            return plural
        }
    }
}

extension String {
    /// The singular: "book" for "books", "teamMember" for "teamMembers".
    var singularized: String { InflectedNames.singular(of: self) }

    /// The plural: "books" for "book", "teamMembers" for "teamMember".
    var pluralized: String { InflectedNames.plural(of: self) }
}
