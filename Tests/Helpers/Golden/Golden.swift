import Foundation
import Testing

/// Strings that tests compare with files of the folder Golden, beside the test. `make golden` writes the files again.
enum Golden {
    private static var isRenewing: Bool { ProcessInfo.processInfo.environment["STRATA_GOLDEN"] == "renew" }

    /// Compares a string with a golden file, or writes the file.
    static func expect(
        _ text: String, _ name: String, beside test: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(fileURLWithPath: test).deletingLastPathComponent().appendingPathComponent("Golden/\(name)")
        if isRenewing { try text.write(to: file, atomically: true, encoding: .utf8) }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        guard text != expected else { return }
        let lines = (text.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
        let index = zip(lines.0, lines.1).enumerated().first { $1.0 != $1.1 }?.offset ?? min(lines.0.count, lines.1.count)
        func line(_ lines: [String]) -> String { index < lines.count ? lines[index] : "(no line)" }
        Issue.record(
            """
            Golden/\(name) differs from line \(index + 1): "\(line(lines.0))" instead of "\(line(lines.1))". \
            If the change is intended, run make golden.
            """, sourceLocation: sourceLocation)
    }
}
