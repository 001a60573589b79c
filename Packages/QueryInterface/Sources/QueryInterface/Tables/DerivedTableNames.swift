import Foundation

/// The table names that follow from the names of types, each derived once.
enum DerivedTableNames {
    // The lock guards the dictionary.
    private static let lock = NSLock()
    nonisolated(unsafe) private static var names: [ObjectIdentifier: String] = [:]

    static func name(for type: Any.Type) -> String {
        lock.withLock {
            if let name = names[ObjectIdentifier(type)] { return name }
            let name = derive(from: String(describing: type))
            names[ObjectIdentifier(type)] = name
            return name
        }
    }

    /// Puts the first word of a type's name in lower case: up to the first letter that is not a capital, without the capital
    /// that begins the second word.
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
