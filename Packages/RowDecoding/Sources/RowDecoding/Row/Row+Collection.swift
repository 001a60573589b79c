import ValueConversion

extension Row: RandomAccessCollection {
    /// A column's name and value.
    public typealias Element = (String, DatabaseValue)

    /// The position of a column.
    public struct Index: Hashable, Comparable, Strideable, Sendable {
        let column: Int

        /// Returns whether `lhs` is left of `rhs`.
        public static func < (lhs: Index, rhs: Index) -> Bool { lhs.column < rhs.column }

        /// Returns the number of columns from this position to another.
        public func distance(to other: Index) -> Int { other.column - column }

        /// Returns the position that is a number of columns further right.
        public func advanced(by distance: Int) -> Index { Index(column: column + distance) }
    }

    /// The position of the first column.
    public var startIndex: Index { Index(column: 0) }

    /// The position after the last column.
    public var endIndex: Index { Index(column: count) }

    /// The name and the value of the column at a position.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.column)
        return (columnNames[position.column], databaseValue(atBase: baseIndex(at: position.column)))
    }
}
