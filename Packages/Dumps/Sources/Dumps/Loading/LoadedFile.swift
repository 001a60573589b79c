/// A file that can be loaded, in its format.
///
/// ```swift
/// // Full name;Points
/// // Arthur;500
/// try db.load(
///     .csv(
///         .file(url), format: CSVFormat(separator: ";"),
///         columns: .renaming(["Full name": "name", "Points": "score"])),
///     into: "player")
/// ```
///
/// A file is read in chunks, and may have any size. All values of a dump are restored exactly.
public enum LoadedFile {
    /// A CSV file.
    ///
    /// Fields are stored as strings, except for numbers in columns of numeric types. A REAL column stores the nearest real number;
    /// `INTEGER`, `NUMERIC` and similar columns store integers exactly. A field that is not quoted is NULL if it equals the null value of
    /// the format, a blob if it is written as `X'00FF'`, and, in a column without a type or of the type `BLOB`, a number if it has the form
    /// in which ``CSVDumpFormat`` writes numbers. A column can be the hidden row id, under a name such as `rowid`. Fields of generated
    /// columns are skipped.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - format: how the fields are written.
    ///   - columns: the columns that the fields are stored in. By default, the first line of the file names them.
    case csv(_ source: TextSource, format: CSVFormat = CSVFormat(), columns: LoadColumns = .fromHeader)

    /// A JSON array of objects, or objects one after the other.
    ///
    /// The members of the objects are the columns. Columns that an object lacks get their default values, or NULL.
    ///
    /// In a TEXT column, a number is stored with the digits of the file; in a REAL column, as the nearest real number. `INTEGER`, `NUMERIC`
    /// and similar columns store integers exactly, and other numbers as the nearest REAL. In a column without a type or of the type `BLOB`,
    /// numbers with a fraction or an exponent are REAL, and others INTEGER. `true` and `false` become 1 and 0. Objects and arrays in an
    /// object are stored as JSON, as they are written in the file, except for the objects that ``JSONDumpFormat`` writes for blobs and
    /// infinities: `{"$base64":"AP8="}` and `{"$real":"inf"}`. A member can be the hidden row id, under a name such as `rowid`. Members for
    /// generated columns are skipped.
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - at: the name of the member of an object that has the array; nil if the file is the array.
    ///   - blobs: how blobs are written. With an encoding other than ``CSVFormat/BlobEncoding/marked``, all strings for columns with the
    ///     declared type `BLOB` are blobs.
    case json(_ source: TextSource, at: String? = nil, blobs: CSVFormat.BlobEncoding = .marked)

    /// JSON Lines, also called NDJSON: each line has one object.
    ///
    /// Objects become rows as with ``json(_:at:blobs:)``, which reads such files, too. Here, a line that is not an object can be rejected
    /// (``LoadOptions/rejects``), as the next object begins in the next line. Empty lines are skipped.
    ///
    /// Source: <https://jsonlines.org>
    ///
    /// - Parameters:
    ///   - source: a file, a string or bytes.
    ///   - blobs: how blobs are written, as in ``json(_:at:blobs:)``.
    case jsonLines(_ source: TextSource, blobs: CSVFormat.BlobEncoding = .marked)

    /// Opens the file.
    ///
    /// - Parameter name: the name of a load that can be resumed.
    func makeLoader(_ table: String, _ options: LoadOptions, _ conflict: ConflictRule, name: String? = nil) throws -> Loader {
        func json(_ source: TextSource, isLines: Bool, at member: String?, _ blobs: CSVFormat.BlobEncoding) throws -> Loader {
            let reader = try JSONRecordReader(
                source, into: table, isLines: isLines, at: member, blobs: blobs, conflict: conflict, options: options,
                isChecked: name != nil)
            return Loader(reader, source: source, table: table, options: options, name: name)
        }
        switch self {
        case .csv(let source, let format, let columns):
            let reader = try CSVRecordReader(
                source, into: table, format: format, columns: columns, conflict: conflict, options: options, isChecked: name != nil)
            return Loader(reader, source: source, table: table, options: options, name: name)
        case .json(let source, let member, let blobs): return try json(source, isLines: false, at: member, blobs)
        case .jsonLines(let source, let blobs): return try json(source, isLines: true, at: nil, blobs)
        }
    }
}
