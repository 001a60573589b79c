import Foundation
import SQLiteDriver

extension DatabaseCollation {
    /// Makes a collation of a comparison in Foundation's terms.
    ///
    /// ```swift
    /// let numeric = DatabaseCollation("numeric") { lhs, rhs in
    ///     lhs.compare(rhs, options: .numeric)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - function: compares two texts. It must be a total order, the same each time.
    public convenience init(_ name: String, function: @escaping @Sendable (String, String) -> ComparisonResult) {
        self.init(name) { (lhs: String, rhs: String) -> Ordering in
            switch function(lhs, rhs) {
            case .orderedAscending: .ascending
            case .orderedSame: .same
            case .orderedDescending: .descending
            }
        }
    }
}

// The names are those that GRDB gives the same collations: a database file whose schema has them can be opened with either. All
// connections know these collations: see DatabaseRegistry+Foundation.swift.

extension DatabaseCollation {
    /// `swiftCompare`: the order of Swift's strings, for which canonically equivalent texts are equal.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { (lhs: String, rhs: String) -> Ordering in
        lhs < rhs ? .ascending : lhs == rhs ? .same : .descending
    }

    /// `swiftCaseInsensitiveCompare`: Foundation's order of texts whatever their case, in any script.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") {
        (lhs: String, rhs: String) -> ComparisonResult in lhs.caseInsensitiveCompare(rhs)
    }

    /// `swiftLocalizedCaseInsensitiveCompare`: the order of the current locale, whatever the case.
    ///
    /// Locales differ from one process to another, and so may this order: it is for `ORDER BY`, and not for indexes.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation("swiftLocalizedCaseInsensitiveCompare") {
        (lhs: String, rhs: String) -> ComparisonResult in lhs.localizedCaseInsensitiveCompare(rhs)
    }

    /// `swiftLocalizedCompare`: the order of the current locale.
    ///
    /// Locales differ from one process to another, and so may this order: it is for `ORDER BY`, and not for indexes.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") {
        (lhs: String, rhs: String) -> ComparisonResult in lhs.localizedCompare(rhs)
    }

    /// `swiftLocalizedStandardCompare`: the order of the current locale in which lists of files are shown, where "file 10"
    /// comes after "file 9".
    ///
    /// Locales differ from one process to another, and so may this order: it is for `ORDER BY`, and not for indexes.
    public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") {
        (lhs: String, rhs: String) -> ComparisonResult in lhs.localizedStandardCompare(rhs)
    }
}
