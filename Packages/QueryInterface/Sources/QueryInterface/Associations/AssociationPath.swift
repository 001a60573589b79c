import RowDecoding

/// The tables and joins of an association, from its origin to its destination.
///
/// This type is opaque: `belongsTo`, `hasMany` and similar methods create associations.
public struct AssociationPath: Sendable {
    // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
    /// The greatest number of rows to which an association leads.
    enum Cardinality: Sendable {
        case toOne
        case toMany
    }

    /// The name of the association's scope, or of its prefetched rows, in the row that has the association.
    struct Key: Sendable {
        enum Name: Sendable {
            /// The same name for one row and for many.
            case fixed(String)
            /// The name of a table, or of the rows of a to-many association: one row has its singular, and many have its plural.
            case inflected(String)
            /// The name of one row, as the user gave it. Many rows have its plural.
            case singular(String)
            /// The name of many rows, as the user gave it. One row has its singular.
            case plural(String)
        }

        private let name: Name

        /// The name for one row. Most associations are constants, and each join needs the name again.
        private let nameOfOne: String

        init(name: Name) {
            self.name = name
            nameOfOne =
                switch name {
                case .fixed(let name), .singular(let name): name
                case .inflected(let name), .plural(let name): name.singularized
                }
        }

        func name(for cardinality: Cardinality) -> String {
            if cardinality == .toOne { return nameOfOne }
            return switch name {
            case .fixed(let name), .plural(let name): name
            case .inflected(let name), .singular(let name): name.pluralized
            }
        }

        /// Returns the key that the user gives to an association when defining it.
        static func defined(_ name: String, _ cardinality: Cardinality) -> Key {
            Key(name: cardinality == .toOne ? .singular(name) : .plural(name))
        }

        /// Returns the key of the same association with another name.
        func renamed(_ name: String, _ cardinality: Cardinality) -> Key {
            switch self.name {
            case .fixed: Key(name: .fixed(name))
            case .plural where cardinality == .toMany: Key(name: .plural(name))
            default: Key(name: cardinality == .toOne ? .singular(name) : .inflected(name))
            }
        }
    }

    /// One joined table.
    struct Step: Sendable {
        // Described: see "Kept plans" in CONTRIBUTING.md before you add a property.
        var key: Key
        let condition: JoinCondition
        let cardinality: Cardinality
        var relation: Relation
    }

    /// The joined tables in order. The last one is the destination.
    var steps: [Step]

    /// The greatest number of rows to which the association leads.
    var cardinality: Cardinality {
        steps.contains { $0.cardinality == .toMany } ? .toMany : .toOne
    }

    /// The relation of the destination table.
    var destination: Relation {
        get { steps[steps.count - 1].relation }
        set { steps[steps.count - 1].relation = newValue }
    }

    /// Returns the key of the association for a number of rows.
    func key(for cardinality: Cardinality) -> String {
        steps[steps.count - 1].key.name(for: cardinality)
    }

    /// Returns the association with its destination relation changed.
    func mapping(_ change: (Relation) -> Relation) -> AssociationPath {
        changed(self) { $0.destination = change($0.destination) }
    }

    /// Returns the association with another key.
    func withKey(_ key: String) -> AssociationPath {
        let last = steps.count - 1
        return changed(self) { $0.steps[last].key = steps[last].key.renamed(key, cardinality) }
    }

    /// Returns the association with the key that the user gives to it when defining it.
    func defined(key: String) -> AssociationPath {
        changed(self) { $0.steps[$0.steps.count - 1].key = .defined(key, cardinality) }
    }

    /// Returns an association that continues with another association from the destination of this one.
    func through(_ next: AssociationPath) -> AssociationPath {
        AssociationPath(steps: steps + next.steps)
    }

    /// Merges another association with the same key into this one. If they join different tables, the request throws an error.
    mutating func merge(_ other: AssociationPath) {
        guard steps.count == other.steps.count,
            zip(steps, other.steps).allSatisfy({ $0.condition == $1.condition })
        else {
            destination.misuse = .misuse(
                "two different associations have the same key \(key(for: .toMany))", advice: DatabaseError.adviceAboutKeys)
            return
        }
        for index in steps.indices {
            steps[index].relation.merge(other.steps[index].relation, selects: index == steps.count - 1)
        }
    }
}
