import Strata
import Testing

@Suite(.page)
struct StrataSamples {
    @Test
    func `The README's sample`() throws {
        // sample: Strata 1

        #expect(large.map(\.code) == ["IS"])
        #expect(large.map(\.name) == ["Iceland"])
        #expect(try queue.read { try Country.fetchCount($0) } == 2)
    }
}
