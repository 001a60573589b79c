import RowDecoding

// The associations of a table.

extension Table {
    /// Returns an association to the row that a row of this table refers to.
    ///
    /// - Parameters:
    ///   - destination: the record type that is referred to.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns of this table that refer to the other one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(path: .belongsTo(tableName, destination.all().relation, key: key, foreignKey: foreignKey))
    }

    /// Returns an association to the row that a row of this table refers to, in a table without a record type.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(path: .belongsTo(tableName, destination.relation, key: key, foreignKey: foreignKey))
    }

    /// Returns an association to the rows that refer to a row of this table.
    ///
    /// - Parameters:
    ///   - destination: the record type that refers to this table.
    ///   - key: the name of the prefetched rows; by default the other table's name, in the plural. Where one row is included, the
    ///     name of its scope is the singular of the key.
    ///   - foreignKey: the columns of the other table that refer to this one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(path: .has(tableName, destination.all().relation, key: key, foreignKey: foreignKey, .toMany))
    }

    /// Returns an association to the rows that refer to a row of this table, in a table without a record type.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(path: .has(tableName, destination.relation, key: key, foreignKey: foreignKey, .toMany))
    }

    /// Returns an association to the one row that refers to a row of this table.
    ///
    /// - Parameters:
    ///   - destination: the record type that refers to this table. The columns of its foreign key should have a unique index: if
    ///     several rows refer to the same row, a join returns all of them.
    ///   - key: the name of the association's scope; by default the other table's name, in the singular.
    ///   - foreignKey: the columns of the other table that refer to this one; by default, the columns of the schema's foreign key, which
    ///     must be the only one between the two tables.
    public func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(path: .has(tableName, destination.all().relation, key: key, foreignKey: foreignKey, .toOne))
    }

    /// Returns an association to the one row that refers to a row of this table, in a table without a record type.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(path: .has(tableName, destination.relation, key: key, foreignKey: foreignKey, .toOne))
    }

    /// Returns an association to rows that are reached through another association.
    ///
    /// - Parameters:
    ///   - destination: the record type at the end.
    ///   - pivot: an association of this table.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the prefetched rows; by default the key of `target`.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: .through(pivot.path, target.path, key: key))
    }

    /// Returns an association to rows of a table without a record type, through another association.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(path: .through(pivot.path, target.path, key: key))
    }

    /// Returns an association to one row that is reached through another association.
    ///
    /// - Parameters:
    ///   - destination: the record type at the end.
    ///   - pivot: an association of this table.
    ///   - target: an association of the type that `pivot` leads to.
    ///   - key: the name of the association's scope; by default the key of `target`.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: .through(pivot.path, target.path, key: key))
    }

    /// Returns an association to one row of a table without a record type, through another association.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Table<Target.RowDecoder>, through pivot: Pivot, using target: Target, key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(path: .through(pivot.path, target.path, key: key))
    }

    /// Returns an association to a common table expression.
    ///
    /// - Parameters:
    ///   - destination: the common table expression.
    ///   - condition: returns the join condition, given aliases of this table and of the common table expression. It is called once for
    ///     each query. Nil joins every row with every row.
    public func association<Destination>(
        to destination: CommonTableExpression<Destination>,
        on condition: (@Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible)? = nil
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().relation, on: condition)
    }

    /// Returns an association to another table, joined on a condition.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition: @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all().relation, on: condition)
    }

    /// Returns an association to a table without a record type, joined on a condition.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition: @escaping @Sendable (_ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.relation, on: condition)
    }
}
