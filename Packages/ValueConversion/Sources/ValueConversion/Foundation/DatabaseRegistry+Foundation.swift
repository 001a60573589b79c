import CValueConversion
import SQLiteDriver

/// Registers the functions and collations of this layer. The driver calls it when the program opens its first connection: see
/// `registration.c`.
@_cdecl("strata_value_conversion_register")
func registerValueConversion() {
    guard strata_value_conversion_is_registered() != 0 else { return }
    for function in DatabaseFunction.ofThisLayer { DatabaseRegistry.add(function: function) }
    for collation in DatabaseCollation.ofThisLayer { DatabaseRegistry.add(collation: collation) }
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
