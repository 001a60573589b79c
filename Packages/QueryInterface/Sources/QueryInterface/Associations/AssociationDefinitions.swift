import RowDecoding

// The definitions of associations. The associations of a record type are the associations of its table.

extension AssociationPath {
    /// Returns an association from the table with the foreign key.
    static func belongsTo(_ origin: String, _ destination: Relation, key: String?, foreignKey: ForeignKey?) -> AssociationPath {
        let condition = JoinCondition.foreignKey(
            ForeignKeyRequest(origin: origin, destination: destination.source.name, key: foreignKey), originIsLeft: true)
        return path(to: destination, key: key, condition: condition, cardinality: .toOne)
    }

    /// Returns an association to the table with the foreign key.
    static func has(
        _ origin: String, _ destination: Relation, key: String?, foreignKey: ForeignKey?, _ cardinality: AssociationPath.Cardinality
    ) -> AssociationPath {
        let condition = JoinCondition.foreignKey(
            ForeignKeyRequest(origin: destination.source.name, destination: origin, key: foreignKey), originIsLeft: false)
        return path(to: destination, key: key, condition: condition, cardinality: cardinality)
    }

    /// Returns an association that combines two others.
    static func through(_ pivot: AssociationPath, _ target: AssociationPath, key: String?) -> AssociationPath {
        let path = pivot.through(target)
        return key.map(path.defined) ?? path
    }

    private static func path(
        to destination: Relation, key: String?, condition: JoinCondition, cardinality: AssociationPath.Cardinality
    ) -> AssociationPath {
        let name = destination.source.name
        // The key of a table in an attached database is the table's name, without the name of the database.
        let tableName = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
        return AssociationPath(steps: [
            AssociationPath.Step(
                key: key.map { .defined($0, cardinality) } ?? AssociationPath.Key(name: .inflected(tableName)), condition: condition,
                cardinality: cardinality, relation: destination)
        ])
    }
}

extension TableRecord {
    private static var table: Table<Self> { Table(databaseTableName) }

    /// Returns an association to the row that a row of this table refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the record type that is referred to.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns of this table that refer to the other one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// Returns an association to the row that a row of this table refers to, in a table without a record type.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        table.belongsTo(destination, key: key, using: foreignKey)
    }

    /// Returns an association to the rows that refer to a row of this table.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the record type that refers to this table.
    ///   - key: the name of the prefetched rows; by default the other table's name, in the plural. Where one row is included, the
    ///     name of its scope is the singular of the key.
    ///   - foreignKey: the columns of the other table that refer to this one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// Returns an association to the rows that refer to a row of this table, in a table without a record type.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        table.hasMany(destination, key: key, using: foreignKey)
    }

    /// Returns an association to the one row that refers to a row of this table.
    ///
    /// - Parameters:
    ///   - destination: the record type that refers to this table. The columns of its foreign key should have a unique index: if
    ///     several rows refer to the same row, a join returns all of them.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns of the other table that refer to this one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// Returns an association to the one row that refers to a row of this table, in a table without a record type.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        table.hasOne(destination, key: key, using: foreignKey)
    }

    /// Returns an association to rows that are reached through another association.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(
    ///         Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the record type at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the prefetched rows; by default the key of `target`.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasMany(destination, through: pivot, using: target, key: key)
    }

    /// Returns an association to rows of a table without a record type, through another association.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasMany(destination, through: pivot, using: target, key: key)
    }

    /// Returns an association to one row that is reached through another association.
    ///
    /// - Parameters:
    ///   - destination: the record type at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the association's scope; by default the key of `target`.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasOne(destination, through: pivot, using: target, key: key)
    }

    /// Returns an association to one row of a table without a record type, through another association.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        table.hasOne(destination, through: pivot, using: target, key: key)
    }

    /// Returns an association to a common table expression.
    ///
    /// - Parameters:
    ///   - destination: the common table expression.
    ///   - condition: returns the join condition, given aliases of this table and of the common table expression. It is called once for
    ///     each query. Nil joins every row with every row.
    public static func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: (@Sendable (_ left: TableAlias<Self>, _ right: TableAlias<Destination>) -> any SQLExpressible)? = nil
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: destination, on: condition)
    }

    /// Returns an association to another table, joined on a condition.
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (_ left: TableAlias<Self>, _ right: TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: destination, on: condition)
    }

    /// Returns an association to a table without a record type, joined on a condition.
    public static func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Self>, _ right: TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        table.association(to: destination, on: condition)
    }
}
