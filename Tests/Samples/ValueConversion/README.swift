import Foundation
import Testing
import ValueConversion

@Suite(.page)
struct ValueConversionSamples {
    @Test
    func `The sample of the README works`() throws {
        // sample: ValueConversion 1
        #expect(printed.count == 1)
        #expect(printed.first?.hasPrefix("merlot 20") == true)
    }
}
