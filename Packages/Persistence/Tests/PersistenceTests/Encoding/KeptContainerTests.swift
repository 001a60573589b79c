import Persistence
import Testing

/// Containers that a record keeps, and that another record, or the same one, assigns to the container that it is given.
@Suite struct KeptContainerTests {
    /// A record of another type than ``Sheet``, with columns of its own.
    private struct Point: MutablePersistableRecord {
        static let databaseTableName = "point"
        var p: Int
        var onEncode: ((inout PersistenceContainer) throws -> Void)?
        var inserted: PersistenceContainer?

        func encode(to container: inout PersistenceContainer) throws {
            container["p"] = p
            try onEncode?(&container)
        }

        mutating func didInsert(_ inserted: InsertionSuccess) {
            self.inserted = inserted.persistenceContainer
        }
    }

    /// What records keep.
    private final class Shelf {
        var container: PersistenceContainer?
        var containers: [PersistenceContainer] = []
    }

    private static let schema = """
        CREATE TABLE sheet (id INTEGER PRIMARY KEY, x, y, z, p DEFAULT 'none');
        CREATE TABLE point (id INTEGER PRIMARY KEY, p, x DEFAULT 'none', y, z, a, b, c, d, e, f, g)
        """

    /// A text that has memory of its own.
    private func text(_ word: String) -> String { "\(word), a text of more than fifteen bytes" }

    @Test
    func `A container of another record type writes its own columns, and not the columns of the plan`() throws {
        try withDatabase(Self.schema) { db throws in
            var sheet = Sheet(["x": 1])
            try sheet.insert(db)
            var point = Point(p: 111)
            try point.insert(db)
            var kept = try #require(point.inserted)
            // The row ID that the insertion added.
            kept["id"] = nil as Int64?
            for _ in 1...2 {
                var sheet = Sheet([:]) { [kept] in $0 = kept }
                try sheet.insert(db)
            }
            try sheet.insert(db)
            #expect(try db.rows("SELECT x, p FROM sheet") == ["1 'none'", "NULL 111", "NULL 111", "1 'none'"])
        }
    }

    @Test
    func `A container with more columns than the plan has is bound to as many parameters as it needs`() throws {
        try withDatabase(Self.schema) { db throws in
            var sheet = Sheet(["x": 1, "y": 2])
            try sheet.insert(db)
            let kept = try sheet.databaseContainer(db)
            var point = Point(p: 5)
            try point.insert(db)
            for _ in 1...2 {
                var point = Point(p: 6) { $0 = kept }
                try point.insert(db)
            }
            try point.insert(db)
            #expect(try db.rows("SELECT p, x, y FROM point") == ["5 'none' NULL", "NULL 1 2", "NULL 1 2", "5 'none' NULL"])
            // Updates, deletions and questions of existence find their columns, too.
            var row = Sheet(["id": 9, "x": 1, "y": 2])
            try row.insert(db)
            let keyed = try row.databaseContainer(db)
            try db.execute(sql: "INSERT INTO point (id) VALUES (9)")
            let other = Point(p: 7) { $0 = keyed }
            try other.update(db)
            #expect(try db.rows("SELECT p, x, y FROM point WHERE id = 9") == ["NULL 1 2"])
            #expect(try other.exists(db))
            #expect(try other.delete(db))
            #expect(try db.rows("SELECT * FROM point WHERE id = 9") == [])
        }
    }

    @Test
    func `A container of another connection is written to the one at hand`() throws {
        var kept: PersistenceContainer?
        try withDatabase(Self.schema) { db throws in
            // One shape more than below.
            for columns in [["y"], ["x", "y"]] {
                var sheet = Sheet([:]) { container in
                    for column in columns { container[column] = text(column) }
                    kept = container
                }
                try sheet.insert(db)
            }
        }
        let container = try #require(kept)
        kept = nil
        try withDatabase(Self.schema) { db throws in
            for _ in 1...2 {
                var sheet = Sheet(["z": 1, "y": 2])
                try sheet.insert(db)
                var other = Sheet([:]) { $0 = container }
                try other.insert(db)
            }
            let rows = ["NULL 2 1", "'\(text("x"))' '\(text("y"))' NULL"]
            #expect(try db.rows("SELECT x, y, z FROM sheet") == rows + rows)
        }
    }

    @Test
    func `A container that was full when it was kept, and given back later, is written with its own values`() throws {
        try withDatabase(Self.schema) { db throws in
            let shelf = Shelf()
            func insert(
                _ columns: KeyValuePairs<String, (any DatabaseValueConvertible)?>, _ body: ((inout PersistenceContainer) -> Void)? = nil
            ) throws {
                var sheet = Sheet(columns, onEncode: body)
                try sheet.insert(db)
            }
            try insert(["x": 1, "y": text("first")])
            try insert(["x": 2, "y": text("second")]) { container in
                shelf.container = container
                container = PersistenceContainer()
                container["x"] = 3
                container["y"] = "third"
            }
            try insert(["x": 4, "y": text("fourth")]) { $0 = shelf.container! }
            try insert(["x": 5, "y": text("fifth")])
            #expect(
                try db.rows("SELECT x, y FROM sheet") == [
                    "1 '\(text("first"))'", "3 'third'", "2 '\(text("second"))'", "5 '\(text("fifth"))'",
                ])
        }
    }

    @Test
    func `A container that was kept in the middle of a record binds nothing afterwards, though its connection is closed`() throws {
        let shelf = Shelf()
        try withDatabase(Self.schema) { db throws in
            for number in 1...3 {
                var sheet = Sheet(["x": number]) { container in
                    shelf.container = container
                    container = PersistenceContainer()
                    container["x"] = number
                    container["y"] = "y\(number)"
                }
                try sheet.insert(db)
            }
            #expect(try db.rows("SELECT x, y FROM sheet") == ["1 'y1'", "2 'y2'", "3 'y3'"])
        }
        shelf.container?["y"] = text("y")
        #expect(shelf.container?.text == "x: 3, y: '\(text("y"))'")
        try withDatabase(Self.schema) { db throws in
            var sheet = Sheet([:]) { $0 = shelf.container! }
            try sheet.insert(db)
            #expect(try db.rows("SELECT x, y FROM sheet") == ["3 '\(text("y"))'"])
        }
    }

    @Test
    func `An error after a container was replaced leaves nothing behind`() throws {
        try withDatabase(Self.schema) { db throws in
            let shelf = Shelf()
            for round in 1...3 {
                var good = Sheet(["x": round, "y": text("\(round)")])
                try good.insert(db)
                var bad = Sheet(["x": 0, "y": text("bad")]) { container in
                    swap(&container, &shelf.container!)
                    throw TestError()
                }
                if shelf.container == nil { shelf.container = PersistenceContainer() }
                #expect(throws: TestError.self) { try bad.insert(db) }
            }
            #expect(try db.rows("SELECT x, y FROM sheet") == (1...3).map { "\($0) '\(text("\($0)"))'" })
        }
    }

    @Test
    func `A container of a record that another record was compared with is written like any other`() throws {
        try withDatabase(Self.schema) { db throws in
            let shelf = Shelf()
            try db.execute(sql: "INSERT INTO sheet (id) VALUES (1)")
            for number in 1...3 {
                let original = Sheet(["id": 1, "x": number]) { shelf.container = $0 }
                let sheet = Sheet(["id": 1, "x": number + 1])
                #expect(try sheet.updateChanges(db, from: original))
                var point = Point(p: 0) { $0 = shelf.container! }
                try point.upsert(db)
                #expect(try db.rows("SELECT id, x FROM point") == ["1 \(number)"])
                shelf.container = nil
            }
        }
    }

    @Test
    func `A container that leaves out values has them when another record takes it meanwhile`() throws {
        try withDatabase(Self.schema) { db throws in
            let shelf = Shelf()
            for number in 1...3 {
                var sheet = Sheet(["x": text("x\(number)"), "y": text("y\(number)"), "id": number])
                try sheet.insert(db)
                var deleted = Sheet(["x": text("X\(number)"), "y": text("Y\(number)"), "id": number]) { container in
                    // Encoded again for the omitted values.
                    guard shelf.container == nil else { return }
                    shelf.container = container
                    var other = Point(p: 0) { $0 = shelf.container! }
                    try other.insert(db)
                }
                #expect(try deleted.delete(db))
                deleted.onEncode = nil
                shelf.container = nil
            }
            #expect(try db.rows("SELECT id, x, y FROM point") == (1...3).map { "\($0) '\(text("X\($0)"))' '\(text("Y\($0)"))'" })
        }
    }

    @Test
    func `A container that an inner record takes and gives on does not disturb the outer one`() throws {
        try withDatabase(Self.schema) { db throws in
            let shelf = Shelf()
            for number in 1...3 {
                var outer = Sheet(["x": number, "y": text("y\(number)")]) { container in
                    shelf.container = container
                    container = PersistenceContainer()
                    // The first one becomes the memory of the records after it.
                    var inner = Sheet([:]) { container in
                        container = shelf.container!
                        shelf.container = nil
                    }
                    try inner.insert(db)
                    for _ in 1...2 {
                        var last = Sheet(["z": number])
                        try last.insert(db)
                    }
                    container["x"] = -number
                }
                try outer.insert(db)
            }
            let expected = (1...3).flatMap { ["\($0) '\(text("y\($0)"))' NULL", "NULL NULL \($0)", "NULL NULL \($0)", "\(-$0) NULL NULL"] }
            #expect(try db.rows("SELECT x, y, z FROM sheet") == expected)
        }
    }

    @Test
    func `Containers of all kinds that records keep, change, exchange and give back are written as they are, a thousand times`() throws {
        var generator = SeededGenerator(seed: 7)
        let shelf = Shelf()
        for _ in 1...4 {
            try withDatabase(Self.schema) { db throws in
                var expected: [String] = []
                func row(_ container: PersistenceContainer, _ columns: [String]) -> String {
                    columns.map { (container.databaseValue(forColumn: $0) ?? .null).sqlLiteral }.joined(separator: " ")
                }
                for step in 1...250 {
                    let change = Int.random(in: 0...7, using: &generator)
                    let index = shelf.containers.isEmpty ? nil : Int.random(in: 0..<shelf.containers.count, using: &generator)
                    let column = ["x", "y", "z"].randomElement(using: &generator)!
                    var written: PersistenceContainer?
                    let encode = { (container: inout PersistenceContainer) in
                        switch change {
                        case 0: if let index { container = shelf.containers[index] }
                        case 1:
                            if let index {
                                container = shelf.containers.remove(at: index)
                                container[column] = text("changed \(step)")
                            }
                        case 2: if let index { swap(&container, &shelf.containers[index]) }
                        case 3:
                            shelf.containers.append(container)
                            container = PersistenceContainer()
                            container[column] = step
                        case 4:
                            shelf.containers.append(container)
                            container[column] = text("kept \(step)")
                            if let index {
                                var inner = Sheet([:]) { $0 = shelf.containers[index] }
                                let row = row(shelf.containers[index], ["x", "y", "z"])
                                try inner.insert(db)
                                expected.append(row)
                            }
                        default: break
                        }
                        // Not kept as it is, so that the memory serves the next record as well.
                        written = copy(of: container)
                    }
                    var values: [(String, (any DatabaseValueConvertible)?)] = [("x", step), ("y", text("y\(step)")), ("z", "z")]
                    if Int.random(in: 0...4, using: &generator) == 0 { values.shuffle(using: &generator) }
                    if Int.random(in: 0...9, using: &generator) == 0 { values.removeLast() }
                    var sheet = Sheet([:], onEncode: encode)
                    sheet.columns = values
                    try sheet.insert(db)
                    expected.append(row(try #require(written), ["x", "y", "z"]))
                    if shelf.containers.count > 8 { shelf.containers.removeFirst(4) }
                }
                #expect(try db.rows("SELECT x, y, z FROM sheet") == expected)
            }
        }
    }

    private func copy(of container: PersistenceContainer) -> PersistenceContainer {
        var copy = PersistenceContainer()
        for (column, value) in container { copy[column] = value }
        return copy
    }
}

extension Sheet {
    /// The container that the record was inserted or encoded in, as a plan has left it.
    fileprivate func databaseContainer(_ db: Database) throws -> PersistenceContainer {
        var kept: PersistenceContainer?
        var sheet = self
        sheet.onEncode = { kept = $0 }
        try db.inSavepoint {
            try sheet.upsert(db)
            return .rollback
        }
        return kept!
    }
}
