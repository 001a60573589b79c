import RowDecoding

extension SQLOperand {
    /// Returns the expression with a collation for comparisons and ordering: `"name" COLLATE NOCASE`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" COLLATE NOCASE = 'arthur'
    /// Player.filter(Column("name").collating(.nocase) == "arthur")
    /// ```
    ///
    /// The collation of a condition applies to its comparisons:
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "name" COLLATE NOCASE IN ('arthur', 'barbara')
    /// Player.filter(["arthur", "barbara"].contains(Column("name")).collating(.nocase))
    /// ```
    public func collating(_ collation: Database.CollationName) -> SQLExpression {
        sqlExpression.collated(by: collation.rawValue)
    }

    /// Returns the expression with a Swift collation for comparisons and ordering: `"name" COLLATE "swiftLocalizedCompare"`.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY "name" COLLATE "swiftLocalizedCompare"
    /// Player.order(Column("name").collating(.localizedCompare))
    /// ```
    ///
    /// Your own collations must be added to the connection that runs the request, see `Database.add(collation:)`, or to
    /// `DatabaseRegistry`. All connections have Strata's own collations, such as `.localizedCompare`. The collation of a condition applies
    /// to its comparisons.
    public func collating(_ collation: DatabaseCollation) -> SQLExpression {
        sqlExpression.collated(by: collation.name)
    }
}
