/// A type whose values stand for a part of a database, such as a request.
public protocol DatabaseRegionConvertible {
    /// Returns the region.
    ///
    /// - Throws: an error, for example if a table of the region does not exist.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    /// Returns the region itself.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The region of all tables with all their columns.
    public static var fullDatabase: DatabaseRegion { .fullDatabase }
}

/// A type-erased ``DatabaseRegionConvertible``.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: (Database) throws -> DatabaseRegion

    /// Creates a value from a function.
    public init(_ region: @escaping (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Wraps a region.
    public init(_ base: any DatabaseRegionConvertible) {
        region = { try base.databaseRegion($0) }
    }

    /// Returns the region.
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { try region(db) }
}
