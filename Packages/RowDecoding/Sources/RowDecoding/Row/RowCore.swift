import ValueConversion

// The hot part of a row, behind a pointer. For a stored property of a class, Swift would check each access from inlined code for
// exclusivity, which costs more than reading most columns.
//
// This is safe because the core is owned by the `RowColumns` of one row, or of rows that stay on one thread together. `RowColumns` is not
// Sendable, and no reference into the core leaves this file.

/// The state of a row that reads directly from a statement.
@usableFromInline
struct RowCore {
    /// The statement whose current row this is; nil for a copied or an invalidated row.
    @usableFromInline var statement: Unmanaged<Statement>?

    /// The number of columns that can be read by index directly from the statement; 0 when the row has a layout.
    @usableFromInline var directColumnCount = 0

    /// The index of the hint that the next lookup by name tries first.
    @usableFromInline var position = 0

    @usableFromInline var hintCount = 0

    /// The number of hints that the allocated memory can hold.
    private var hintRoom = 0

    @usableFromInline var hints: UnsafeMutablePointer<ColumnHint>?

    /// The state that upper layers keep with the rows of a statement, or with copied rows.
    @usableFromInline var attachments: Attachments?

    /// The rows of the scopes that were read so far, in the order of the layout's scopes.
    var scopeRows: [Row?] = []

    /// The columns shared by the copies of this row and by those of the following rows of the same run.
    var columnsOfCopies: RowColumns?

    /// The maximum number of lookups that are remembered for a row.
    static let hintCapacity = 128

    /// Returns the column of a name if the previous row was read for the same name at this position: programs usually read the same columns
    /// of all rows in the same order.
    ///
    /// - Returns: ``ColumnPosition/unknown`` when the hint does not match.
    @inlinable
    mutating func hintedColumn(_ name: String) -> ColumnPosition {
        let index = position
        guard index < hintCount, let hint = hints?.advanced(by: index), hint.pointee.name == name else {
            return .unknown
        }
        position = index &+ 1
        return hint.pointee.column
    }

    /// Searches all hints for a name, and continues from the one that matches.
    mutating func rememberedColumn(_ name: String) -> ColumnPosition {
        for index in 0..<hintCount where hints![index].name == name {
            position = index + 1
            return hints![index].column
        }
        return .unknown
    }

    /// Appends a lookup to the hints, if the current position is their end.
    ///
    /// - Parameter room: the number of hints to allocate memory for, if this is the first one.
    mutating func remember(_ name: String, column: ColumnPosition, room: Int = hintCapacity) {
        let hints: UnsafeMutablePointer<ColumnHint>
        if let existing = self.hints {
            guard position == hintCount, hintCount < hintRoom else { return }
            hints = existing
        } else {
            guard position == 0, room > 0 else { return }
            hintRoom = min(room, Self.hintCapacity)
            hints = .allocate(capacity: hintRoom)
            self.hints = hints
        }
        (hints + hintCount).initialize(to: ColumnHint(name: name, column: column))
        hintCount += 1
        position = hintCount
    }

    mutating func forgetHints() {
        hints?.deinitialize(count: hintCount)
        hints?.deallocate()
        hints = nil
        hintCount = 0
        position = 0
    }
}

/// A name that was looked up, and its column.
@usableFromInline
struct ColumnHint {
    @usableFromInline let name: String
    @usableFromInline let column: ColumnPosition
}
