import Foundation
import SQLiteDriver

extension DatabaseCollation {
    /// Creates a collation from a function that returns a Foundation `ComparisonResult`.
    ///
    /// ```swift
    /// let numeric = DatabaseCollation("numeric") { lhs, rhs in
    ///     lhs.compare(rhs, options: .numeric)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: the name in SQL.
    ///   - function: compares two strings. It must define a total order that never changes.
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

// The collations have the same names as in GRDB, so both libraries can open a database file whose schema uses them. All connections have
// these collations: see DatabaseRegistry+Foundation.swift.

extension DatabaseCollation {
    /// `swiftCompare`: the order of Swift strings. Canonically equivalent strings are equal.
    public static let unicodeCompare = DatabaseCollation("swiftCompare") { (lhs: String, rhs: String) -> Ordering in
        lhs < rhs ? .ascending : lhs == rhs ? .same : .descending
    }

    /// `swiftCaseInsensitiveCompare`: Foundation's case-insensitive order, for all scripts.
    public static let caseInsensitiveCompare = DatabaseCollation("swiftCaseInsensitiveCompare") { $0.caseInsensitiveCompare($1) }

    /// `swiftLocalizedCaseInsensitiveCompare`: the case-insensitive order of the current locale.
    ///
    /// This order may differ between processes, because their locales may differ. Use it in `ORDER BY`, but not in indexes.
    public static let localizedCaseInsensitiveCompare = DatabaseCollation("swiftLocalizedCaseInsensitiveCompare") {
        $0.localizedCaseInsensitiveCompare($1)
    }

    /// `swiftLocalizedCompare`: the order of the current locale.
    ///
    /// This order may differ between processes, because their locales may differ. Use it in `ORDER BY`, but not in indexes.
    public static let localizedCompare = DatabaseCollation("swiftLocalizedCompare") { $0.localizedCompare($1) }

    /// `swiftLocalizedStandardCompare`: the order of file lists in the current locale, in which "file 10" comes after "file 9".
    ///
    /// This order may differ between processes, because their locales may differ. Use it in `ORDER BY`, but not in indexes.
    public static let localizedStandardCompare = DatabaseCollation("swiftLocalizedStandardCompare") { $0.localizedStandardCompare($1) }
}
