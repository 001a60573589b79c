import Testing

@testable import Persistence

@Suite struct PlanTests {
    @Test
    func `However many sets of columns are updated, some statements are kept, and one that is used again and again is`() throws {
        let names = (0..<6).map { "c\($0)" }
        try withDatabase("CREATE TABLE sheet (id INTEGER PRIMARY KEY, \(names.joined(separator: ", ")))") { db throws in
            var sheet = Sheet(["id": 1, "c0": 0, "c1": 0, "c2": 0, "c3": 0, "c4": 0, "c5": 0])
            try sheet.insert(db)
            let plans = RecordPlans.plans(for: Sheet.self, in: db)
            func favourite() throws -> RecordPlan? {
                let layout = try #require(plans.state.pointee.layouts.last).number
                return plans.state.pointee.plans[
                    PlanKey(operation: .update, resolution: .abort, columns: ["c0"], clauses: "", layout: layout)]
            }
            try sheet.update(db, columns: ["c0"])
            let statement = try #require(try favourite()).statement
            for mask in 2..<64 {
                try sheet.update(db, columns: names.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element))
                #expect(plans.state.pointee.plans.count <= 2 * PlanCache.capacity)
                try sheet.update(db, columns: ["c0"])
            }
            #expect(try favourite()?.statement === statement)
        }
    }

    @Test
    func `Records of two layouts that take turns, and records that callbacks insert, share the statements of those before`() throws {
        struct Node: MutablePersistableRecord {
            var id: Int64?
            var depth: Int
            var encodesDepth = true
            func encode(to container: inout PersistenceContainer) {
                if encodesDepth { container["depth"] = depth }
                container["id"] = id
            }
            func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
                let success = try insert()
                if depth > 0 { _ = try Node(depth: depth - 1).inserted(db) }
                extendLifetime(success)
            }
            mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
        }
        try withDatabase("CREATE TABLE node (id INTEGER PRIMARY KEY, depth INTEGER)") { db throws in
            let plans = RecordPlans.plans(for: Node.self, in: db)
            var nodes: [Node] = []
            for index in 0..<10 {
                nodes.append(try Node(depth: 3, encodesDepth: index % 2 == 0).inserted(db))
            }
            #expect(plans.state.pointee.layouts.count == 2)
            #expect(plans.state.pointee.plans.count == 2)
            for _ in 0..<2 {
                try nodes.updateAll(db)
                #expect(try nodes.allSatisfy { try $0.exists(db) })
            }
            #expect(try nodes.deleteAll(db) == 10)
            #expect(plans.state.pointee.layouts.count == 2)
            #expect(plans.state.pointee.plans.count == 8)
            #expect(try db.rows("SELECT depth, count(*) FROM node GROUP BY depth") == ["0 10", "1 10", "2 10"])
        }
    }
}
