import CommandSupport
import Foundation
import Testing

/// The programs of Examples/, run as a reader would run them.
@Suite(.timeLimit(.minutes(20)))
struct TutorialTests {
    @Test("A tutorial runs to its end, prints something, and complains of nothing", arguments: Examples.tutorials)
    func tutorial(_ name: String) async throws {
        // In a folder of its own: a tutorial must find its data wherever it is called from.
        let folder = try TemporaryFolder()
        let program = try await Examples.programs().appendingPathComponent(name).path
        let result = try await run([program], in: folder.url, limit: 60)
        #expect(result.isSuccess, "\(result)")
        #expect(!result.lines.isEmpty, "\(result)")
        #expect(result.error.isEmpty, "\(result)")
    }

    @Test("There are tutorials")
    func tutorials() {
        #expect(!Examples.tutorials.isEmpty)
    }
}

/// The programs of the package Examples.
enum Examples {
    /// The names of the tutorials, in reading order: those of the executables with a number in it.
    static let tutorials: [String] = {
        let sources = Repository.root.appendingPathComponent("Examples/Sources").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: sources)) ?? []
        return names.filter { $0.contains(where: \.isNumber) }.sorted()
    }()

    /// The folder of the built programs.
    static func programs() async throws -> URL {
        // Scripts/test.sh has built them, with what other packages had compiled already. It says where.
        if let folder = ProcessInfo.processInfo.environment["STRATA_EXAMPLES"] {
            return URL(fileURLWithPath: folder, isDirectory: true)
        }
        return try await built.value
    }

    /// Builds them once, for `swift test` by itself: in the package's own build folder, since `swift test` holds that of Tests.
    private static let built = Task {
        let package = Repository.root.appendingPathComponent("Examples")
        let build = try await run(["swift", "build"], in: package, limit: 900)
        try #require(build.isSuccess, "\(build)")
        let path = try await run(["swift", "build", "--show-bin-path"], in: package, limit: 60)
        return URL(fileURLWithPath: try #require(path.lines.last), isDirectory: true)
    }
}
