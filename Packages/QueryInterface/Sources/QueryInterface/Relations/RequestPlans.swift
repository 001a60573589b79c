import RowDecoding

/// The purpose for which a query is prepared.
enum QueryPurpose: Int {
    case rows
    case firstRow
    case count
    case isEmpty
}

/// A statement with its arguments, and the layout of its rows.
struct PreparedQuery {
    let statement: Statement
    /// The layout, or nil if the rows are those of the statement, and nothing is prefetched for them.
    let columns: RelationColumns?
}

/// The statements that a connection keeps for the shapes of its recent queries.
///
/// A query whose shape is known needs no SQL: its values become the arguments of the kept statement. Everything else that its SQL depends on
/// is in the shape, apart from the schema: when it changes, all plans are dropped.
package final class RequestPlans: AttachmentKey, ReleasableAttachment {
    /// The plans, by the hashes of their shapes.
    ///
    /// At most 200 are kept. A plan takes 420 bytes for a condition on one column, and 570 with a join; its statement, which the connection's
    /// cache may keep, too, takes some 12 KB for a table of 14 columns. A hit takes 4,700 instructions more than a fetch by the primary key,
    /// which describing the request and binding its values make up; a miss takes 140,000, most of them in SQLite's compiler.
    private var plans = RecentCache<UInt64, RequestPlan>(capacity: 100)

    /// The plans of templates, by the addresses of the templates and the purposes of the queries. At most 200 are kept.
    private var templatePlans = RecentCache<UInt, TemplatePlan>(capacity: 100)

    /// The generation of the schema for which the plans were made.
    private var generation = 0

    /// The plan that was used last. Programs often run the same request repeatedly, and comparing shapes is faster than hashing one.
    private var last: RequestPlan?

    /// The memory of the last description, at most 16 KB, unless a description is being made.
    private var spareShape: SQLShape?

    /// The number of plans.
    package var count: Int { plans.count }

    func prepare(_ relation: Relation, for purpose: QueryPurpose, returning key: HiddenKey?, _ db: Database) throws -> PreparedQuery {
        // Closures of the query can prepare other queries, which then have shapes of their own.
        var shape = spareShape.take() ?? SQLShape(db)
        do {
            let query = try prepare(relation, for: purpose, returning: key, describedBy: &shape, db)
            keepMemory(of: consume shape)
            return query
        } catch {
            keepMemory(of: consume shape)
            throw error
        }
    }

    /// Prepares a query of a template.
    ///
    /// - Parameters:
    ///   - template: the template.
    ///   - values: the values of its places.
    ///   - purpose: which query.
    ///   - db: the connection.
    func prepare(_ template: Template, _ values: PlaceArguments, for purpose: QueryPurpose, _ db: Database) throws -> PreparedQuery {
        let generation = try db.schemaGeneration()
        // Objects have addresses that are multiples of 16.
        let key = UInt(bitPattern: ObjectIdentifier(template)) | UInt(purpose.rawValue)
        if let kept = templatePlans[key], kept.generation == generation, let query = try kept.prepare(values, db) {
            KeptPlanCheck.check(query, by: kept.plan, db) { try template.relation(with: values).write(for: purpose, db) }
            return query
        }
        return try prepareWithoutPlan(template, values, for: purpose, keptAs: key, db)
    }

    @inline(never)
    private func prepareWithoutPlan(
        _ template: Template, _ values: PlaceArguments, for purpose: QueryPurpose, keptAs key: UInt, _ db: Database
    ) throws -> PreparedQuery {
        let relation = template.relation(with: values)
        var shape = SQLShape(db)
        let query = try prepare(relation, for: purpose, returning: nil, describedBy: &shape, db)
        // The results of closures belong to one query.
        if shape.isComplete, !shape.hasComputedParts, !template.relation.hasClosures, let plan = try plan(of: shape, db) {
            templatePlans[key] = TemplatePlan(template, plan, shape.leaves, relation, generation)
        }
        return query
    }

    private func keepMemory(of shape: consuming SQLShape) {
        shape.end()
        spareShape = shape
    }

    private func prepare(
        _ relation: Relation, for purpose: QueryPurpose, returning key: HiddenKey?, describedBy shape: inout SQLShape, _ db: Database
    ) throws -> PreparedQuery {
        // The description and the writer must get the same results of closures, each of which is called once.
        let relation = try relation.computed(db)
        guard try describe(relation, purpose, key, to: &shape, db) else {
            return try relation.write(for: purpose, returning: key, db).prepare()
        }
        if let plan = try plan(of: shape, db), let prepared = try plan.prepare(relation, shape.leaves, db) {
            // A closure could return something else to the writer.
            if !shape.hasComputedParts {
                KeptPlanCheck.check(prepared, by: plan, db) { try relation.write(for: purpose, returning: key, db) }
            }
            return prepared
        }
        // The remaining closures, in subqueries and groups, can return something else to the writer.
        if shape.hasComputedParts { return try relation.write(for: purpose, returning: key, db).prepare() }
        let generation = generation
        let written = try relation.write(for: purpose, returning: key, tracesArguments: true, db)
        let query = try written.prepare()
        // A closure can have changed the schema, and have run another request.
        if generation == self.generation, let plan = RequestPlan(shape, written, query, db) { plans[shape.hash] = plan }
        return query
    }

    /// Describes a query.
    ///
    /// - Returns: whether the description determines the SQL.
    /// - Throws: an error that may not occur again when the query is written.
    private func describe(
        _ relation: Relation, _ purpose: QueryPurpose, _ key: HiddenKey?, to shape: inout SQLShape, _ db: Database
    ) throws -> Bool {
        shape.append(purpose.rawValue << 2 | (key?.kindNumber ?? 0))
        try key?.describe(to: &shape)
        do {
            try relation.describe(to: &shape)
            return shape.isComplete
        } catch let error where error.isRepeatable {
            // The writer throws the error again, if it needs the part that failed.
            shape.refuse()
            return false
        }
    }

    private func plan(of shape: borrowing SQLShape, _ db: Database) throws -> RequestPlan? {
        try removeOutdatedPlans(db)
        if let last, shape.hasWords(last.words) { return last }
        guard let plan = plans[shape.hash], shape.hasWords(plan.words) else { return nil }
        last = plan
        return plan
    }

    private func removeOutdatedPlans(_ db: Database) throws {
        let generation = try db.schemaGeneration()
        if generation == self.generation { return }
        plans.removeAll()
        templatePlans.removeAll()
        last = nil
        self.generation = generation
    }
}

/// The statement for the queries of a template that serve one purpose.
private final class TemplatePlan {
    /// The plan for the shape of the queries.
    let plan: RequestPlan

    /// The generation of the schema for which the plan was made.
    let generation: Int

    /// The template, whose address no other one gets as long as the plan exists.
    private let template: Template

    /// The values of the shape: expressions of the template, and for the values of places, their indexes.
    private let leaves: [any SQLValueTree]
    private let places: [Int?]

    init(_ template: Template, _ plan: RequestPlan, _ leaves: [any SQLValueTree], _ relation: Relation, _ generation: Int) {
        (self.template, self.plan, self.leaves, self.generation) = (template, plan, leaves, generation)
        places = leaves.map { relation.places.last?.place(of: $0) }
    }

    /// Returns the statement, with the values of places as its arguments.
    ///
    /// - Returns: nil if a value can't be stored. Writing the query then throws the reason.
    func prepare(_ values: PlaceArguments, _ db: Database) throws -> PreparedQuery? {
        try plan.prepare(db, prefetching: template.relation.allPrefetches) { index, encoder in
            if let place = places[index] { try values[place].argument(for: encoder) } else { try leaves[index].argument(for: encoder) }
        }
    }
}

/// The statement for the queries of one shape.
final class RequestPlan {
    /// The shape.
    let words: [UInt64]

    let sql: String
    private let statement: CachedStatement

    /// The indexes of the arguments among the values of the shape; nil for NULL.
    private let valueIndexes: [Int?]

    /// The columns that store the arguments in their own ways, by the indexes of the arguments; empty if there are none.
    let encoders: [(any ValueEncoder)?]

    /// The layout of the rows, without the prefetched associations, whose places are separate: they have values of their own.
    private let columns: RelationColumns?
    private let places: [PrefetchTarget.Place]

    /// - Parameters:
    ///   - shape: the shape of a query.
    ///   - written: the query that was written for it.
    ///   - query: the same query.
    ///   - db: the connection.
    /// - Returns: nil if an argument is not a value of the shape.
    init?(_ shape: SQLShape, _ written: WrittenQuery, _ query: PreparedQuery, _ db: Database) {
        guard let origins = written.renderer.origins, origins.count == query.statement.parameterCount,
            let statement = db.keptStatement(sql: written.renderer.sql)
        else { return nil }
        let indexes = Dictionary(shape.leaves.enumerated().map { (ObjectIdentifier($1), $0) }) { first, _ in first }
        var valueIndexes: [Int?] = []
        var encoders: [(any ValueEncoder)?] = []
        var used: Set<Int> = []
        for origin in origins {
            switch origin {
            case .null:
                valueIndexes.append(nil)
                encoders.append(nil)
            case .value(let leaf, let encoder):
                guard let index = indexes[leaf] else { return nil }
                valueIndexes.append(index)
                encoders.append(encoder)
                used.insert(index)
            case .unknown: return nil
            }
        }
        // A value that is not an argument may affect the SQL. If the query contains a value twice, too far apart to be found, it is not
        // known which of them an argument comes from.
        guard used.count == shape.leaves.count else { return nil }
        (words, sql) = (shape.words, written.renderer.sql)
        (self.valueIndexes, self.statement) = (valueIndexes, statement)
        self.encoders = encoders.contains { $0 != nil } ? encoders : []
        places = query.columns?.prefetches.map(\.place) ?? []
        columns = query.columns?.withPrefetches([])
    }

    /// Returns the statement, with the values of a query as its arguments.
    ///
    /// - Returns: nil if a value can't be stored. Writing the query then throws the reason.
    func prepare(_ relation: Relation, _ values: [any SQLValueTree], _ db: Database) throws -> PreparedQuery? {
        try prepare(db, prefetching: relation.allPrefetches) { try values[$0].argument(for: $1) }
    }

    /// Returns the statement, with the values of a query as its arguments.
    ///
    /// - Parameters:
    ///   - db: the connection.
    ///   - prefetches: the prefetched associations of the query.
    ///   - argument: returns the value with an index, as a column stores it.
    /// - Returns: nil if a value can't be stored.
    @inline(__always)
    func prepare(
        _ db: Database, prefetching prefetches: @autoclosure () -> [Prefetch],
        _ argument: (Int, (any ValueEncoder)?) throws -> DatabaseValue
    ) throws -> PreparedQuery? {
        let statement: Statement
        do {
            statement = try self.statement.freeStatement ?? db.reusedStatement(sql: sql)
            try statement.setArguments { index in
                guard let valueIndex = valueIndexes[index] else { return .null }
                return try argument(valueIndex, encoders.isEmpty ? nil : encoders[index])
            }
        } catch let error where error.isRepeatable {
            return nil
        }
        if places.isEmpty { return PreparedQuery(statement: statement, columns: columns) }
        let prefetches = zip(prefetches(), places).map { PrefetchTarget(prefetch: $0, place: $1) }
        return PreparedQuery(statement: statement, columns: columns?.withPrefetches(prefetches))
    }
}

extension Error {
    /// Whether the error occurs again when the query is written, with a better message. Errors of the file and of memory occur once, and
    /// may have rolled back the transaction.
    var isRepeatable: Bool {
        guard let error = self as? DatabaseError else { return true }
        return [.SQLITE_ERROR, .SQLITE_MISUSE, .SQLITE_MISMATCH, .SQLITE_TOOBIG, .SQLITE_RANGE].contains(error.resultCode)
    }
}

extension QueryInterfaceRequest {
    /// Writes the query and prepares it, without looking for a kept statement.
    package func writtenRequest(_ db: Database, forSingleResult: Bool) throws -> PreparedRequest {
        let query = try relation.write(for: forSingleResult ? .firstRow : .rows, db).prepare()
        return PreparedRequest(statement: query.statement, adapter: query.columns?.adapter)
    }
}
