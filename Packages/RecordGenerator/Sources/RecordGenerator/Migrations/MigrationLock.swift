import SQLiteDriver

/// The file `migrations.lock`: a line for each released migration, in the order of their release.
///
///     0001_authors 5f0c1b0a7e3d2c41
///     0002_books 9a3e6d10c55b7f02 up
///     0003_tags swift
///
/// A line has the identifier, the checksum of the whole file, and "up" if a down part of the file does not run. A step in Swift has "swift"
/// instead of a checksum. Lines are only added, at the end: when two branches have released migrations, merging the file is a conflict.
///
/// Versions without steps read such a line as one of a file with SQL, and report that it is missing.
struct MigrationLock {
    /// A released migration.
    struct Entry {
        let name: String
        /// Nil for a step in Swift.
        let checksum: String?
        /// Whether the file was released without its down parts.
        let isUpPart: Bool
        let range: Range<Int>
    }

    static let name = "migrations.lock"

    /// What a line of a step has instead of a checksum.
    static let stepMark = "swift"

    let source: SourceText?

    /// The released migrations, in order.
    private(set) var entries: [Entry] = []

    /// What is wrong with the file.
    private(set) var diagnostics: [QueryDiagnostic] = []

    init(_ source: SourceText?) {
        self.source = source
        guard let source else { return }
        var known: [String: Entry] = [:]
        let bytes = Array(source.text.utf8)
        for line in bytes.split(separator: 0x0A) {
            let range = line.startIndex..<line.endIndex
            if ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].contains(where: { line.starts(with: $0.utf8) }) {
                diagnostics.append(
                    source.diagnostic(
                        "two branches have released migrations: keep the lines of both, in the order in which they were released", at: range
                    ))
                continue
            }
            guard let entry = Self.entry(String(decoding: line, as: UTF8.self), range) else { continue }
            if let other = known[entry.name] {
                if other.checksum == entry.checksum, other.isUpPart == entry.isUpPart { continue }
                diagnostics.append(
                    source.diagnostic(
                        "\(entry.name) was released twice, as different files: keep the line of the file that databases have run, and rename "
                            + "the other file", at: range))
                continue
            }
            known[entry.name] = entry
            entries.append(entry)
        }
    }

    /// Reads a line. The name of a file may contain spaces.
    private static func entry(_ line: String, _ range: Range<Int>) -> Entry? {
        var words = line.split(whereSeparator: \.isWhitespace)
        let isUpPart = words.count > 2 && words.last == "up"
        if isUpPart { words.removeLast() }
        guard words.count > 1, let checksum = words.popLast(), let first = words.first, let last = words.last else { return nil }
        let isStep = checksum == stepMark
        guard words.count == 1 || isStep || checksum.utf8.count == 16 && checksum.allSatisfy(\.isHexDigit) else { return nil }
        let name = String(line[first.startIndex..<last.endIndex])
        return Entry(name: name, checksum: isStep ? nil : String(checksum), isUpPart: isUpPart, range: range)
    }

    /// The file, with a line for each migration that it lacks at its end.
    func text(adding files: [MigrationFile]) -> String {
        let text = source?.text ?? ""
        let lineEnd = text.utf8.contains(0x0D) ? "\r\n" : "\n"
        let isComplete = text.isEmpty || text.utf8.last == 0x0A
        return text + (isComplete || files.isEmpty ? "" : lineEnd)
            + files.map { $0.lockLine + lineEnd }.joined()
    }
}
