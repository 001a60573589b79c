import Strata
import Testing

/// What a test does with a database. Its name tells failures apart.
struct Work<Result>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (Database) throws -> Result

    init(_ testDescription: String, _ run: @escaping @Sendable (Database) throws -> Result) {
        self.testDescription = testDescription
        self.run = run
    }
}
