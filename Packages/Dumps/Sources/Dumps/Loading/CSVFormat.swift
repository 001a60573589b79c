/// How the fields of a CSV file are written.
///
/// ```swift
/// try db.load(
///     .csv(.file(url), format: CSVFormat(separator: ";", nullValue: "NULL")),
///     into: "player")
/// ```
public struct CSVFormat: Sendable {
    /// How blobs are written.
    public enum BlobEncoding: Sendable {
        /// In a form that no string has, which distinguishes the blobs and strings of a column: in CSV as `X'00FF'` without quotes, in JSON
        /// as `{"$base64":"AP8="}`. Dumps write blobs in this form.
        case marked

        /// As base64.
        case base64

        /// As hexadecimal digits.
        case hexadecimal

        /// As UTF-8: the bytes of the field are the blob.
        case bytes
    }

    /// What happens to a record with fewer fields than expected.
    public enum ShortRecords: Sendable {
        /// It is an error.
        case error

        /// The missing fields are NULL.
        case padded

        /// It is not loaded.
        case skipped
    }

    /// What happens to a record with more fields than expected.
    public enum LongRecords: Sendable {
        /// It is an error.
        case error

        /// The fields at its end are not loaded.
        case cut

        /// It is not loaded.
        case skipped
    }

    /// The character between two fields.
    public var separator: Character

    /// The field that stands for NULL, unless it is quoted.
    public var nullValue: String

    /// How blobs are written. With an encoding other than ``BlobEncoding/marked``, all values of columns with the declared type `BLOB` are
    /// blobs.
    public var blobs: BlobEncoding

    /// What happens to a record with fewer fields than the header, or than the list of columns.
    public var shortRecords: ShortRecords

    /// What happens to a record with more fields than the header, or than the list of columns.
    public var longRecords: LongRecords

    /// The maximum number of bytes of a record. A larger record ends the reading with an error.
    ///
    /// A record is read into memory. A file with an opening quote and no closing one is a single record from there on: set a maximum for
    /// files that you don't trust.
    public var maximumRecordSize: Int = .max

    /// The ASCII character around fields that contain separators or line breaks. In such a field, it is doubled.
    public var quote: Character = "\""

    /// The number of lines before the header, or before the first record, that are not read.
    public var skippedLineCount = 0

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - separator: the ASCII character between two fields, other than the quote or a line break.
    ///   - nullValue: the field that stands for NULL, unless it is quoted.
    ///   - blobs: how blobs are written. With an encoding other than ``BlobEncoding/marked``, all values of columns with the declared type
    ///     `BLOB` are blobs.
    ///   - shortRecords: what happens to a record with fewer fields than expected.
    ///   - longRecords: what happens to a record with more fields than expected.
    public init(
        separator: Character = ",", nullValue: String = "", blobs: BlobEncoding = .marked, shortRecords: ShortRecords = .error,
        longRecords: LongRecords = .error
    ) {
        self.separator = separator
        self.nullValue = nullValue
        self.blobs = blobs
        self.shortRecords = shortRecords
        self.longRecords = longRecords
    }

    /// Checks the separator and the quote.
    func check() throws {
        func isAllowed(_ character: Character) -> Bool {
            character.asciiValue.map { ![0, UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains($0) } ?? false
        }
        guard isAllowed(separator), separator != quote else {
            throw DatabaseError.misuse(
                "CSV fields can't be separated by \(separator.debugDescription)",
                advice: "Use an ASCII character other than a quote or a line break.")
        }
        guard isAllowed(quote) else {
            throw DatabaseError.misuse(
                "CSV fields can't be quoted with \(quote.debugDescription)", advice: "Use an ASCII character other than a line break.")
        }
    }

    var quoteByte: UInt8 { quote.asciiValue ?? UInt8(ascii: "\"") }
}
