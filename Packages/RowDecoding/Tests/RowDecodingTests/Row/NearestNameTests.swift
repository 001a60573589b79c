import RowDecoding
import Testing

struct NearestNameTests {
    @Test
    func `The distance counts insertions, deletions, replacements and swaps`() {
        func distance(_ first: String, _ second: String) -> Int { editDistance(Array(first), Array(second), limit: 3) }
        #expect(distance("", "") == 0)
        #expect(distance("abc", "abc") == 0)
        #expect(distance("abc", "acb") == 1)
        #expect(distance("abc", "ab") == 1)
        #expect(distance("abc", "xabc") == 1)
        #expect(distance("abc", "xbz") == 2)
        #expect(distance("abcdef", "badcfe") == 3)
        #expect(distance("abc", "xyzw") == 4)
        #expect(distance("a", "abcdefgh") == 4)
    }
}
