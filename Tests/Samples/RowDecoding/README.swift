import RowDecoding
import Testing

@Suite(.page)
struct RowDecodingSamples {
    @Test
    func `The README's sample`() throws {
        // sample: RowDecoding 1

        #expect(players.map(\.name) == ["Arthur", "Craig"])
        #expect(names == ["Arthur", "Barbara", "Craig"])
        #expect(best == 1500)
        #expect(count == 2)
        #expect(second == "Craig")
    }
}
