import ValueConversion

/// Presents all columns under other names. It does not change scopes.
///
/// ```swift
/// let adapter = RenameColumnAdapter { $0.uppercased() }
///
/// // [NAME:'Arthur']
/// try Row.fetchOne(db, sql: "SELECT 'Arthur' AS name", adapter: adapter)
/// ```
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// Creates an adapter.
    ///
    /// - Parameter transform: returns the new name for a column's name.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    /// Returns the same columns with their new names.
    public func layout(from base: RowLayout) -> RowLayout {
        RowLayout(
            columns: base.columns.map { RowLayout.Column(name: transform($0.name), baseIndex: $0.baseIndex) },
            scopes: base.scopes)
    }
}
