import RowDecoding

/// The table names derived from the names of types. Each name is derived once, and cached.
enum DerivedTableNames {
    private static let names = Guarded<[ObjectIdentifier: String]>([:])

    static func name(for type: Any.Type) -> String {
        names.withLock { names in
            if let name = names[ObjectIdentifier(type)] { return name }
            let name = derive(from: String(describing: type))
            names[ObjectIdentifier(type)] = name
            return name
        }
    }

    /// Returns a type's name with its first word in lower case.
    ///
    /// The leading capitals are one word. If several capitals are followed by a lowercase letter, the last one begins the next word:
    /// "HTTPRequest" becomes "httpRequest".
    static func derive(from typeName: String) -> String {
        let name = typeName.prefix { $0 != "<" }
        let capitals = name.prefix { $0.isUppercase }
        let rest = name[capitals.endIndex...]
        if capitals.count > 1, rest.first?.isLowercase == true {
            return capitals.dropLast().lowercased() + String(capitals.last!) + rest
        }
        return capitals.lowercased() + rest
    }
}
