extension DatabaseError {
    /// The constraint that a statement has violated.
    ///
    /// ```swift
    /// do {
    ///     try db.execute(
    ///         sql: "INSERT INTO player (email) VALUES (?)",
    ///         arguments: ["arthur@example.com"])
    /// } catch let error as DatabaseError where error.constraint?.kind == .unique {
    ///     error.constraint?.table    // "player"
    ///     error.constraint?.columns  // ["email"]
    /// }
    /// ```
    ///
    /// SQLite reports a constraint in a message, such as `UNIQUE constraint failed: player.email`. When the statement fails, the driver
    /// compares this message with the schema. Properties that neither of them determines are nil.
    ///
    /// SQLite does not report which foreign key is violated. To find it, and the row, check before the commit:
    ///
    /// ```swift
    /// try queue.write { db in
    ///     // … changes, and at the end:
    ///     try db.checkForeignKeys()
    /// }
    /// ```
    ///
    /// Source: <https://www.sqlite.org/rescode.html#constraint>
    public struct Constraint: Hashable, Sendable {
        /// The kind of a constraint. Later versions may add kinds.
        public enum Kind: Hashable, Sendable {
            /// A `UNIQUE` constraint or a unique index: `SQLITE_CONSTRAINT_UNIQUE`.
            case unique
            /// A `PRIMARY KEY`: `SQLITE_CONSTRAINT_PRIMARYKEY`.
            case primaryKey
            /// The row ID of a table that has no column for it: `SQLITE_CONSTRAINT_ROWID`.
            case rowID
            /// A `NOT NULL` constraint: `SQLITE_CONSTRAINT_NOTNULL`.
            case notNull
            /// A `CHECK` constraint: `SQLITE_CONSTRAINT_CHECK`.
            case check
            /// A `FOREIGN KEY`: `SQLITE_CONSTRAINT_FOREIGNKEY`; or `SQLITE_CONSTRAINT_TRIGGER` for `ON DELETE RESTRICT` and `ON UPDATE
            /// RESTRICT`, for which SQLite runs a trigger. ``SQLiteResultCodes/SQLITE_CONSTRAINT_FOREIGNKEY`` matches both in `catch`.
            case foreignKey
            /// The type of a column in a `STRICT` table: `SQLITE_CONSTRAINT_DATATYPE`.
            case dataType
            /// A trigger that has called `RAISE(ABORT, …)`, or one of its siblings: `SQLITE_CONSTRAINT_TRIGGER`.
            case trigger
        }

        /// The kind of the constraint.
        public let kind: Kind

        /// The name of the table that has the constraint; nil for a foreign key, unless ``Database/checkForeignKeys()`` has found it. Then
        /// it is the table of the referring rows.
        public let table: String?

        /// The columns of the constraint, in its order. For a foreign key, these are the columns of ``table`` that refer to the other
        /// table; for a check, the columns that its expression names.
        ///
        /// They are nil if the constraint is on expressions, or if it is not known.
        public let columns: [String]?

        /// The name of a `CHECK` constraint or of a unique index.
        ///
        /// SQLite does not report the names of other constraints.
        public let name: String?

        /// A row that refers to a missing row, in the errors of ``Database/checkForeignKeys()`` and of
        /// ``ForeignKeyViolation/databaseError(_:)``. It is nil for statements and commits that fail.
        public let foreignKeyViolation: ForeignKeyViolation?

        /// Creates the description of a constraint.
        ///
        /// - Parameters:
        ///   - kind: the kind of the constraint.
        ///   - table: the name of the table that has the constraint.
        ///   - columns: the columns of the constraint.
        ///   - name: the name of the constraint.
        ///   - foreignKeyViolation: a row that violates a foreign key.
        public init(
            kind: Kind, table: String? = nil, columns: [String]? = nil, name: String? = nil,
            foreignKeyViolation: ForeignKeyViolation? = nil
        ) {
            self.kind = kind
            self.table = table
            self.columns = columns
            self.name = name
            self.foreignKeyViolation = foreignKeyViolation
        }
    }
}

extension DatabaseError.Constraint.Kind {
    /// Creates the kind of an error; nil for errors that are not about constraints.
    init?(_ code: ResultCode, message: String?) {
        switch code {
        case .SQLITE_CONSTRAINT_UNIQUE: self = .unique
        case .SQLITE_CONSTRAINT_PRIMARYKEY: self = .primaryKey
        case .SQLITE_CONSTRAINT_ROWID: self = .rowID
        case .SQLITE_CONSTRAINT_NOTNULL: self = .notNull
        case .SQLITE_CONSTRAINT_CHECK: self = .check
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self = .foreignKey
        case .SQLITE_CONSTRAINT_DATATYPE: self = .dataType
        // SQLite runs a trigger for RESTRICT, and reports its error by this message.
        case .SQLITE_CONSTRAINT_TRIGGER: self = message == "FOREIGN KEY constraint failed" ? .foreignKey : .trigger
        default: return nil
        }
    }
}
