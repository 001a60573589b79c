import Testing
import ValueConversion

@Suite struct StandardTypeTests {
    @Test func anIntegerReadsARealWithoutItsFraction() {
        #expect(Int.fromDatabaseValue(DatabaseValue(storage: .double(-1.9))) == -1)
    }
}
