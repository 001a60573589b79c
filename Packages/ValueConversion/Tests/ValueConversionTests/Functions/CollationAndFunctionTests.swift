import Foundation
import Testing
import ValueConversion

@Suite struct CollationAndFunctionTests {
    /// The strings in the order of a collation.
    private func sort(_ texts: [String], by collation: DatabaseCollation) throws -> [String] {
        try DatabaseQueue().write { db in
            db.add(collation: collation)
            try db.execute(sql: "CREATE TABLE t (a)")
            for text in texts { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [text]) }
            let statement = try db.makeStatement(sql: "SELECT a FROM t ORDER BY a COLLATE \(collation.name), rowid")
            var sorted: [String] = []
            while try statement.step() { sorted.append(statement.string(at: 0) ?? "") }
            return sorted
        }
    }

    @Test
    func `Texts are ordered as Swift does`() throws {
        // Byte by byte, "z" would come before both.
        let texts = ["z", "e\u{301}a", "\u{e9}", "e"]
        #expect(try sort(texts, by: .unicodeCompare) == texts.sorted())
    }

    @Test
    func `Texts are ordered whatever their case`() throws {
        #expect(try sort(["b", "É", "A", "é", "a", "B"], by: .caseInsensitiveCompare) == ["A", "a", "b", "B", "É", "é"])
    }

    @Test(arguments: ["compare", "ignoring case", "as files"])
    func `Texts are ordered as the locale does`(_ order: String) throws {
        let (collation, compare): (DatabaseCollation, (String, String) -> ComparisonResult) =
            switch order {
            case "compare": (.localizedCompare, { $0.localizedCompare($1) })
            case "ignoring case": (.localizedCaseInsensitiveCompare, { $0.localizedCaseInsensitiveCompare($1) })
            default: (.localizedStandardCompare, { $0.localizedStandardCompare($1) })
            }
        let sorted = try sort(["file 10", "z", "file 9", "é", "File 9", "a", "e", "f"], by: collation)
        for (lhs, rhs) in zip(sorted, sorted.dropFirst()) {
            #expect(compare(lhs, rhs) != .orderedDescending, "\(lhs) \(rhs)")
        }
    }

    @Test
    func `A collation can be made in Foundation's terms or in the driver's`() throws {
        let numeric = DatabaseCollation("numeric") { lhs, rhs in lhs.compare(rhs, options: .numeric) }
        #expect(try sort(["10", "9"], by: numeric) == ["9", "10"])
        let byLength = DatabaseCollation("by_length") { lhs, rhs in
            if lhs.count == rhs.count { return .same }
            return lhs.count < rhs.count ? .ascending : .descending
        }
        #expect(try sort(["ccc", "a"], by: byLength) == ["a", "ccc"])
        let backwards = DatabaseCollation("backwards") { lhs, rhs in
            if lhs == rhs { return .orderedSame }
            return lhs < rhs ? .orderedDescending : .orderedAscending
        }
        #expect(try sort(["a", "b"], by: backwards) == ["b", "a"])
    }

    @Test(arguments: [
        (DatabaseFunction.capitalize, "Élan Vital"), (.lowercase, "élan vital"), (.uppercase, "ÉLAN VITAL"),
        (.localizedCapitalize, "Élan Vital"), (.localizedLowercase, "élan vital"), (.localizedUppercase, "ÉLAN VITAL"),
    ])
    func `Texts change their case`(_ function: DatabaseFunction, _ expected: String) throws {
        try DatabaseQueue().write { db in
            db.add(function: function)
            let statement = try db.makeStatement(sql: "SELECT \(function.name)(?)")
            func evaluate(_ value: (any StatementBinding)?) throws -> DatabaseValue {
                try statement.setArguments([value])
                defer { statement.reset() }
                #expect(try statement.step())
                return statement.databaseValue(at: 0)
            }
            #expect(try evaluate("éLAN vITAL") == expected.databaseValue)
            #expect(try evaluate(nil) == .null)
            #expect(try evaluate(1) == .null)
        }
    }

    @Test
    func `Functions that know no locale can be in indexes`() throws {
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for function in [DatabaseFunction.capitalize, .lowercase, .uppercase] {
                db.add(function: function)
                try db.execute(sql: "CREATE INDEX \(function.name)Index ON t (\(function.name)(a))")
            }
            db.add(function: .localizedLowercase)
            #expect(throws: DatabaseError.self) {
                try db.execute(sql: "CREATE INDEX i ON t (\(DatabaseFunction.localizedLowercase.name)(a))")
            }
        }
    }
}
