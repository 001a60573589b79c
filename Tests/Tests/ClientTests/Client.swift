import Foundation
import Testing

/// A throw-away package in a temporary folder, with a build folder of its own.
struct Client {
    let folder = try! TemporaryFolder()

    /// - Parameters:
    ///   - dependency: how the package depends on Strata, in Swift.
    ///   - targets: the package's targets, in Swift.
    ///   - sources: the content of the source files by their paths.
    init(dependency: String, targets: String, sources: [String: String]) throws {
        try add(dependency: dependency, targets: targets, sources: sources)
    }

    /// Replaces the manifest, and adds or replaces sources. The build folder stays.
    func add(dependency: String, targets: String, sources: [String: String]) throws {
        let manifest = """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "Client",
                platforms: [.macOS(.v13)],
                dependencies: [\(dependency)],
                targets: [\(targets)],
                swiftLanguageModes: [.v6]
            )
            """
        try folder.write(manifest, to: "Package.swift")
        for (path, text) in sources {
            try folder.write(text, to: path)
        }
    }

    /// The options of all commands in the client's folder: with others, a command compiles everything again.
    ///
    /// The caches are the client's own too: a repository's copy and fingerprints have no use after the test.
    private var options: [String] {
        let caches = folder.url.appendingPathComponent("caches").path
        return ["--disable-index-store", "--cache-path", caches, "--config-path", caches, "--security-path", caches]
    }

    /// Runs a command of SwiftPM.
    func swift(_ command: String, _ arguments: String...) async throws -> CommandResult {
        try await runCommand(["swift", command] + options + arguments, in: folder.url, limit: 900)
    }

    /// Builds and runs an executable, and gives what it printed.
    func run(_ executable: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let result = try await swift("run", executable)
        #expect(result.isSuccess, "\(result)", sourceLocation: sourceLocation)
        #expect(!result.error.contains("warning:"), "\(result)", sourceLocation: sourceLocation)
        return result.output
    }

    /// The names of all Swift modules in the build folder.
    func compiledModules() -> Set<String> {
        var modules: Set<String> = []
        let files = FileManager.default.enumerator(at: folder.url.appendingPathComponent(".build"), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            // A module cache holds the system's, each with a hash in its name.
            if file.pathExtension == "swiftmodule" && !file.path.contains("/ModuleCache/") {
                modules.insert(file.deletingPathExtension().lastPathComponent)
            }
        }
        return modules
    }
}

/// The repository as it is in the working tree, committed to a repository of its own and tagged 0.0.1.
struct TaggedRepository {
    /// The URL to depend on. Its last part is the name that SwiftPM knows the package by.
    var url: String { checkout.url.absoluteString }

    private let checkout: Checkout

    init() async throws {
        checkout = try await Checkout()
        let copy = checkout.url
        for command in [["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message", "Test"], ["tag", "0.0.1"]] {
            // An author, and no signature, whatever the configuration of the machine says.
            let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
            let result = try await runCommand(["git"] + identity + command, in: copy, limit: 60)
            try #require(result.isSuccess, "\(result)")
        }
    }
}

/// A copy of the repository as it is in the working tree.
struct Checkout {
    private let folder = try! TemporaryFolder()

    var url: URL { folder.url.appendingPathComponent("strata", isDirectory: true) }

    init() async throws {
        for path in try await Self.files() {
            let original = Repository.root.appendingPathComponent(path)
            let target = url.appendingPathComponent(path)
            try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: original, to: target)
        }
    }

    /// Replaces a string in a file.
    func replace(_ text: String, with other: String, in path: String) throws {
        let url = url.appendingPathComponent(path)
        let old = try String(contentsOf: url, encoding: .utf8)
        try #require(old.contains(text), "\(path) has changed: it has no \(text)")
        try old.replacingOccurrences(of: text, with: other).write(to: url, atomically: true, encoding: .utf8)
    }

    /// Returns the paths of the files that a client needs and that git tracks or does not ignore. Outside a git repository, such as in
    /// an unpacked archive, these are all files.
    private static func files() async throws -> [String] {
        let listed = try await runCommand(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "Package.swift", "Packages"],
            in: Repository.root, limit: 60)
        guard listed.isSuccess else {
            let sources = Repository.root.appendingPathComponent("Packages").path
            return try FileManager.default.subpathsOfDirectory(atPath: sources).map { "Packages/\($0)" }
                .filter { !$0.contains("/.build/") && isFile($0) } + ["Package.swift"]
        }
        // A file that was removed, but not yet in a commit, is listed as well.
        return listed.output.split(separator: "\0").map(String.init).filter(isFile)
    }

    private static func isFile(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        let path = Repository.root.appendingPathComponent(path).path
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
}
