import RowDecoding

/// What an association is made of: the tables from the one that has it to the one that it leads to.
///
/// It is opaque: associations are made by `belongsTo`, `hasMany` and the like.
public struct AssociationPath: Sendable {
    /// How many rows an association leads to.
    enum Cardinality: Sendable {
        case toOne
        case toMany
    }

    /// The name under which rows are found in the row that has the association.
    struct Key: Sendable {
        /// A name as it was given, or one that follows the number of rows: "book" and "books".
        enum Name: Sendable {
            case fixed(String)
            case inflected(String)
        }

        var name: Name

        func name(for cardinality: Cardinality) -> String {
            switch name {
            case .fixed(let name): name
            case .inflected(let name): cardinality == .toOne ? name.singularized : name.pluralized
            }
        }
    }

    /// One table on the way.
    struct Step: Sendable {
        var key: Key
        let condition: JoinCondition
        let cardinality: Cardinality
        var relation: Relation
    }

    /// The tables on the way: the last is the one that the association leads to.
    var steps: [Step]

    /// How many rows the association leads to.
    var cardinality: Cardinality {
        steps.contains { $0.cardinality == .toMany } ? .toMany : .toOne
    }

    /// The relation of the table that the association leads to.
    var destination: Relation {
        get { steps[steps.count - 1].relation }
        set { steps[steps.count - 1].relation = newValue }
    }

    /// The key of the association.
    func key(for cardinality: Cardinality) -> String {
        steps[steps.count - 1].key.name(for: cardinality)
    }

    /// The association with another relation of the table that it leads to.
    func mapping(_ change: (Relation) -> Relation) -> AssociationPath {
        var path = self
        path.destination = change(path.destination)
        return path
    }

    /// The association with another key.
    func withKey(_ key: String) -> AssociationPath {
        var path = self
        path.steps[path.steps.count - 1].key = Key(name: .fixed(key))
        return path
    }

    /// The association that goes on from where this one ends.
    func through(_ next: AssociationPath) -> AssociationPath {
        AssociationPath(steps: steps + next.steps)
    }

    /// Makes one association of two that have the same key.
    mutating func merge(_ other: AssociationPath) {
        guard steps.count == other.steps.count,
            zip(steps, other.steps).allSatisfy({ $0.condition == $1.condition })
        else {
            destination.misuse = DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "two different associations have the same key \(key(for: .toMany)): "
                    + "give one of them another key with forKey(_:)")
            return
        }
        for index in steps.indices {
            steps[index].relation.merge(other.steps[index].relation, selects: index == steps.count - 1)
        }
    }
}
