import Foundation
import Testing

@Suite("Leaks", .timeLimit(.minutes(60)))
struct LeakTests {
    /// Another process, as other tests open files and databases meanwhile.
    @Test
    func `Closed databases leave no memory, no file descriptors and no threads`() throws {
        // `make soak` does it 10,000 times.
        let rounds = ProcessInfo.processInfo.environment["STRATA_LEAK_ROUNDS"] ?? "100"
        let process = Process(program: "leak-process", [rounds])
        let text = try process.outputOfRun()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "\(text)")
        #expect(text.contains("\(rounds) rounds"))
        print("leaks: \(text)")
    }
}
