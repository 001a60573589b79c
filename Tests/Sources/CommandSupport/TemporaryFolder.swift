import Foundation

/// A folder that is removed together with the last reference to this object.
public final class TemporaryFolder: Sendable {
    /// Where the folder is.
    public let url: URL

    /// Makes an empty folder.
    public init() throws {
        // Without symbolic links (/tmp is one on macOS), for paths that programs print to compare equal.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("strata-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    /// Makes a file, and the folders above it.
    ///
    /// - Parameter path: relative to this folder.
    public func write(_ text: String, to path: String) throws {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Makes an empty file, open for writing.
    func makeFile(named name: String) throws -> FileHandle {
        try write("", to: name)
        return try FileHandle(forWritingTo: url.appendingPathComponent(name))
    }

    /// The contents of a file. Bytes that are no UTF-8 are replaced.
    func text(ofFileNamed name: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
    }
}
