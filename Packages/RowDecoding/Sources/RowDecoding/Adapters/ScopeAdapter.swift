import ValueConversion

/// Adds scopes to rows. A scope is another row with some of the query's columns.
///
/// ```swift
/// let sql = "SELECT player.*, team.* FROM player JOIN team ON player.teamID = team.id"
/// let adapter = ScopeAdapter([
///     "player": RangeRowAdapter(0..<3),
///     "team": SuffixRowAdapter(fromIndex: 3),
/// ])
/// let row = try Row.fetchOne(db, sql: sql, adapter: adapter)!
/// row                        // all columns
/// row.scopes["team"]         // the columns of the team
/// let team: Team = try row.decode(forKey: "team")
/// ```
///
/// The adapter of a scope can define scopes, too.
public struct ScopeAdapter: RowAdapter {
    private let base: (any RowAdapter)?
    private let scopes: [String: any RowAdapter]

    /// Creates an adapter that presents all columns, and adds scopes.
    ///
    /// - Parameter scopes: adapters by the names of their scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        base = nil
        self.scopes = scopes
    }

    /// Creates an adapter that presents the columns and the scopes of another adapter, and adds scopes.
    ///
    /// - Parameters:
    ///   - base: presents the columns of the row itself.
    ///   - scopes: adapters by the names of their scopes. Like `base`, they apply to the query's columns. They replace scopes of the same
    ///     names.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    /// Returns the columns of the base adapter, with all scopes sorted by name.
    ///
    /// - Throws: ``DatabaseError`` when an adapter does not fit. The message names its scope.
    public func layout(from base: RowLayout) throws -> RowLayout {
        var layout = try self.base?.layout(from: base) ?? base
        var layouts = Dictionary(layout.scopes.map { ($0.name, $0.layout) }) { first, _ in first }
        for (name, adapter) in scopes {
            do {
                layouts[name] = try adapter.layout(from: base)
            } catch let error as DatabaseError {
                throw DatabaseError(
                    resultCode: error.extendedResultCode, message: "in the scope \"\(name)\": \(error.message ?? "")")
            }
        }
        layout.scopes = layouts.sorted { $0.key < $1.key }.map { (name: $0.key, layout: $0.value) }
        return layout
    }
}
