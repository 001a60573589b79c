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

    /// The lookups by name, in the order of the first row.
    @usableFromInline var hints: [ColumnHint] = []

    /// The maximum number of hints.
    private var hintLimit = 0

    /// The state that upper layers keep with the rows of a statement, or with copied rows.
    @usableFromInline var attachments: Attachments?

    /// The rows of the scopes that were read so far, in the order of the layout's scopes.
    var scopeRows: [Row?] = []

    /// The columns, which copies of this row and of the following rows of the same run share.
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
        guard index < hints.count, hints[index].name == name else { return .unknown }
        position = index &+ 1
        return hints[index].column
    }

    /// Searches all hints for a name, and continues from the matching hint.
    mutating func rememberedColumn(_ name: String) -> ColumnPosition {
        guard let index = hints.firstIndex(where: { $0.name == name }) else { return .unknown }
        position = index + 1
        return hints[index].column
    }

    /// Appends a lookup to the hints, if the current position is their end.
    ///
    /// - Parameter limit: the maximum number of hints, which is set when the first one is appended.
    mutating func remember(_ name: String, column: ColumnPosition, limit: Int = hintCapacity) {
        if hints.isEmpty { hintLimit = min(limit, Self.hintCapacity) }
        guard position == hints.count, position < hintLimit else { return }
        hints.append(ColumnHint(name: name, column: column))
        position = hints.count
    }

    mutating func forgetHints() {
        hints = []
        position = 0
    }
}

/// Owns the core of rows.
class RowCoreOwner {
    /// The core of a row that reads from a statement, or of copied rows. Copied rows share one core, because it holds only their hints and
    /// their attachments, which are the same for all of them.
    final let core = OwnedMemory(RowCore())
}

/// A name that was looked up, and its column.
@usableFromInline
struct ColumnHint {
    @usableFromInline let name: String
    @usableFromInline let column: ColumnPosition
}
