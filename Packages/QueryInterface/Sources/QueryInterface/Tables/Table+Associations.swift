import RowDecoding

// The associations of a table, as those of record types.

extension Table {
    /// The association to the row that rows of this table refer to.
    ///
    /// - Parameters:
    ///   - destination: the type of the record that is referred to.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns by which this table refers to the other one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(
            path: AssociationDefinition.belongsTo(tableName, destination.all().relation, key: key, foreignKey: foreignKey))
    }

    /// The association to the row of a table without a record type that rows of this table refer to.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(
            path: AssociationDefinition.belongsTo(tableName, destination.relation, key: key, foreignKey: foreignKey))
    }

    /// The association to the rows that refer to those of this table.
    ///
    /// - Parameters:
    ///   - destination: the type of the records that refer to this one.
    ///   - key: the name of the prefetched rows; by default the other table's name, in the plural.
    ///   - foreignKey: the columns by which the other table refers to this one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(
            path: AssociationDefinition.has(tableName, destination.all().relation, key: key, foreignKey: foreignKey, .toMany))
    }

    /// The association to the rows of a table without a record type that refer to those of this table.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(
            path: AssociationDefinition.has(tableName, destination.relation, key: key, foreignKey: foreignKey, .toMany))
    }

    /// The association to the one row that refers to a row of this table.
    ///
    /// - Parameters:
    ///   - destination: the type of the record that refers to this one. Its columns should have a unique index: of several such
    ///     rows, each makes a row of its own in a join.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns by which the other table refers to this one; by default those of the schema's foreign key, of
    ///     which there must be exactly one between the two tables.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(
            path: AssociationDefinition.has(tableName, destination.all().relation, key: key, foreignKey: foreignKey, .toOne))
    }

    /// The association to the one row of a table without a record type that refers to a row of this table.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(
            path: AssociationDefinition.has(tableName, destination.relation, key: key, foreignKey: foreignKey, .toOne))
    }

    /// The association to rows by way of another one.
    ///
    /// - Parameters:
    ///   - destination: the type of the records at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the prefetched rows; by default the key of `target`.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to rows of a table without a record type by way of another one.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to one row by way of another one.
    ///
    /// - Parameters:
    ///   - destination: the type of the record at the end.
    ///   - pivot: an association of this type.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the association's scope; by default the key of `target`.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to one row of a table without a record type by way of another one.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: AssociationDefinition.through(pivot.path, target.path, key: key))
    }

    /// The association to a common table expression, joined by a condition on both.
    ///
    /// - Parameters:
    ///   - destination: the expression that is joined.
    ///   - condition: makes the condition of aliases of this table and of the expression.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination, on: condition)
    }

    /// The association to a common table expression, any row with any row.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination, on: nil)
    }

    /// The association to another table, joined by a condition on both.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().relation, on: condition)
    }

    /// The association to a table without a record type, joined by a condition on both.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<Void>, _ right: TableAlias<Void>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}
