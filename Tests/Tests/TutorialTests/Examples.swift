import Foundation
import Testing

/// The programs of the package Examples.
enum Examples {
    /// The names of the tutorials, in reading order: the names of the executables with a number in it.
    static let tutorials: [String] = {
        let sources = Repository.root.appendingPathComponent("Examples/Sources").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
        return names.filter { $0.contains(where: \.isNumber) }.sorted()
    }()

    /// Runs one of them as a reader would.
    ///
    /// - Parameters:
    ///   - folder: the current folder, and the one for temporary files: the same tutorial may run elsewhere at the same time.
    static func run(_ name: String, _ arguments: [String] = [], in folder: TemporaryFolder) async throws -> CommandResult {
        let program = try await program(name).path
        return try await runCommand(["TMPDIR=\(folder.url.path)", program] + arguments, in: folder.url, limit: 60)
    }

    /// The executable of one of them.
    static func program(_ name: String) async throws -> URL { try await programs().appendingPathComponent(name) }

    /// The folder of the built programs.
    private static func programs() async throws -> URL {
        // Scripts/test.sh has built them, with what other packages had compiled already. It says where.
        if let folder = ProcessInfo.processInfo.environment["STRATA_EXAMPLES"] {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        return try await built.value
    }

    /// Builds them once, for `swift test` alone: in the package's own build folder, since `swift test` locks the build folder of Tests.
    private static let built = Task {
        let package = Repository.root.appendingPathComponent("Examples")
        let build = try await runCommand(["swift", "build"], in: package, limit: 900)
        try #require(build.isSuccess, "\(build)")
        let path = try await runCommand(["swift", "build", "--show-bin-path"], in: package, limit: 60)
        return URL(fileURLWithPath: try #require(path.lines.last), isDirectory: true)
    }
}
