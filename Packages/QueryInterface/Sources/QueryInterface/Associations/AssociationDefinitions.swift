import RowDecoding

/// Makes the associations of a table, for record types and for ``Table`` alike.
enum AssociationDefinition {
    /// The association of rows that refer to others.
    static func belongsTo(_ origin: String, _ destination: Relation, key: String?, foreignKey: ForeignKey?) -> AssociationPath {
        let condition = JoinCondition.foreignKey(
            ForeignKeyRequest(origin: origin, destination: destination.source.name, key: foreignKey), originIsLeft: true)
        return path(to: destination, key: key, condition: condition, cardinality: .toOne)
    }

    /// The association to rows that refer to others.
    static func has(
        _ origin: String, _ destination: Relation, key: String?, foreignKey: ForeignKey?, _ cardinality: AssociationPath.Cardinality
    ) -> AssociationPath {
        let condition = JoinCondition.foreignKey(
            ForeignKeyRequest(origin: destination.source.name, destination: origin, key: foreignKey), originIsLeft: false)
        return path(to: destination, key: key, condition: condition, cardinality: cardinality)
    }

    /// The association by way of another one.
    static func through(_ pivot: AssociationPath, _ target: AssociationPath, key: String?) -> AssociationPath {
        let path = pivot.through(target)
        return key.map(path.withKey) ?? path
    }

    private static func path(
        to destination: Relation, key: String?, condition: JoinCondition, cardinality: AssociationPath.Cardinality
    ) -> AssociationPath {
        let name = destination.source.name
        // The key of a table in an attached database is the table's own name.
        let tableName = name.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(name[name.utf8.index(after: $0)...]) } ?? name
        return AssociationPath(steps: [
            AssociationPath.Step(
                key: AssociationPath.Key(name: key.map { .fixed($0) } ?? .inflected(tableName)), condition: condition,
                cardinality: cardinality, relation: destination)
        ])
    }
}

extension TableRecord {
    private static func relation(_ type: (some TableRecord).Type) -> Relation { type.all().relation }

    /// The association to the row that rows of this table refer to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the type of the record that is referred to.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns by which this table refers to the other one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        BelongsToAssociation(
            path: AssociationDefinition.belongsTo(databaseTableName, relation(destination), key: key, foreignKey: foreignKey))
    }

    /// The association to the row of a table without a record type that rows of this table refer to.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        BelongsToAssociation(
            path: AssociationDefinition.belongsTo(databaseTableName, destination.relation, key: key, foreignKey: foreignKey))
    }

    /// The association to the rows that refer to those of this table.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the type of the records that refer to this one.
    ///   - key: the name of the prefetched rows; by default the other table's name, in the plural.
    ///   - foreignKey: the columns by which the other table refers to this one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        HasManyAssociation(
            path: AssociationDefinition.has(databaseTableName, relation(destination), key: key, foreignKey: foreignKey, .toMany))
    }

    /// The association to the rows of a table without a record type that refer to those of this table.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        HasManyAssociation(
            path: AssociationDefinition.has(databaseTableName, destination.relation, key: key, foreignKey: foreignKey, .toMany))
    }

    /// The association to the one row that refers to a row of this table.
    ///
    /// - Parameters:
    ///   - destination: the type of the record that refers to this one. Its columns should have a unique index: of several such
    ///     rows, each makes a row of its own in a join.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns by which the other table refers to this one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        HasOneAssociation(
            path: AssociationDefinition.has(databaseTableName, relation(destination), key: key, foreignKey: foreignKey, .toOne))
    }

    /// The association to the one row of a table without a record type that refers to a row of this table.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        HasOneAssociation(
            path: AssociationDefinition.has(databaseTableName, destination.relation, key: key, foreignKey: foreignKey, .toOne))
    }

    /// The association to rows by way of another one.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: the type of the records at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the prefetched rows; by default the key of `target`.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to rows of a table without a record type by way of another one.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to one row by way of another one.
    ///
    /// - Parameters:
    ///   - destination: the type of the record at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the association's scope; by default the key of `target`.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to one row of a table without a record type by way of another one.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to a common table expression, joined by a condition on both.
    ///
    /// - Parameters:
    ///   - destination: the expression that is joined.
    ///   - condition: makes the condition of aliases of this table and of the expression.
    public static func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: destination, on: condition)
    }

    /// The association to a common table expression, any row with any row.
    public static func association<Destination>(
        to destination: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: destination, on: nil)
    }

    /// The association to another table, joined by a condition on both.
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: relation(destination), on: condition)
    }

    /// The association to a table without a record type, joined by a condition on both.
    public static func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}
