/// A format in which rows are printed.
///
/// Strata's formats are ``debug(header:separator:nullValue:)``, ``list(header:separator:nullValue:)``, ``line(nullValue:)``,
/// ``quote(header:separator:)``, ``json(encoder:columns:)``, ``jsonLines(encoder:columns:)``,
/// ``csv(header:separator:nullValue:blobs:columns:)``,
/// ``markdown(nullValue:)``, ``table(maximumColumnWidth:nullValue:)``, ``box(maximumColumnWidth:nullValue:)`` and
/// ``insert(into:transaction:)``. Your own type of format writes the current row of a statement:
///
/// ```swift
/// struct FirstColumn: DumpFormat {
///     func writeRow(
///         _ db: Database, statement: Statement, to stream: inout DumpStream
///     ) throws {
///         stream.write("\(statement.databaseValue(at: 0))\n")
///     }
///
///     func finalize(
///         _ db: Database, statement: Statement, to stream: inout DumpStream
///     ) throws {}
/// }
///
/// try db.dumpSQL("SELECT name FROM player", format: FirstColumn())
/// ```
///
/// The rows of each statement are written by a copy of the format.
public protocol DumpFormat {
    /// Whether the format writes SQL that inserts the rows again. By default, false.
    ///
    /// Such a format gets the rows of a table without generated columns, after the rows of the tables that its foreign keys refer to, and
    /// the name of the table is not printed above them. ``Database/dumpContent(format:to:)`` adds the SQL that creates the schema.
    var writesSQL: Bool { get }

    /// Called once before the rows of a statement, even if it returns no rows. By default, does nothing.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - statement: the statement that returns the rows. It has not run yet.
    ///   - table: the name of the table or view whose rows are dumped; nil for another query.
    ///   - stream: the output.
    /// - Throws: an error, which ends the dump.
    mutating func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws

    /// Writes the current row of a statement.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - statement: the statement, whose columns can be read.
    ///   - stream: the output.
    /// - Throws: an error, which ends the dump.
    mutating func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Called once after the last row of a statement, even if it returns no rows. By default, does nothing.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - statement: the statement, after its last row.
    ///   - stream: the output.
    /// - Throws: an error, which ends the dump.
    mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) throws
}

extension DumpFormat {
    /// Returns false: the format does not write SQL.
    public var writesSQL: Bool { false }

    /// Does nothing.
    public mutating func prepare(_ db: Database, statement: Statement, table: String?, to stream: inout DumpStream) throws {}

    /// Does nothing.
    public mutating func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) throws {}
}

/// Whether the rows of a table are printed below its name.
public enum DumpTableHeaderOptions: Sendable {
    /// Only if several tables are dumped.
    case automatic

    /// Always.
    case always
}
