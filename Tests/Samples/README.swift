import Strata
import Testing

@Suite(.page)
struct RepositorySamples {
    @Test
    func `The README's first sample`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.sqlite")

        // sample: Strata 1

        #expect(best.map(\.name) == ["Arthur"])
        #expect(best.map(\.id) == [1])
        #expect(best.map(\.score) == [200])
        try queue.close()
    }
}
