import SQLiteDriver

/// The file `migrations.lock`: a line for each released migration, in the order of their release.
///
///     0001_authors 5f0c1b0a7e3d2c41
///     0002_books 9a3e6d10c55b7f02 up
///     @format 2
///     0003_tags swift
///
/// A line has the identifier, the checksum of the whole file, and "up" if a down part of the file does not run. A step in Swift has "swift"
/// instead of a checksum. Lines are only added, at the end: when two branches have released migrations, merging the file is a conflict.
///
/// A line `@format 2` stands above the first file with a line such as `-- @rebuild`. Versions for which this is a comment read it, and the line of a
/// step, as lines of files with SQL, and report that these are missing.
struct MigrationLock {
    /// A released migration.
    struct Entry {
        let name: String
        /// Nil for a step in Swift.
        let checksum: String?
        /// Whether the file was released without its down parts.
        let isUpPart: Bool
        /// Whether the version that has released the file knew directives.
        var hasDirectives = false
        let range: Range<Int>
    }

    static let name = "migrations.lock"

    /// The first word of the line with the number of the format, and the number.
    private static let formatMark = "@format"
    private static let format = 2

    /// What a line of a step has instead of a checksum.
    static let stepMark = "swift"

    let source: SourceText?

    /// The released migrations, in order.
    private(set) var entries: [Entry] = []

    /// What is wrong with the file.
    private(set) var diagnostics: [QueryDiagnostic] = []

    /// Whether a line says that the lines below it are those of a version that knows directives.
    private var hasFormat = false

    init(_ source: SourceText?) {
        self.source = source
        guard let source else { return }
        var known: [String: Entry] = [:]
        let bytes = Array(source.text.utf8)
        for line in bytes.split(separator: 0x0A) {
            let range = line.startIndex..<line.endIndex
            func add(_ message: String) { diagnostics.append(source.diagnostic(message, at: range)) }
            if ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].contains(where: { line.starts(with: $0.utf8) }) {
                add("two branches have released migrations: keep the lines of both, in the order in which they were released")
                continue
            }
            guard var entry = Self.entry(String(decoding: line, as: UTF8.self), range) else { continue }
            if entry.name == Self.formatMark {
                hasFormat = true
                if entry.checksum.flatMap({ Int($0) }).map({ $0 > Self.format }) ?? true {
                    add("a newer version of Strata has written this file: use that version")
                }
                continue
            }
            entry.hasDirectives = hasFormat
            if let other = known[entry.name] {
                if other.checksum == entry.checksum, other.isUpPart == entry.isUpPart { continue }
                add(
                    "\(entry.name) was released twice, as different files: keep the line of the file that databases have run, and rename "
                        + "the other file")
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
        let first = hasFormat ? nil : files.firstIndex { !$0.actions.isEmpty }
        let isComplete = text.isEmpty || text.utf8.last == 0x0A
        return text + (isComplete || files.isEmpty ? "" : lineEnd)
            + files.enumerated().map { index, file in
                (index == first ? "\(Self.formatMark) \(Self.format)\(lineEnd)" : "") + file.lockLine + lineEnd
            }.joined()
    }
}
