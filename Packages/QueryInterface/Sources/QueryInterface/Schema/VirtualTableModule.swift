import RowDecoding

/// A module of virtual tables, with a table definition in Swift.
///
/// ```swift
/// struct FullText: VirtualTableModule {
///     final class TableDefinition {
///         var columns: [String] = []
///         func column(_ name: String) { columns.append(name) }
///     }
///
///     let moduleName = "fts5"
///
///     func makeTableDefinition(
///         configuration: VirtualTableConfiguration
///     ) -> TableDefinition {
///         TableDefinition()
///     }
///
///     func moduleArguments(
///         for definition: TableDefinition, in db: Database
///     ) throws -> [String] {
///         definition.columns.map { $0.quotedDatabaseIdentifier }
///     }
/// }
///
/// // CREATE VIRTUAL TABLE "document" USING fts5("title", "body")
/// try db.create(virtualTable: "document", using: FullText()) { t in
///     t.column("title")
///     t.column("body")
/// }
/// ```
///
/// Source: <https://www.sqlite.org/vtab.html>
public protocol VirtualTableModule {
    /// The type of the value that the closure which defines a table gets. It must be a class if the closure changes it.
    associatedtype TableDefinition

    /// The name of the module in SQL.
    var moduleName: String { get }

    /// Creates the definition of a table.
    ///
    /// - Parameter configuration: the options of the table.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// Returns the arguments of the module as SQL. They are written in parentheses after its name, separated by commas.
    ///
    /// - Parameters:
    ///   - definition: the definition, completed by the closure.
    ///   - db: the connection.
    /// - Throws: an error when the definition is invalid.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Completes a table that was created, for example by filling it, or by creating triggers. By default, does nothing.
    ///
    /// It is not called if the table existed already.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - tableName: the name of the table.
    ///   - definition: the definition, completed by the closure.
    /// - Throws: an error, which rolls back the creation of the table.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

extension VirtualTableModule {
    /// Does nothing.
    public func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
}

/// The configuration of a virtual table, for the module that creates its definition.
public struct VirtualTableConfiguration: Sendable {
    /// The options of the table.
    public let options: VirtualTableOptions

    /// The name of the table, for modules that create other objects with names derived from it. Nil if it is unknown.
    public let tableName: String?

    /// Creates a configuration.
    public init(options: VirtualTableOptions = [], tableName: String? = nil) {
        self.options = options
        self.tableName = tableName
    }
}
