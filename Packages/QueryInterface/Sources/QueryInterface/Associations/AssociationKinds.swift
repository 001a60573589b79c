import RowDecoding

/// An association from a row to the row that it refers to: a book belongs to an author.
///
/// ```swift
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
/// ```
public struct BelongsToAssociation<OriginRowDecoder, RowDecoder>: AssociationToOne {
    /// The tables and joins of the association.
    public var path: AssociationPath
}

/// An association from a row to the one row that refers to it: a country has one profile.
///
/// ```swift
/// struct Country: TableRecord {
///     static let profile = hasOne(Profile.self)
/// }
/// ```
public struct HasOneAssociation<OriginRowDecoder, RowDecoder>: AssociationToOne {
    /// The tables and joins of the association.
    public var path: AssociationPath
}

/// An association from a row to the rows that refer to it: an author has many books.
///
/// ```swift
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
/// ```
public struct HasManyAssociation<OriginRowDecoder, RowDecoder>: AssociationToMany {
    /// The tables and joins of the association.
    public var path: AssociationPath
}

/// An association to one row through another association: a book has one address, the address of its library.
///
/// ```swift
/// struct Book: TableRecord {
///     static let library = belongsTo(Library.self)
///     static let address = hasOne(
///         Address.self, through: library, using: Library.address)
/// }
/// ```
public struct HasOneThroughAssociation<OriginRowDecoder, RowDecoder>: AssociationToOne {
    /// The tables and joins of the association.
    public var path: AssociationPath
}

/// An association to rows through another association: a country has many citizens through its passports.
///
/// ```swift
/// struct Country: TableRecord {
///     static let passports = hasMany(Passport.self)
///     static let citizens = hasMany(
///         Citizen.self, through: passports, using: Passport.citizen)
/// }
/// ```
public struct HasManyThroughAssociation<OriginRowDecoder, RowDecoder>: AssociationToMany {
    /// The tables and joins of the association.
    public var path: AssociationPath
}

/// An association to a common table expression, or to any table, joined on a condition.
///
/// ```swift
/// let association = Player.association(
///     to: best, on: { player, best in player["id"] == best["playerId"] })
/// let request = Player.with(best).including(optional: association)
/// ```
public struct JoinAssociation<OriginRowDecoder, RowDecoder>: AssociationToOne {
    /// The tables and joins of the association.
    public var path: AssociationPath

    /// A join condition on the columns of two tables.
    typealias Condition = @Sendable (TableAlias<OriginRowDecoder>, TableAlias<RowDecoder>) -> any SQLExpressible

    init(to relation: Relation, on condition: Condition?) {
        let predicate = condition.map { condition in
            JoinCondition.Predicate {
                let (left, right) = (TableAlias<OriginRowDecoder>(), TableAlias<RowDecoder>())
                return JoinCondition.Expression(left: left, right: right, condition(left, right).sqlExpression)
            }
        }
        path = AssociationPath(steps: [
            AssociationPath.Step(
                key: AssociationPath.Key(name: .fixed(relation.source.name)), condition: .closure(predicate),
                cardinality: .toOne, relation: relation)
        ])
    }
}
