import SQLiteDriver

extension FunctionLayer: LayerRegistration {
    /// Registers the functions and collations of this layer.
    package static func register() {
        for function in DatabaseFunction.ofThisLayer { DatabaseRegistry.add(function: function) }
        for collation in DatabaseCollation.ofThisLayer { DatabaseRegistry.add(collation: collation) }
    }
}

extension DatabaseFunction {
    /// The functions that come with this layer.
    static let ofThisLayer: [DatabaseFunction] = [
        .capitalize, .lowercase, .uppercase, .localizedCapitalize, .localizedLowercase, .localizedUppercase,
    ]
}

extension DatabaseCollation {
    /// The collations that come with this layer.
    static let ofThisLayer: [DatabaseCollation] = [
        .unicodeCompare, .caseInsensitiveCompare, .localizedCaseInsensitiveCompare, .localizedCompare, .localizedStandardCompare,
    ]
}
