import RowDecoding

/// Inflected names. Requests need the same few names repeatedly, and the rules take longer than the rest of their SQL.
enum InflectedNames {
    private static let singulars = Guarded<[String: String]>([:])
    private static let plurals = Guarded<[String: String]>([:])

    /// The number of names at which a dictionary is emptied. A program that generates keys must not fill the memory.
    private static let capacity = 1_000

    static func singular(of name: String) -> String {
        singulars.withLock { find(name, in: &$0) { Inflections.inflect(name, by: Inflections.singular, isPlural: false) } }
    }

    static func plural(of name: String) -> String {
        plurals.withLock { find(name, in: &$0) { Inflections.inflect(name, by: Inflections.plural, isPlural: true) } }
    }

    private static func find(_ name: String, in known: inout [String: String], inflect: () -> String) -> String {
        if let inflected = known[name] { return inflected }
        if known.count == capacity { known.removeAll() }
        let inflected = inflect()
        known[name] = inflected
        return inflected
    }
}

extension String {
    /// The singular: "book" for "books", "teamMember" for "teamMembers".
    var singularized: String { InflectedNames.singular(of: self) }

    /// The plural: "books" for "book", "teamMembers" for "teamMember".
    var pluralized: String { InflectedNames.plural(of: self) }
}
