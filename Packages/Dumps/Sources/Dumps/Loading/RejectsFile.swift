import Foundation

/// The file that rejected records are written to.
///
/// The number of its bytes is stored with the position of the load. What a portion has written that was not committed is removed when the load
/// continues.
final class RejectsFile {
    private let url: URL
    private let header: String

    /// The path of the file that is loaded, if it has one.
    private let source: String?

    /// The number of bytes in the file.
    private(set) var size: Int

    /// Whether this load has written what is in the file.
    private var isOwn: Bool

    /// Whether this load was killed before it has committed what it has written to the file.
    private let mayHaveRemains: Bool

    var path: String { url.standardizedFileURL.path }

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - header: the first lines of the file.
    ///   - position: the position of the load; nil for a new load.
    ///   - source: the file whose permissions a new file has; nil for the usual ones.
    /// - Throws: ``LoadError`` if the file is not the one of this load.
    init(_ url: URL, header: String, _ position: LoadPosition?, like source: String?) throws {
        self.url = url
        self.header = header
        self.source = source
        size = position?.rejectsSize ?? 0
        isOwn = size > 0
        mayHaveRemains = position?.rejectsPath == url.standardizedFileURL.path
        guard !DatabaseFileFormat.isOfDatabase(path: url.resolvingSymlinksInPath().path) else {
            throw LoadError(line: 1, column: nil, message: "\(url.path) belongs to a database, and can't receive rejected records")
        }
        guard isOwn else {
            if !mayHaveRemains, FileManager.default.fileExists(atPath: url.path) { throw fileExists }
            return
        }
        guard let found = regularFileSize(url), found >= size else {
            throw LoadError(
                line: 1, column: nil, message: "the file for rejected records has lost some of them: \(url.path)",
                advice: "Continue with the file that this load has written.")
        }
        if found > size { try truncate(to: size) }
    }

    private var fileExists: LoadError {
        LoadError(
            line: 1, column: nil, message: "the file for rejected records exists: \(url.path)", advice: "Move it, or choose another name.")
    }

    /// Adds lines, and waits until they are on the disk: the position that is committed next has their number of bytes.
    func append(_ lines: String) throws {
        let data = Data(((size == 0 ? header : "") + lines).utf8)
        if !isOwn { try create(for: data) }
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(size))
        try handle.seekToEnd()
        try handle.write(contentsOf: data)
        try handle.synchronize()
        size += data.count
    }

    /// Creates the file, unless it has the beginning of the data, because this load was killed after it had written it.
    private func create(for data: Data) throws {
        if FileManager.default.fileExists(atPath: url.path) {
            // An empty file may be a new database that this process has open.
            let isEmpty = regularFileSize(url) == 0
            guard mayHaveRemains, try isEmpty || data.starts(with: beginning(count: data.count)) else { throw fileExists }
        } else if source.map({ NewFile.create(url.path, like: $0) }) != true,
            !FileManager.default.createFile(atPath: url.path, contents: nil)
        {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
        }
        isOwn = true
    }

    private func beginning(count: Int) throws -> Data {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        return try handle.read(upToCount: count) ?? Data()
    }

    /// Removes what was written after a size. A file without content is removed.
    func truncate(to size: Int) throws {
        guard isOwn, self.size != size || regularFileSize(url) != size else { return }
        self.size = size
        if size == 0 {
            isOwn = false
            return try FileManager.default.removeItem(at: url)
        }
        let handle = try FileHandle(forWritingTo: url)
        defer { try? handle.close() }
        try handle.truncate(atOffset: UInt64(size))
    }
}
