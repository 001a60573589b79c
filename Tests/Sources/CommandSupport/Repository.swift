import Foundation

/// The repository that these tests belong to.
public enum Repository {
    /// Its root folder: this file's path less Tests/Sources/CommandSupport/Repository.swift.
    public static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}
