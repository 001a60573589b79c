import Foundation
import Testing
import ValueConversion

@Suite(.page)
struct ValueConversionSamples {
    @Test("The sample of the README works")
    func theSampleOfTheReadmeWorks() throws {
        // sample: ValueConversion 1
        #expect(printed.count == 1)
        #expect(printed.first?.hasPrefix("merlot 20") == true)
    }
}
