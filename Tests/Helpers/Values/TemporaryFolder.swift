import Foundation

/// A folder that is removed with the last reference to this object.
final class TemporaryFolder: Sendable {
    let url: URL

    var path: String { url.path }

    init() throws {
        // Without symbolic links (/tmp is one on macOS), so that paths that programs print compare equal.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("strata-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// The URL of a file in the folder.
    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of all files and folders.
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

    /// Writes a file, and makes the folders above it.
    ///
    /// - Parameter name: relative to this folder.
    func write(_ text: String, to name: String) throws {
        try FileManager.default.createDirectory(at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(name))
    }

    /// The content of a file. Bytes that are not UTF-8 are replaced.
    func text(of name: String) throws -> String { String(decoding: try Data(contentsOf: file(name)), as: UTF8.self) }
}
