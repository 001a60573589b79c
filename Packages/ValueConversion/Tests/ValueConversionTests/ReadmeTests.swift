import Foundation
import Testing
import ValueConversion

@Suite struct ReadmeTests {
    @Test("The sample of the README works")
    func theSampleOfTheReadmeWorks() throws {
        var printed: [(String, Date)] = []
        func print(_ grape: some Any, _ bottled: Date) { printed.append(("\(grape)", bottled)) }

        enum Grape: String, DatabaseValueConvertible {
            case chardonnay, merlot, riesling
        }

        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE wine (grape TEXT, bottled TEXT, price TEXT)")
            try db.execute(
                sql: "INSERT INTO wine VALUES (?, ?, ?)",
                arguments: [Grape.merlot, Date(), Decimal(string: "12.50")])

            let statement = try db.makeStatement(sql: "SELECT grape, bottled FROM wine")
            while try statement.step() {
                let grape = Grape.fromDatabaseValue(statement.databaseValue(at: 0))
                let bottled = Date.fromDatabaseValue(statement.databaseValue(at: 1))
                print(grape ?? .riesling, bottled ?? .distantPast)
            }
        }
        #expect(printed.count == 1)
        #expect(printed.first?.0 == "merlot")
        #expect(printed.first?.1 != .distantPast)
    }
}
