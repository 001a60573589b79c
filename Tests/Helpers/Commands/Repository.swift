import Foundation

/// The repository that these tests belong to.
enum Repository {
    /// Its root folder: the nearest one above this file that has the packages.
    static let root = sequence(first: URL(fileURLWithPath: #filePath)) { $0.deletingLastPathComponent() }.first { folder in
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("Packages").path)
    }!
}
