/// A file in one of the formats that can be loaded.
enum LoadedFile {
    case csv(TextSource, CSVFormat, LoadColumns)
    /// - Parameters:
    ///   - isLines: whether each line has one object.
    ///   - member: the name of the member of an object that has the array; nil if the file is the array.
    case json(TextSource, isLines: Bool, at: String?, CSVFormat.BlobEncoding)

    /// Opens the file.
    ///
    /// - Parameter name: the name of a load that can be resumed.
    func makeLoader(table: String, options: LoadOptions, conflict: ConflictRule, name: String?) throws -> Loader {
        switch self {
        case .csv(let source, let format, let columns):
            let reader = try CSVRecordReader(
                source, into: table, format: format, columns: columns, conflict: conflict, options: options, isChecked: name != nil)
            return Loader(reader, source: source, table: table, options: options, name: name)
        case .json(let source, let isLines, let member, let blobs):
            let reader = try JSONRecordReader(
                source, into: table, isLines: isLines, at: member, blobs: blobs, conflict: conflict, options: options,
                isChecked: name != nil)
            return Loader(reader, source: source, table: table, options: options, name: name)
        }
    }
}

extension Database {
    /// Loads a file in a savepoint.
    func run(
        _ file: LoadedFile, into table: String, _ options: LoadOptions, _ conflict: ConflictRule,
        _ progress: ((LoadProgress) throws -> Void)?
    ) throws -> Int {
        let loader = try file.makeLoader(table: table, options: options, conflict: conflict, name: nil)
        defer { loader.finish() }
        do {
            try inSavepoint {
                try loader.begin(self)
                try loader.open()
                repeat {
                    // As many as fit into the processor's cache.
                    try loader.read(1000, size: 1 << 20)
                    try loader.insert(self)
                    if !loader.isComplete { try progress?(loader.progress) }
                } while !loader.isComplete
                try progress?(loader.progress)
                return .commit
            }
        } catch {
            loader.removeRejects()
            throw error
        }
        return loader.progress.rowCount
    }
}
