import Foundation
import FuzzTargets
import Testing

/// What `make fuzz` checks, with the inputs that it has found, and with some random ones.
@Suite("Inputs of any bytes")
struct FuzzCorpusTests {
    private static let corpus = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzzing/Corpus")

    private func check(_ target: FuzzTarget, _ input: [UInt8], _ name: String) {
        do {
            try target.run(input)
        } catch {
            Issue.record("\(target.rawValue), \(name): \(error)")
        }
    }

    @Test(arguments: FuzzTarget.allCases)
    func `The properties of all inputs hold for those that a fuzzer has found`(target: FuzzTarget) throws {
        let folder = Self.corpus.appendingPathComponent(target.rawValue)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.isEmpty)
        var inputs: [[UInt8]] = []
        for name in names {
            let input = try [UInt8](Data(contentsOf: folder.appendingPathComponent(name)))
            inputs.append(input)
            check(target, input, name)
        }

        // The same inputs with some bytes changed, removed and doubled.
        let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_SEED"] ?? "") ?? UInt64.random(in: 0..<1_000_000)
        // An input that stops the program leaves no other trace of the seed.
        print("inputs of any bytes, \(target.rawValue): STRATA_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for step in 0..<300 {
            var input = inputs.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !input.isEmpty {
                let index = Int.random(in: 0..<input.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: input[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: input.remove(at: index)
                default: input.insert(input[index], at: index)
                }
            }
            check(target, input, "step \(step) of seed \(seed): \(Data(input).base64EncodedString())")
        }
    }
}
