import RowDecoding

/// A module of virtual tables, with a definition that is written in Swift.
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
///     func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition {
///         TableDefinition()
///     }
///
///     func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String] {
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
    /// What the closure that creates a table is given. It is a class where the closure is to change it.
    associatedtype TableDefinition

    /// The name of the module in SQL.
    var moduleName: String { get }

    /// Makes the definition of a table that is about to be created.
    ///
    /// - Parameter configuration: how the table is created.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// The arguments of the module, as SQL: what stands in the parentheses after its name, between the commas.
    ///
    /// - Parameters:
    ///   - definition: what the closure has defined.
    ///   - db: the connection.
    /// - Throws: an error when the table can't be created as it is defined.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Does what there is to do once a table was created, such as filling it, or creating triggers. By default, nothing.
    ///
    /// It is not called for a table that exists already.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - tableName: the name of the table.
    ///   - definition: what the closure has defined.
    /// - Throws: an error that undoes the creation of the table.
    func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

extension VirtualTableModule {
    /// Does nothing.
    public func database(_ db: Database, didCreate tableName: String, using definition: TableDefinition) throws {}
}

/// How a virtual table is created, for the module that makes its definition.
public struct VirtualTableConfiguration: Sendable {
    /// The options that the table is created with.
    public let options: VirtualTableOptions

    /// Makes a configuration.
    public init(options: VirtualTableOptions = []) {
        self.options = options
    }
}
